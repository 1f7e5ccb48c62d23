import { useQueryClient, type FetchQueryOptions } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { whenIdle } from '#api/transport/idle';
import type { Section } from './sections.ts';

/**
 * The queries that a section opens with, by its id: their keys are those of its screen, so that they are asked once.
 * A section without an entry asks once it is open.
 */
export type FirstRows = Readonly<Record<string, (profileId: string) => readonly FirstQuery[]>>;

// Each of its own rows; the cache alone holds them all.
// oxlint-disable-next-line typescript/no-explicit-any -- the parameters of a query stand in both directions
type FirstQuery = FetchQueryOptions<any, any, any, any>;

export interface AheadOptions {
  sections: readonly Section[];
  profileId: string;
  loadFirstRows: () => Promise<{ firstRows: FirstRows }>;
}

/**
 * Fetches the sections' code, one after the other, once the first one stands and the browser is idle. Gives what to do when
 * the pointer comes to a section's word: its code and its rows are asked for at once (R-01).
 */
export function useAhead({ sections, profileId, loadFirstRows }: AheadOptions): (id: string) => void {
  const queryClient = useQueryClient();
  const known = useRef<FirstRows>(undefined);
  // The browser's idle time is outside React.
  useEffect(() => {
    const loadQueries = async () => {
      known.current = (await loadFirstRows()).firstRows;
    };
    return fetchWhenIdle([loadQueries, ...sections.map(({ screen }) => screen.load)]);
  }, [sections, loadFirstRows]);
  return (id) => {
    const section = sections.find((candidate) => candidate.id === id);
    if (section === undefined || !navigator.onLine) return;
    section.screen.load().catch(failed);
    const fetchRows = (firstRows: FirstRows) => {
      for (const query of firstRows[id]?.(profileId) ?? []) void queryClient.prefetchQuery(query);
    };
    // Code that is there is not looked for again: an import gives it a task later, and a press may come before.
    if (known.current !== undefined) fetchRows(known.current);
    else
      loadFirstRows().then(({ firstRows }) => {
        known.current = firstRows;
        fetchRows(firstRows);
      }, failed);
  };
}

/** One at a time, so that a press in between waits for one file at most. Gives the way to stop. */
function fetchWhenIdle(loads: readonly (() => Promise<unknown>)[]): () => void {
  if (savesData()) return () => undefined;
  let stop: (() => void) | undefined;
  let isStopped = false;
  const next = (index: number) => {
    const load = loads[index];
    if (load === undefined || isStopped) return;
    stop = whenIdle(() => {
      load().then(
        () => next(index + 1),
        // The next attempt is the person's own: #ui/lazy-part.
        failed,
      );
    });
  };
  next(0);
  return () => {
    isStopped = true;
    stop?.();
  };
}

/** Ignores a failed prefetch: what did not come is asked for again where it is needed, and its failure said there. */
function failed(): void {}

/** The person asked their browser for as little traffic as can be. */
function savesData(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true;
}
