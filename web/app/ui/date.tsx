import { formatDate, formatDateTime } from '@parrain/domain/date';

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
      {withTime ? formatDateTime(date.toISOString()) : formatDate(date.toISOString())}
    </time>
  );
}

// As the domain's dates: the day and the hour in France, wherever the reader is.
const full = new Intl.DateTimeFormat('fr-FR', { timeZone: 'Europe/Paris', dateStyle: 'full', timeStyle: 'short' });
