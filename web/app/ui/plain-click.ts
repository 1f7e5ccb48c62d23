import type { MouseEvent } from 'react';

/** A click that asks for nothing but to follow the link here: not for a new tab, a new window or a download. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
