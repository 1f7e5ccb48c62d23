import type { Session, User } from '@supabase/supabase-js';
import type { AuthClient, Client } from './official-client.ts';
import { keptByOwnClock } from './own-clock.ts';
import { publicConfig } from './public-config.ts';

/** Storage key of this browser's session. */
export const sessionKey = 'parrain-session';
/** Key of the address that a view leads back to; it outlives the view's session. */
export const backKey = 'parrain-back';

/**
 * True while this page shows another's screen (UI-15), by a session that its tab alone keeps. Known once: a view begins and ends with a
 * page.
 */
export const isView = seesAnother();

function seesAnother(): boolean {
  try {
    return /^\/c(?:lient|ommercial)\//u.test(location.pathname) && sessionStorage.getItem(sessionKey) !== null;
  } catch {
    // No window, or no right to keep anything.
    return false;
  }
}

/** A view that is left, or over, leads back to the admin's screen from which it was opened. */
export function leaveView(): void {
  const back = sessionStorage.getItem(backKey);
  sessionStorage.removeItem(sessionKey);
  location.assign(back ?? '/admin/dashboard');
}

/** The official client's parts, made once from the server's own configuration: `const client = await supabase()`. */
export function supabase(): Promise<Client> {
  // Their code comes by itself, after the first paint: a form can be filled while it arrives.
  made ??= Promise.all([publicConfig(), import('./official-client.ts')]).then(([{ publishableKey }, { makeClient }]) =>
    // The server answers under the name that served this page, whatever other name it knows for itself.
    makeClient({
      origin: window.location.origin,
      publishableKey,
      storageKey: sessionKey,
      storage: isView ? sessionStorage : keptByOwnClock,
      renews: !isView,
      fetch: fetchOrKnown,
      freshSession,
    }),
  );
  made.catch(() => {
    // A server that was down may be back at the next call: the failure is not kept.
    made = undefined;
  });
  return made;
}

let made: Promise<Client> | undefined;

/** The official client of sessions. */
export async function sessions(): Promise<AuthClient> {
  return (await supabase()).auth();
}

/** Session that this browser keeps; undefined for none, or one that cannot be read. */
export function keptSession(): Session | undefined {
  try {
    const session = JSON.parse(
      (isView ? sessionStorage : localStorage).getItem(sessionKey) ?? 'null',
    ) as Session | null;
    return session ?? undefined;
  } catch {
    return undefined;
  }
}

/** The official client renews a session this long before its end. */
const renewalMs = 90_000;

/** The kept session, where it needs no renewal: requests may carry its token before the client of sessions has come. */
export function freshSession(): Session | undefined {
  const session = keptSession();
  const isWhole = Boolean(session?.access_token && session.refresh_token && session.user && session.expires_at);
  return session && isWhole && (session.expires_at ?? 0) * 1000 - Date.now() > renewalMs ? session : undefined;
}

/** The user of an access token that was just answered: `setSession` asks the server for it again, and gets this one, once. */
let known: { token: string; user: User } | undefined;

/** Spares the client's next `setSession` with this token its request for the user. */
export function userIsKnown(token: string, user: User): void {
  known = { token, user };
}

/** The client's way to the server; it answers from memory what the server has just said. */
async function fetchOrKnown(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  if (known !== undefined && isUserRequest(input, init, known.token)) {
    const { user } = known;
    known = undefined;
    return Response.json(user);
  }
  return fetch(input, init);
}

function isUserRequest(input: RequestInfo | URL, init: RequestInit | undefined, token: string): boolean {
  return (
    init?.method === 'GET' &&
    input === `${window.location.origin}/auth/v1/user` &&
    new Headers(init.headers).get('authorization') === `Bearer ${token}`
  );
}
