import { useState } from 'react';
import { useDecisions } from '#api/transport/refresh';
import { previousPage, type Page } from '#api/transport/read-page';

export interface SteadyPage<Row> {
  /** The page to show: its rows never jump unasked. */
  page: Page<Row> | undefined;
  /** Number of rows that came, left or moved since. */
  newsCount: number;
  /** Shows them. */
  showNews: () => void;
}

interface Shown<Row> {
  asked: string;
  decisions: number;
  page: Page<Row>;
}

/**
 * A page of a list that others change too: a row keeps its place under the eye and the finger. What changed in a row is
 * shown in place; rows that came, left or moved wait until the person asks, unless it is they who changed something.
 * `asked` says what the page is of: another page, filter or search is shown as it comes.
 */
export function useSteadyPage<Row extends { id: string }>(
  query: { data: Page<Row> | undefined; isPlaceholderData: boolean },
  asked: string,
): SteadyPage<Row> {
  const decisions = useDecisions();
  const { data, isPlaceholderData } = query;
  const [shown, setShown] = useState<Shown<Row> | undefined>(() =>
    data === undefined || isPlaceholderData ? undefined : { asked, decisions, page: data },
  );
  if (data === undefined) return { page: undefined, newsCount: 0, showNews: () => undefined };
  const show = () => setShown({ asked, decisions, page: data });
  if (isPlaceholderData) return { page: previousPage(shown?.page ?? data), newsCount: 0, showNews: show };
  if (shown?.page === data) return { page: data, newsCount: 0, showNews: show };
  const isExpected =
    shown === undefined || shown.asked !== asked || shown.decisions !== decisions || shown.page.rows.length === 0;
  const newsCount = isExpected ? 0 : differences(shown.page.rows, data.rows);
  if (newsCount === 0 || shown === undefined) {
    show();
    return { page: data, newsCount: 0, showNews: show };
  }
  const byId = new Map(data.rows.map((row) => [row.id, row]));
  const rows = shown.page.rows.map((row) => byId.get(row.id) ?? row);
  return { page: { ...shown.page, rows }, newsCount, showNews: show };
}

/** Rows of one list that are not in the same place in the other; a row pushed down by another has not moved. */
function differences(before: readonly { id: string }[], after: readonly { id: string }[]): number {
  const idsBefore = before.map((row) => row.id);
  const idsAfter = after.map((row) => row.id);
  const came = idsAfter.filter((id) => !idsBefore.includes(id));
  const left = idsBefore.filter((id) => !idsAfter.includes(id));
  const stayedBefore = idsBefore.filter((id) => idsAfter.includes(id));
  const stayedAfter = idsAfter.filter((id) => idsBefore.includes(id));
  const moved = stayedAfter.filter((id, index) => id !== stayedBefore[index]);
  // A page holds so many rows: one that comes pushes one out, which is no news of its own.
  return Math.max(came.length, left.length) + (moved.length > 0 ? 1 : 0);
}
