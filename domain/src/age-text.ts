const format = new Intl.RelativeTimeFormat('fr-FR', { style: 'short' });
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** « il y a 5 min », « il y a 2 h », « il y a 3 j »: the time since an instant, in whole units; « à l’instant » below a minute. */
export function ageText(instant: string, now: Date): string {
  const age = now.getTime() - Date.parse(instant);
  if (age < minuteMs) return 'à l’instant';
  if (age < hourMs) return format.format(-Math.floor(age / minuteMs), 'minute');
  if (age < dayMs) return format.format(-Math.floor(age / hourMs), 'hour');
  return format.format(-Math.floor(age / dayMs), 'day');
}
