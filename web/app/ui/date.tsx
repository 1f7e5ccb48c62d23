export interface DateTextProps {
  /** An ISO timestamp as the API sends it; null or an unreadable one shows « — ». */
  value: string | null | undefined;
  /** Adds the hour: « 21 nov. 2026 à 14:32 ». */
  withTime?: boolean | undefined;
  className?: string | undefined;
}

/** A date in French, in a `<time>` whose title carries the whole of it. */
export function DateText({ value, withTime = false, className }: DateTextProps) {
  const date = value ? new Date(value) : undefined;
  if (!date || Number.isNaN(date.getTime())) return <span className={className}>—</span>;
  return (
    <time dateTime={date.toISOString()} title={full.format(date)} className={className}>
      {withTime ? `${dayOf(date)} à ${hour.format(date)}` : dayOf(date)}
    </time>
  );
}

// As the domain's dates: the day and the hour in France, wherever the reader is.
const timeZone = 'Europe/Paris';
const day = new Intl.DateTimeFormat('fr-FR', { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
const dayOf = (date: Date) => day.format(date).replace(/^1 /u, '1er ');
const hour = new Intl.DateTimeFormat('fr-FR', { timeZone, hour: '2-digit', minute: '2-digit' });
const full = new Intl.DateTimeFormat('fr-FR', { timeZone, dateStyle: 'full', timeStyle: 'short' });
