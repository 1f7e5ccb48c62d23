import { useSyncExternalStore } from 'react';

/** True while the media query holds; false where a page is written ahead. */
export function useMedia(media: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const query = window.matchMedia(media);
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
    () => window.matchMedia(media).matches,
    () => false,
  );
}
