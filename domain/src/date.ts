// The company's day is the day in France, wherever the reader or the server stands.
const timeZone = 'Europe/Paris';
const dateFormat = new Intl.DateTimeFormat('fr-FR', { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
const timeFormat = new Intl.DateTimeFormat('fr-FR', { timeZone, hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('fr-FR', { timeZone, dateStyle: 'full' });

/** « 21 nov. 2026 », the day in France (I-02). Takes an ISO 8601 instant, as the wire carries it. */
export function formatDate(instant: string): string {
  return dateFormat.format(new Date(instant));
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

const wireDayFormat = new Intl.DateTimeFormat('sv-SE', { timeZone });

/** The day in France of an instant, as the wire carries it: « 2026-11-21 ». */
export function dayOf(instant: Date): string {
  return wireDayFormat.format(instant);
}
