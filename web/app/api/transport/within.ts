import type { Days } from '@parrain/domain/period';

interface Comparable {
  gte: (column: string, value: string) => Comparable;
  lt: (column: string, value: string) => Comparable;
}

/** Narrows a list to the days of a period: each begins at midnight in France, whatever the time zone of this browser. */
export function within<Query extends object>(query: Query, column: string, days: Days | null): Query {
  // The official client's types are too deep to be compared.
  let narrowed = query as unknown as Comparable;
  if (days?.fromDay) narrowed = narrowed.gte(column, midnight(days.fromDay));
  if (days?.beforeDay) narrowed = narrowed.lt(column, midnight(days.beforeDay));
  return narrowed as unknown as Query;
}

/** PostgreSQL knows the zone, and its summer time. */
const midnight = (day: string): string => `${day} 00:00 Europe/Paris`;
