import type { DataSort } from '#ui/data-table';

/** The direction in which a list stands by itself; most begin with what is newest or largest. */
export type OwnDirection = 'asc' | 'desc';

/**
 * True when a list goes down, by its setting « sens »: « asc » or « desc », absent where the list stands by itself. « croissant » is what
 * views and addresses of before DF-63 say for « asc » in some lists.
 */
export function isDescending(sens: string | undefined, own: OwnDirection = 'desc'): boolean {
  if (sens === 'asc' || sens === 'croissant') return false;
  return sens === 'desc' || own === 'desc';
}

/** The settings of a sort: its column, and its direction where it is not the list's own. */
export function sortSettings({ id, desc }: DataSort, own: OwnDirection = 'desc') {
  const sens: OwnDirection = desc ? 'desc' : 'asc';
  return { tri: id, sens: sens === own ? undefined : sens };
}
