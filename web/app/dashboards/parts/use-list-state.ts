import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { SectionProps } from '../shell/sections.ts';

export interface ListState {
  /** One of the list's settings as kept in the history entry: « statut », « tri »… */
  get: (key: string) => string | undefined;
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
  closeRow: () => void;
}

const searchDelayMs = 250;

/** The search, filters, sort, page and open row of a section's list, kept in the history entry: Back and reload restore them (AD-07). */
export function useListState(
  sectionId: string,
  { detail, openSection }: Pick<SectionProps, 'detail' | 'openSection'>,
): ListState {
  const navigate = useNavigate();
  const search = detail['recherche'] ?? '';
  const [typed, setTyped] = useState(search);
  const [sent, setSent] = useState(search);
  // Back, or a click on the section's name in the menu, changes the search from outside: the box follows.
  if (search !== sent) {
    setSent(search);
    if (typed.trim() !== search) setTyped(search);
  }
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A timer's change must start from the newest settings, not from those of the render it was set in.
  const latest = useRef(detail);
  const openedHere = useRef(false);
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
  return {
    get: (key) => detail[key],
    set: (changes) => change({ ...changes, page: undefined }, { replace: true }),
    page: detail['page'] ?? '',
    setPage: (mark) => change({ page: mark }, { replace: true, keepScroll: false }),
    typed,
    setTyped: (text) => {
      setTyped(text);
      clearTimeout(waiting.current);
      waiting.current = setTimeout(
        () => {
          setSent(text.trim());
          change({ recherche: text.trim(), page: undefined }, { replace: true });
        },
        text === '' ? 0 : searchDelayMs,
      );
    },
    search,
    openId: detail['ouvert'],
    openRow: (id) => {
      // From one row's panel to another's it stays one entry: closing leads back to the list.
      if (detail['ouvert'] !== undefined) return change({ ouvert: id }, { replace: true });
      openedHere.current = true;
      change({ ouvert: id }, { keepScroll: true });
    },
    closeRow: () => {
      if (openedHere.current) {
        openedHere.current = false;
        void navigate(-1);
      } else change({ ouvert: undefined }, { replace: true });
    },
  };
}
