import { refresh } from './refresh.ts';

/** Outcome of one of many: done, or left as it is with the reason. */
export type Outcome<Item> = { item: Item } & ({ isDone: true } | { isDone: false; error: unknown });

/**
 * NV-04: one act on many things. Each is an act of its own, in its own transaction and on the version that was seen: one that
 * somebody changed meanwhile is left out, and the others go through. `onProgress` tells how many are behind.
 */
export async function oneByOne<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  onProgress: (count: number) => void,
): Promise<readonly Outcome<Item>[]> {
  const outcomes: Outcome<Item>[] = [];
  for (const item of items) {
    try {
      await act(item);
      outcomes.push({ item, isDone: true });
    } catch (error) {
      outcomes.push({ item, isDone: false, error });
    }
    onProgress(outcomes.length);
  }
  refresh();
  return outcomes;
}
