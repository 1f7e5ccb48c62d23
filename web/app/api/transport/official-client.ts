import type { AuthClient as AuthClientClass, SupportedStorage } from '@supabase/auth-js';
import { FunctionsClient } from '@supabase/functions-js';
import { PostgrestClient } from '@supabase/postgrest-js';
import type { RealtimeClient } from '@supabase/realtime-js';
import type { Session, SupabaseClient } from '@supabase/supabase-js';

// The parts that `createClient` of supabase-js puts together, each brought when it is needed: the tables and functions at once,
// authentication and pushed changes after the first screen, storage never. A quarter of its code is on a first load.

export type AuthClient = InstanceType<typeof AuthClientClass>;

export interface Client extends Pick<SupabaseClient, 'from' | 'rpc' | 'functions'> {
  /** Asks an address of the server as the person who is signed in. */
  fetch: typeof fetch;
  /** The client of sessions, which keeps this browser's one and renews it. */
  auth: () => Promise<AuthClient>;
  /** The client of pushed changes. */
  realtime: () => Promise<RealtimeClient>;
}

interface Settings {
  origin: string;
  publishableKey: string;
  /** Key under which `storage` keeps the session. */
  storageKey: string;
  storage: SupportedStorage;
  /** True when the session is renewed; that of another's screen ends. */
  renews: boolean;
  fetch: typeof fetch;
  /** The session that this browser keeps, where it needs no renewal yet. */
  freshSession: () => Session | undefined;
}

/** The official client's parts, tied together as `createClient` ties them. */
export function makeClient({
  origin,
  publishableKey,
  storageKey,
  storage,
  renews,
  fetch,
  freshSession,
}: Settings): Client {
  const auth = once(async () => {
    const code = await import('@supabase/auth-js');
    // The client tells each event to the tabs that keep a session under the same name: another's screen stays in its own (UI-15).
    const name = renews ? storageKey : `${storageKey}-${Math.random()}`;
    const kept = (key: string) => key.replace(name, storageKey);
    return new code.AuthClient({
      url: `${origin}/auth/v1`,
      headers: { apikey: publishableKey, Authorization: `Bearer ${publishableKey}` },
      storageKey: name,
      storage: {
        getItem: (key) => storage.getItem(kept(key)),
        setItem: (key, value) => storage.setItem(kept(key), value),
        removeItem: (key) => storage.removeItem(kept(key)),
      },
      persistSession: true,
      autoRefreshToken: renews,
      // PKCE: a provider's code is of use to this browser alone, which keeps the verifier.
      flowType: 'pkce',
      // An address opens nothing by itself: the callback page reads it (api/account/arrival).
      detectSessionInUrl: false,
      // Recovery codes, for a person who lost their second step.
      experimental: { recoveryCodes: true },
      fetch,
    });
  });

  const sessionToken = async () => {
    const session = freshSession() ?? (await (await auth()).getSession()).data.session;
    return session?.access_token;
  };

  /** Each request says who asks: the session where there is one. Where its token is over, it is renewed once, and asked again. */
  const withIdentity = async (input: RequestInfo | URL, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    headers.set('apikey', publishableKey);
    const token = headers.has('authorization') ? undefined : await sessionToken();
    if (token === undefined) return fetch(input, { ...init, headers });
    headers.set('authorization', `Bearer ${token}`);
    const reply = await fetch(input, { ...init, headers });
    if (reply.status !== 401 || !(await isTokenOver(reply))) return reply;
    const renewed = await renewedToken(await auth(), token);
    if (renewed === undefined) return reply;
    headers.set('authorization', `Bearer ${renewed}`);
    return fetch(input, { ...init, headers });
  };
  // The queries retry with backoff (query-client): retries here too would hide a failure for half a minute.
  const rest = new PostgrestClient(`${origin}/rest/v1`, { fetch: withIdentity, retry: false });

  const realtime = once(async () => {
    const [code, sessions] = await Promise.all([import('@supabase/realtime-js'), auth()]);
    // RT-02.
    const client = new code.RealtimeClient(`${origin.replace(/^http/u, 'ws')}/realtime/v1`, {
      params: { apikey: publishableKey },
      accessToken: async () => (await sessionToken()) ?? publishableKey,
      timeout: 10_000,
      heartbeatIntervalMs: 25_000,
      reconnectAfterMs,
    });
    // Open channels go on under the session's newest token.
    sessions.onAuthStateChange((event, session) => {
      if (event !== 'SIGNED_OUT' && session !== null) void client.setAuth(session.access_token);
    });
    return client;
  });

  return {
    auth,
    realtime,
    functions: new FunctionsClient(`${origin}/functions/v1`, { customFetch: withIdentity }),
    from: rest.from.bind(rest) as SupabaseClient['from'],
    rpc: rest.rpc.bind(rest) as SupabaseClient['rpc'],
    fetch: withIdentity,
  };
}

/** True for the refusal of a token, not of what was sent with it: a wrong password is a 401 too. */
async function isTokenOver(reply: Response): Promise<boolean> {
  const refusal = (await reply
    .clone()
    .json()
    .catch(() => null)) as { code?: unknown } | null;
  return ['PGRST301', 'PGRST303', 'session_expired'].includes(String(refusal?.code));
}

/**
 * The token that follows one which the server refused; undefined where the session is over.
 * @throws TypeError as `fetch` does, where the server cannot be asked
 */
async function renewedToken(auth: AuthClient, refused: string): Promise<string | undefined> {
  const kept = await auth.getSession();
  const token = kept.data.session?.access_token;
  // Renewed meanwhile, by another request or another tab.
  if (token !== undefined && token !== refused) return token;
  const { data, error } = await auth.refreshSession();
  if (error?.name === 'AuthRetryableFetchError') throw new TypeError(error.message);
  return data.session?.access_token;
}

/** Makes the thing at the first call; a failure is not kept, the next call tries again. */
function once<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let made: Promise<Thing> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

const reconnectDelaysMs = [1_000, 2_000, 5_000, 10_000] as const;

function reconnectAfterMs(tries: number): number {
  return reconnectDelaysMs[tries - 1] ?? 10_000;
}
