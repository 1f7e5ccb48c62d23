import { useSyncExternalStore } from 'react';

/** False in the picture that was written at build time, and while React takes it over; true from then on. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}

function neverChanges(): () => void {
  return () => undefined;
}
