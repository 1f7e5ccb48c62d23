import { useEffect, useRef, useState } from 'react';
import type { SectionProps } from '../shell/sections.ts';
import { useAhead } from './use-ahead.ts';

export interface ListState {
  /** One of the list's settings: « statut », « tri »… */
  get: (key: string) => string | undefined;
  /** Instant at which the list was opened: its period, « periode », is as of then. */
  openedAt: Date;
  /** Changes settings; undefined or an empty text forgets one. Leads back to the first page. */
  set: (changes: Readonly<Record<string, string | undefined>>) => void;
  /** The mark of the page on screen. */
  page: string;
  setPage: (mark: string) => void;
  /** The text of the search box, at each keystroke. */
  typed: string;
  setTyped: (text: string) => void;
  /** The debounced text of the search box: the server is asked for this one. */
  search: string;
  /** The row whose panel is open. Opening adds a history entry: Back closes the panel. */
  openId: string | undefined;
  openRow: (id: string) => void;
  /** The address of the list with a row's panel open; undefined where the address does not tell. */
  hrefOf: (id: string) => string;
  closeRow: () => void;
  /** The section, all of the list's settings, and a way to others: those of a view (NV-05). The page and the open row are not among them. */
  sectionId: string;
  settings: Readonly<Record<string, string>>;
  openSettings: (settings: Readonly<Record<string, string>>) => void;
  /** The columns left out, where the list's settings say them; else this browser remembers them. */
  hiddenColumns: { ids: ReadonlySet<string>; set: (ids: Iterable<string>) => void } | undefined;
}

/** Nothing is there and nothing is looked for: a search box, a period or an export would have nothing to work on. */
export function isBare(
  { typed, search }: Pick<ListState, 'typed' | 'search'>,
  { data, isPlaceholderData }: { data: { rowCount: number } | undefined; isPlaceholderData: boolean },
): boolean {
  return typed === '' && search === '' && !isPlaceholderData && data?.rowCount === 0;
}

/** Those of a list's settings that narrow it: how many are set, and a way out of them all, the search too. */
export function filtersOf(
  { get, set, setTyped }: Pick<ListState, 'get' | 'set' | 'setTyped'>,
  keys: readonly string[],
): { count: number; clear: () => void } {
  return {
    count: keys.filter((key) => get(key) !== undefined).length,
    clear: () => {
      setTyped('');
      set(Object.fromEntries([...keys, 'recherche'].map((key) => [key, undefined])));
    },
  };
}

/** The setting of the columns that are left out; `allColumns` leaves none out. */
export const columnsKey = 'sans';
export const allColumns = 'rien';

const searchDelayMs = 250;

/**
 * The search, filters, sort, page and open row of a section's list, kept in the address or the history entry: Back, reload
 * and a link restore them (AD-07, NV-01). `record` is the word that names the open row there: « vente ».
 */
export function useListState(
  sectionId: string,
  { detail, openSection, hrefOf, stepBack }: SectionProps,
  record = 'ouvert',
): ListState {
  const [openedAt] = useState(() => new Date());
  const search = detail['recherche'] ?? '';
  const { typed, setTyped, noteSent } = useAhead(search);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A timer's change must start from the newest settings, not from those of the render it was set in.
  const latest = useRef(detail);
  useEffect(() => {
    latest.current = detail;
  }, [detail]);
  useEffect(() => () => clearTimeout(waiting.current), []);

  const change = (
    changes: Readonly<Record<string, string | undefined>>,
    options: Parameters<SectionProps['openSection']>[2],
  ) => {
    const next: Record<string, string> = {};
    for (const [key, value] of Object.entries({ ...latest.current, ...changes })) {
      if (value !== undefined && value !== '') next[key] = value;
    }
    latest.current = next;
    openSection(sectionId, next, options);
  };
  const { page: _page, [record]: _open, ...settings } = detail;
  const hidden = detail[columnsKey];
  return {
    sectionId,
    settings,
    openSettings: (next) => openSection(sectionId, next),
    hiddenColumns:
      hidden === undefined
        ? undefined
        : {
            ids: new Set(hidden === allColumns ? [] : hidden.split(' ')),
            set: (ids) => change({ [columnsKey]: [...ids].toSorted().join(' ') || allColumns }, { replace: true }),
          },
    get: (key) => detail[key],
    openedAt,
    set: (changes) => change({ ...changes, page: undefined }, { replace: true }),
    page: detail['page'] ?? '',
    setPage: (mark) => change({ page: mark }, { replace: true, keepScroll: false }),
    typed,
    setTyped: (text) => {
      setTyped(text);
      clearTimeout(waiting.current);
      waiting.current = setTimeout(
        () => {
          noteSent(text.trim());
          change({ recherche: text.trim(), page: undefined }, { replace: true });
        },
        text === '' ? 0 : searchDelayMs,
      );
    },
    search,
    openId: detail[record],
    hrefOf: (id) => hrefOf(sectionId, { ...detail, [record]: id }),
    openRow: (id) => {
      // From one row's panel to another's it stays one entry: closing leads back to the list.
      if (detail[record] !== undefined) return change({ [record]: id }, { replace: true });
      change({ [record]: id }, { keepScroll: true });
    },
    // Back to where the row was opened: this list, another one, a person's panel.
    closeRow: () => {
      if (!stepBack()) change({ [record]: undefined }, { replace: true });
    },
  };
}
