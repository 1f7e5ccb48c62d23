/**
 * Finds the control that takes the focus in what has opened: the part that it was opened for (`data-sought`), else the first control of its
 * content (of radio buttons the chosen one), else the sheet itself, which is then read aloud; never the cross that closes it. A finger gets
 * no keyboard on its screen.
 */
export function firstControl(sheet: HTMLElement | null, openedBy: string): HTMLElement | true {
  const sought = sheet?.querySelector<HTMLElement>('[data-sought]');
  if (sought) return sought;
  if (sheet === null || openedBy === 'touch') return sheet ?? true;
  const first = sheet
    .querySelector('[data-content]')
    ?.querySelector<HTMLElement>(
      'input:not(:disabled, [type="hidden"]), select, textarea, button:not(:disabled), a[href], [tabindex="0"]',
    );
  if (first instanceof HTMLInputElement && first.type === 'radio') {
    return sheet.querySelector<HTMLElement>(`input[name="${CSS.escape(first.name)}"]:checked`) ?? first;
  }
  return first ?? sheet;
}
