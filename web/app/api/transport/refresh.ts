import { useSyncExternalStore } from 'react';
import { queryClient } from './query-client.ts';

/**
 * After a decision, everything on screen is read again: lists, counts and figures change together. Not waited for:
 * the decision is made, the screens follow.
 */
export function refresh(): void {
  void readAgain();
}

/**
 * The same, waited for by what edits a record: opened again before it has been read, the form would take what this page itself has just
 * written for somebody else's (DF-34).
 */
export async function readAgain(): Promise<void> {
  decisions += 1;
  for (const listener of listeners) listener();
  await queryClient.invalidateQueries();
}

/** Number of decisions made by this page: rows that come after one were asked for, and may move those on screen. */
export function useDecisions(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => decisions,
    () => 0,
  );
}

let decisions = 0;
const listeners = new Set<() => void>();
