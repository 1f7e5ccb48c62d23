import type { Role } from '@parrain/domain/role';
import { Search } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isView } from '#api/transport/client';
import { lettersAreOn } from '#ui/letters';
import { registry, type Action } from './actions.tsx';
import { openDialog, over } from './over.ts';
import type { Section, SectionProps } from './sections.ts';
import { useKeptFocus } from './use-kept-focus.ts';
import { useSessionEnd } from './use-session-end.ts';
import { lazyPart } from '#ui/lazy-part';

const Palette = lazyPart(async () => ({ default: (await import('./palette.tsx')).Palette }));
const ViewBar = lazyPart(() => import('./view-bar.tsx'));
const ShortcutsDialog = lazyPart(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }));

export interface HandsProps {
  role: Role;
  sections: readonly Section[];
  actions: readonly Action[];
  /** The section on screen. */
  current: string;
  openSection: SectionProps['openSection'];
}

/** Layer that the keyboard, or the button, has opened over the dashboard. */
export type Shown = 'palette' | 'shortcuts' | undefined;

/** The keyboard of a dashboard, the header's « Rechercher », and what they open: palette and list of shortcuts (NV-03, NV-10). */
export function Hands(props: HandsProps) {
  const { t } = useTranslation();
  const { sections, actions, current, openSection } = props;
  const [shown, onShow] = useState<Shown>();
  // Another section is on screen: an action that waited for its own is forgotten.
  useEffect(() => {
    if (registry.awaited?.section !== current) registry.awaited = undefined;
  }, [current]);
  // Here, where the code comes after the page's first figures.
  useSessionEnd();
  useKeptFocus();
  usePaletteKeys(() => onShow('palette'));
  useLetters({ sections, openSection, onShow });
  return (
    <>
      <button
        type="button"
        aria-label={t('Rechercher partout')}
        aria-keyshortcuts="Control+K Meta+K"
        title={t('Rechercher partout (Ctrl K)')}
        onClick={() => onShow('palette')}
        className="inline-flex h-9 shrink-0 items-center gap-2 rounded-field border border-edge/60 px-2.5 text-encre-soft transition-colors duration-120 hover:bg-well hover:text-encre max-lg:size-9 max-lg:justify-center max-lg:border-transparent max-lg:px-0 max-sm:size-11"
      >
        <Search aria-hidden className="size-4.5 shrink-0" />
        <span className="text-sm max-lg:hidden">{t('Rechercher')}</span>
        {/* Drawn, not written: the button's name is its word. */}
        <kbd
          aria-hidden
          data-keys={isApple() ? '⌘ K' : 'Ctrl K'}
          className="rounded-[6px] bg-well px-1.5 font-sans text-xs/5 text-encre-faint max-lg:hidden after:content-[attr(data-keys)]"
        />
      </button>
      {isView && <ViewBar />}
      {shown === 'palette' && <Palette {...props} onClose={() => onShow(undefined)} onShow={onShow} />}
      {shown === 'shortcuts' && (
        <ShortcutsDialog sections={sections} actions={actions} onClose={() => onShow(undefined)} />
      )}
    </>
  );
}

function isApple(): boolean {
  return typeof navigator !== 'undefined' && /Mac|iP(?:hone|ad)/u.test(navigator.userAgent);
}

/** Ctrl K, or ⌘ K, wherever the focus is; a dialog that asks for an answer gets it first, a panel is a place to search from. */
function usePaletteKeys(open: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return;
    // The browser's own: its address bar.
    event.preventDefault();
    if (document.querySelector(`${openDialog}:not([data-side-panel])`) === null) open();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

type LettersProps = Pick<HandsProps, 'sections' | 'openSection'> & { onShow: (shown: Shown) => void };

/**
 * The shortcuts of one letter: silent while something is typed, under a dialog, with a modifier, and where they are
 * switched off (WCAG 2.1.4). Under a panel only its own actions hear them.
 */
function useLetters({ sections, openSection, onShow }: LettersProps): void {
  const wentToG = useRef(false);
  const letterHeard = (key: string, isAfterG: boolean, isPanelOpen: boolean): (() => void) | undefined => {
    if (!isPanelOpen && isAfterG) {
      const section = sections.find(({ letter }) => letter === key);
      return section && (() => openSection(section.id));
    }
    const action = registry.ready.findLast(
      ({ letter, section }) => letter === key && (!isPanelOpen || section === undefined),
    );
    if (action) return action.run;
    if (isPanelOpen) return undefined;
    switch (key) {
      case 'g':
        return () => {
          wentToG.current = true;
        };
      case '?':
        return () => onShow('shortcuts');
      case '/':
        return () => {
          const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
          if (search) search.focus();
          else onShow('palette');
        };
      case 'j':
        return () => stepRow(1);
      case 'k':
        return () => stepRow(-1);
      case 's':
        return () => document.querySelector<HTMLElement>('[data-selection] button:enabled')?.focus();
      default:
        return undefined;
    }
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isAfterG = wentToG.current;
    wentToG.current = false;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!lettersAreOn() || isTyping(event.target)) return;
    const inFront = document.querySelector(over);
    if (inFront !== null && !inFront.matches('[data-side-panel]')) return;
    const heard = letterHeard(event.key, isAfterG, inFront !== null);
    if (heard === undefined) return;
    event.preventDefault();
    heard();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** The focus goes to the next row of a list on screen, or the one before; to the first one from elsewhere. */
function stepRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody tr, main ul > li')].flatMap((row) => {
    const opener = row.querySelector<HTMLElement>('[data-row]');
    return opener === null ? [] : [{ row, opener }];
  });
  const at = rows.findIndex(({ row }) => row.contains(document.activeElement));
  const next = at === -1 ? rows[0] : rows[at + step];
  next?.opener.focus();
  next?.row.scrollIntoView({ block: 'nearest' });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]') !== null
  );
}
