import { useSyncExternalStore } from 'react';

/** State of the connection that tells of changes: not asked for yet, open, or cut off. */
export type Connection = 'idle' | 'live' | 'lost';

let connection: Connection = 'idle';
let isReachable = true;
const listeners = new Set<() => void>();

/** True while changes are pushed; else lists have to poll. */
export function isConnected(): boolean {
  return connection === 'live';
}

export function setConnection(next: Connection): void {
  if (next === connection) return;
  connection = next;
  tell();
}

/** True while the server answers over HTTP: a proxy may refuse WebSockets and nothing else. */
export function setReachable(next: boolean): void {
  if (next === isReachable) return;
  isReachable = next;
  tell();
}

/** RT-02: whether the page is cut off from the server, and so may show old rows. */
export function useOffline(): boolean {
  return useSyncExternalStore(subscribe, isOffline, () => false);
}

function isOffline(): boolean {
  return !navigator.onLine || (connection === 'lost' && !isReachable);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

function tell(): void {
  for (const listener of listeners) listener();
}
