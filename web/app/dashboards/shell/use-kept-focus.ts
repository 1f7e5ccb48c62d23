import { useEffect } from 'react';
import { over } from './over.ts';

/**
 * The focus is never lost. Where the control that had it is gone (its row was decided, its dialog is closed), it goes back to what
 * opened the dialog, else to the row that stands in its place now, else to the section's title: the browser would leave it on the
 * page's body, and the keyboard would start over at the top.
 */
export function useKeptFocus(): void {
  // The focus is the document's, outside React.
  useEffect(() => {
    let last: HTMLElement | undefined;
    let place: Place | undefined;
    let frame = 0;
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      last = target;
      if (target.closest(`${over}, [aria-modal="false"]`) === null) place = placeOf(target);
    };
    const look = () => {
      // A press beside every control leaves the focus nowhere, and its last holder where it was: that is meant.
      if (last === undefined || isThere(last)) return;
      // The browser takes the focus from a hidden control after this frame, and says so to nobody.
      const active = document.activeElement;
      if (active !== document.body && active !== last && active !== null) return;
      if (place === undefined || document.querySelector(over) !== null) return;
      const next = isThere(place.element) ? place.element : standIn(place);
      next?.focus({ preventScroll: true });
      next?.scrollIntoView({ block: 'nearest' });
    };
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    });
    document.addEventListener('focusin', note);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['class'] });
    return () => {
      document.removeEventListener('focusin', note);
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, []);
}

const controls = ':is(a[href], button, input, select, textarea):not(:disabled, [tabindex="-1"])';

/** A control of the page, and where it stands: the row of a list, and its place there. */
interface Place {
  element: HTMLElement;
  row: Element | null;
  list: Element | null;
  rowAt: number;
  controlAt: number;
}

function placeOf(element: HTMLElement): Place {
  const row = element.closest('main :is(tr, li)');
  const list = row?.parentElement ?? null;
  return {
    element,
    row,
    list,
    rowAt: row === null || list === null ? -1 : [...list.children].indexOf(row),
    controlAt: row === null ? -1 : controlsOf(row).indexOf(element),
  };
}

function standIn({ element, row, list, rowAt, controlAt }: Place): HTMLElement | null {
  const rows = list?.isConnected === true ? [...list.children] : [];
  const there = row?.isConnected === true ? row : (rows[rowAt] ?? rows.at(-1));
  if (there !== undefined) {
    const inRow = controlsOf(there);
    const same = inRow[controlAt];
    // The same button of another row, but no other button in its place.
    if (same !== undefined && wordOf(same) === wordOf(element)) return same;
    const next = there.querySelector<HTMLElement>('[data-row]') ?? inRow[0];
    if (next !== undefined) return next;
  }
  const title = document.querySelector<HTMLElement>('main h2');
  title?.setAttribute('tabindex', '-1');
  return title;
}

function controlsOf(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(controls)];
}

/** « Valider » of « Valider le contrat de Léa Martin ». */
function wordOf(control: HTMLElement): string | undefined {
  return (control.getAttribute('aria-label') ?? control.innerText).split(' ')[0];
}

function isThere(element: HTMLElement): boolean {
  return element.getClientRects().length > 0;
}
