import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Section, SectionProps } from './sections.ts';

/**
 * Store of a dashboard's place: the address (the admin's and the client's, NV-01), or the history entry alone (the commercial's, whose
 * address does not change, CO-01). Back and reload restore both, and an address opened anew leads to its place in both.
 */
export type PlaceStore = 'address' | 'entry';

interface Place {
  /** The section's id; undefined where nothing names one. */
  section: string | undefined;
  detail: Readonly<Record<string, string>>;
}

/**
 * The section on screen and its props, which stay the same until the place changes: the router draws a dashboard anew at each step of
 * a navigation. Where no section is named it is the first.
 */
export function useSection(sections: readonly Section[], store: PlaceStore) {
  const location = useLocation();
  const { pathname } = location;
  const navigate = useNavigate();
  // The same settings stay the same object: a section tells by it that its address has changed.
  const addressed = useMemo(() => readAddress(location.search), [location.search]);
  const place = store === 'address' || addressed.section !== undefined ? addressed : readEntry(location.state);
  const arrive = useEffectEvent(() => {
    void navigate(
      { pathname: location.pathname },
      { state: { section: addressed.section, detail: addressed.detail }, replace: true, preventScrollReset: true },
    );
  });
  // The link of a mail names a place: this dashboard takes it into its history entry, and shows its one address.
  useEffect(() => {
    if (store === 'entry' && addressed.section !== undefined) arrive();
  }, [store, addressed.section]);
  const [first] = sections;
  if (!first) throw new Error('A dashboard has at least one section');
  const known = sections.find((section) => section.id === place.section);
  const { detail } = place;
  // For the callbacks, which stay the same: a press on the section that is open draws nothing.
  const here = useRef(location);
  useLayoutEffect(() => {
    here.current = location;
  }, [location]);
  const hrefOf = useCallback<SectionProps['hrefOf']>(
    (id, settings = noDetail) => pathname + searchOf(id, settings),
    [pathname],
  );
  const openSection = useCallback<SectionProps['openSection']>(
    (id, settings = noDetail, { replace = false, keepScroll = replace } = {}) => {
      const { pathname: path, search, state } = here.current;
      const isInAddress = store === 'address';
      // A replaced entry has the same one before it.
      const before = replace && !returnsTo(state) ? null : arrived;
      void navigate(
        { pathname: path, search: isInAddress ? searchOf(id, settings) : search },
        {
          state: isInAddress ? before : { section: id, detail: settings, ...before },
          replace,
          preventScrollReset: keepScroll,
        },
      );
    },
    [store, navigate],
  );
  const leftKey = useRef<string>(undefined);
  const stepBack = useCallback<SectionProps['stepBack']>(() => {
    const { key, state } = here.current;
    if (!returnsTo(state)) return false;
    // One step, however often « Escape » is pressed before it is done.
    if (leftKey.current !== key) void navigate(-1);
    leftKey.current = key;
    return true;
  }, [navigate]);
  return {
    current: known ?? first,
    /** The address names a section that this dashboard does not have. */
    isUnknown: place.section !== undefined && known === undefined,
    parts: useMemo(
      (): SectionProps => ({ openSection, hrefOf, stepBack, detail }),
      [openSection, hrefOf, stepBack, detail],
    ),
  };
}

/** The state of a history entry that was pushed from within the dashboard: one step back is the place it was opened from. */
export const arrived = { returns: true } as const;

/** True where closing a record may lead back to the place it was opened from, which is one step back. */
function returnsTo(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'returns' in state && state.returns === true;
}

const sectionKey = 'section';
const noDetail: Readonly<Record<string, string>> = {};

function searchOf(id: string, detail: Readonly<Record<string, string>>): string {
  return `?${new URLSearchParams({ [sectionKey]: id, ...detail })}`;
}

function readAddress(search: string): Place {
  const { [sectionKey]: section, ...detail } = Object.fromEntries(new URLSearchParams(search));
  return { section, detail: section === undefined ? noDetail : detail };
}

function readEntry(state: unknown): Place {
  if (typeof state !== 'object' || state === null || !('section' in state) || typeof state.section !== 'string')
    return { section: undefined, detail: noDetail };
  const detail =
    'detail' in state && typeof state.detail === 'object' && state.detail !== null ? state.detail : noDetail;
  return { section: state.section, detail: detail as Readonly<Record<string, string>> };
}
