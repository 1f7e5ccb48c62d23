import { claimsOf } from './claims.ts';

/**
 * Storage of the session, whose end is told by this computer's own clock: the server's end of a token means nothing to a clock that is an
 * hour slow or ahead (DF-35). A token lives as long as it says from the moment it came.
 */
export const keptByOwnClock = {
  getItem: (key: string): string | null => localStorage.getItem(key),
  setItem: (key: string, value: string): void =>
    localStorage.setItem(key, byOwnClock(value, localStorage.getItem(key))),
  removeItem: (key: string): void => localStorage.removeItem(key),
};

interface Kept {
  access_token?: unknown;
  expires_at?: unknown;
}

/** A session as it is written, with the end that it had where its token was kept before. */
export function byOwnClock(written: string, before: string | null, now = Date.now()): string {
  const session = readKept(written);
  if (typeof session?.access_token !== 'string') return written;
  const kept = readKept(before);
  const { iat, exp } = claimsOf(session.access_token) ?? {};
  if (typeof iat !== 'number' || typeof exp !== 'number') return written;
  const isSame = kept?.access_token === session.access_token && typeof kept.expires_at === 'number';
  return JSON.stringify({ ...session, expires_at: isSame ? kept.expires_at : Math.floor(now / 1000) + exp - iat });
}

function readKept(text: string | null): Kept | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
