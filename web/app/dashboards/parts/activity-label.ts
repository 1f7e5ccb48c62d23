import type { ClientActivity } from '#api/people/client-summaries';

/** A word of the filter by activity; beside « Parrains endormis » how many there are, once that is known (PI-03). */
export function activityLabel(activity: ClientActivity, sleepingCount: number | undefined): string {
  const label = labels[activity];
  if (activity !== 'asleep' || sleepingCount === undefined) return label;
  return `${label} (${sleepingCount.toLocaleString('fr-FR')})`;
}

const labels: Readonly<Record<ClientActivity, string>> = {
  all: 'Toute activité',
  asleep: 'Parrains endormis',
  never: 'Sans parrainage',
};
