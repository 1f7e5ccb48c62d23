import { dayOf } from '@parrain/domain/date';
import { openStatuses } from '@parrain/domain/sale';

interface Comparable {
  in: (column: string, values: readonly string[]) => this;
  lt: (column: string, value: string) => this;
  is: (column: string, value: boolean) => this;
}

/** Open referrals on which nothing changed for so many days, those of a commercial's next move (« Sans nouvelles depuis 14 jours »). */
export function withoutNews<Query extends Comparable>(query: Query, days: number | null): Query {
  if (days === null) return query;
  return (
    query
      .in('status', openStatuses)
      .is('ready_for_validation', false)
      // Whole days: the list's address means the same until midnight.
      .lt('updated_at', daysAgo(days))
  );
}

/** Midnight of a day in the past, in France. */
function daysAgo(days: number): string {
  return `${dayOf(new Date(Date.now() - days * 86_400_000))} 00:00 Europe/Paris`;
}

/** The days of « sans-nouvelles » in a list's address; null where it says none. */
export function withoutNewsDaysOf(text: string | undefined): number | null {
  const days = /^\d{1,3}$/u.test(text ?? '') ? Number.parseInt(text ?? '', 10) : 0;
  return days > 0 ? days : null;
}
