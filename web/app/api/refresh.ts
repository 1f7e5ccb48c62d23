import { queryClient } from './query-client.ts';

/**
 * After a decision, everything on screen is read again: lists, counts and figures change together. Not waited for:
 * the decision is made, the screens follow.
 */
export function refresh(): void {
  void queryClient.invalidateQueries();
}
