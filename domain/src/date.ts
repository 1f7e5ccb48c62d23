// The company's day is the day in France, wherever the reader or the server stands.
const timeZone = 'Europe/Paris';
const dateFormat = new Intl.DateTimeFormat('fr-FR', { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
const dateTimeFormat = new Intl.DateTimeFormat('fr-FR', {
  timeZone,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** « 21 nov. 2026 », the day in France (I-02). Takes an ISO 8601 instant, as the wire carries it. */
export function formatDate(instant: string): string {
  return dateFormat.format(new Date(instant));
}

/** « 21 nov. 2026, 14:32 », the time in France (I-02). */
export function formatDateTime(instant: string): string {
  return dateTimeFormat.format(new Date(instant));
}
