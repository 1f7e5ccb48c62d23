import { useSyncExternalStore } from 'react';

/** A choice of this browser, kept in its local storage and shared by everything on the page that reads it; null where none was made. */
export function useStored(key: string): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readStored(key),
    () => null,
  );
  return [value, (next) => keep(key, next)];
}

const listeners = new Set<() => void>();
/** Choices that a browser without storage would forget at once. */
const unkept = new Map<string, string | null>();

/** The same, at this instant. */
export function readStored(key: string): string | null {
  const own = unkept.get(key);
  if (own !== undefined) return own;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    unkept.delete(key);
  } catch {
    unkept.set(key, value);
  }
  for (const listener of listeners) listener();
}
