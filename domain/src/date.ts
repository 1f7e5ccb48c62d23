// The company's day is the day in France, wherever the reader or the server stands.
const timeZone = 'Europe/Paris';
const dateFormat = new Intl.DateTimeFormat('fr-FR', { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
const timeFormat = new Intl.DateTimeFormat('fr-FR', { timeZone, hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('fr-FR', { timeZone, dateStyle: 'full' });

/** « 21 nov. 2026 », the day in France (I-02). Takes an ISO 8601 instant, as the wire carries it. */
export function formatDate(instant: string): string {
  return dateFormat.format(new Date(instant)).replace(/^1 /u, '1er ');
}

/** « 14:32 », the time in France (I-02). */
export function formatTime(instant: string): string {
  return timeFormat.format(new Date(instant));
}

/** « 21 nov. 2026 à 14:32 », the day and the time in France (I-02). */
export function formatDateTime(instant: string): string {
  return `${formatDate(instant)} à ${formatTime(instant)}`;
}

/** « samedi 21 novembre 2026 », « mercredi 1er juillet 2026 »: the day in France. */
export function formatDay(instant: string): string {
  return dayFormat.format(new Date(instant)).replace(' 1 ', ' 1er ');
}

// Read part by part: the order and the signs that a locale writes them with change from one browser to the next.
const partsFormat = new Intl.DateTimeFormat('en', {
  timeZone,
  calendar: 'gregory',
  numberingSystem: 'latn',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
});

/** The year, month, day and hour in France of an instant, each as its digits. */
function partsOf(instant: Date): Readonly<Record<'year' | 'month' | 'day' | 'hour', string>> {
  const parts = { year: '', month: '', day: '', hour: '' };
  for (const { type, value } of partsFormat.formatToParts(instant)) {
    if (type === 'year') parts.year = value.padStart(4, '0');
    else if (type === 'month' || type === 'day' || type === 'hour') parts[type] = value.padStart(2, '0');
  }
  return parts;
}

/** The day in France of an instant, as the wire carries it: « 2026-11-21 ». */
export function dayOf(instant: Date): string {
  const { year, month, day } = partsOf(instant);
  return `${year}-${month}-${day}`;
}

/** The hour in France of an instant, from 0 to 23. */
export function hourOf(instant: Date): number {
  return Number.parseInt(partsOf(instant).hour, 10);
}

/** The whole days from an instant to another, in milliseconds as `Date.now()` gives them; 0 where it is still to come. */
export function daysSince(instant: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(instant)) / 86_400_000));
}
