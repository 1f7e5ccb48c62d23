import { useLocation, useNavigate } from 'react-router';
import type { OpenSectionOptions, Section } from './sections.ts';

interface SectionEntry {
  section: string;
  detail: Readonly<Record<string, string>>;
}

/**
 * The section on screen, kept in the history entry's state (CO-01): the URL does not change, Back and reload work.
 * An unknown or absent entry is the first section.
 */
export function useSection(sections: readonly Section[]) {
  const location = useLocation();
  const navigate = useNavigate();
  const entry = readEntry(location.state);
  const [first] = sections;
  if (!first) throw new Error('A dashboard has at least one section');
  return {
    current: sections.find((section) => section.id === entry?.section) ?? first,
    detail: entry?.detail ?? noDetail,
    openSection: (
      id: string,
      detail: Readonly<Record<string, string>> = noDetail,
      { replace = false, keepScroll = replace }: OpenSectionOptions = {},
    ) => {
      const next: SectionEntry = { section: id, detail };
      void navigate(
        { pathname: location.pathname, search: location.search },
        { state: next, replace, preventScrollReset: keepScroll },
      );
    },
  };
}

const noDetail: Readonly<Record<string, string>> = {};

function readEntry(state: unknown): SectionEntry | undefined {
  if (typeof state !== 'object' || state === null || !('section' in state) || typeof state.section !== 'string')
    return undefined;
  const detail =
    'detail' in state && typeof state.detail === 'object' && state.detail !== null ? state.detail : noDetail;
  return { section: state.section, detail: detail as Readonly<Record<string, string>> };
}
