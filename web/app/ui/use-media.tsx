import { useSyncExternalStore } from 'react';

/** Last answer of each query on screen: paper is narrow, and gets what the window shows. */
const onScreen = new Map<string, boolean>();

function matches(media: string): boolean {
  const printed = window.matchMedia('print').matches ? onScreen.get(media) : undefined;
  if (printed !== undefined) return printed;
  const isMatch = window.matchMedia(media).matches;
  onScreen.set(media, isMatch);
  return isMatch;
}

/** Under the breakpoint « sm ». */
export const phoneQuery = '(max-width: 639.98px)';

/** Under the breakpoint « wide » of styles/app.css. */
export const narrowQuery = '(max-width: 899.98px)';

/** True while the media query holds; false where a page is written ahead. */
export function useMedia(media: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const query = window.matchMedia(media);
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
    () => matches(media),
    () => false,
  );
}
