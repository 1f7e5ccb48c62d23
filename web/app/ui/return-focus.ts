import { useRef } from 'react';

/**
 * The place of the focus once a dialog closes. What opened it has it again; where that is gone, or the panel under the dialog shows
 * another record by now, the panel's title has it: never a button of another record, nor the page behind the panel (DF-82).
 */
export function useReturnFocus() {
  const opened = useRef<{ by: Element | null; over: string | undefined }>(undefined);
  return {
    note: () => {
      opened.current = { by: document.activeElement, over: titleOfPanel()?.textContent };
    },
    finalFocus: () => {
      const title = titleOfPanel();
      const { by, over } = opened.current ?? {};
      if (title === null || over === undefined) return true;
      const isBack = over === title.textContent && by?.isConnected === true && !by.matches(':disabled');
      return isBack ? true : title;
    },
  };
}

function titleOfPanel(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-side-panel] h2');
}
