import { useEffect, useEffectEvent, useState } from 'react';
import type { ListPage } from '#ui/pagination';
import type { Neighbours } from '#ui/side-panel';
import type { ListState } from './use-list-state.ts';

export interface ListBehind {
  data: ListPage | undefined;
  /** The rows on screen are still those of the page before. */
  isPlaceholderData: boolean;
}

/** Next and previous through the list behind a panel, over the ends of its pages too (NV-02). `ids` are those of the page's rows. */
export function useNeighbours(
  list: ListState,
  { data, isPlaceholderData }: ListBehind,
  ids: readonly string[],
): Neighbours {
  const [arriving, setArriving] = useState<{ mark: string; at: 0 | -1; fromId: string | undefined }>();
  const at = list.openId === undefined ? -1 : ids.indexOf(list.openId);
  const arrived = arriving?.mark === list.page && !isPlaceholderData ? arriving : undefined;
  const arrive = useEffectEvent(() => {
    const id = ids.at(arriving?.at ?? 0);
    if (id !== undefined && list.openId !== undefined && list.openId === arriving?.fromId) list.openRow(id);
  });
  // The page comes from the server, or is there already: its first row opens once it is.
  useEffect(() => {
    if (arrived !== undefined) arrive();
  }, [arrived]);
  const step = (id: string | undefined, mark: string | null | undefined, end: 0 | -1) => {
    if (at === -1) return undefined;
    if (id !== undefined) return () => list.openRow(id);
    if (mark === null || mark === undefined) return undefined;
    return () => {
      setArriving({ mark, at: end, fromId: list.openId });
      list.setPage(mark);
    };
  };
  return {
    onPrevious: step(at > 0 ? ids[at - 1] : undefined, data?.previous, -1),
    onNext: step(ids[at + 1], data?.next, 0),
  };
}
