import type { SupabaseClient, User } from '@supabase/supabase-js';
import { publicConfig } from './public-config.ts';

/** Where this browser keeps the session. */
export const sessionKey = 'parrain-session';

/** The official client, made once from the server's own configuration: `const client = await supabase()`. */
export function supabase(): Promise<SupabaseClient> {
  // The client's code comes by itself, after the first paint: a form can be filled while it arrives.
  made ??= Promise.all([publicConfig(), import('@supabase/supabase-js')]).then(
    ([{ publishableKey }, { createClient }]) => {
      // The server answers under the name that served this page, whatever other name it knows for itself.
      const client = createClient(window.location.origin, publishableKey, {
        auth: {
          storageKey: sessionKey,
          persistSession: true,
          autoRefreshToken: true,
          // PKCE: a provider's code is of use to this browser alone, which keeps the verifier.
          flowType: 'pkce',
          // An address opens nothing by itself: the callback page reads it (api/account/arrival).
          detectSessionInUrl: false,
          // Recovery codes, for a person who lost their second step.
          experimental: { recoveryCodes: true },
        },
        global: { fetch: fetchOrKnown },
        // RT-02.
        realtime: { timeout: 10_000, heartbeatIntervalMs: 25_000, reconnectAfterMs },
      });
      // The queries retry with backoff (query-client): retries here too would hide a failure for half a minute.
      client['rest'].retry = false;
      return client;
    },
  );
  made.catch(() => {
    // A server that was down may be back at the next call: the failure is not kept.
    made = undefined;
  });
  return made;
}

let made: Promise<SupabaseClient> | undefined;

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

const reconnectDelaysMs = [1_000, 2_000, 5_000, 10_000] as const;

function reconnectAfterMs(tries: number): number {
  return reconnectDelaysMs[tries - 1] ?? 10_000;
}
