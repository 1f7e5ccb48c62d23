// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import { anAccount, clientOf, refreshWith, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere } from '../../testing/links.ts';
import { ask, refusalOf } from '../../testing/protocol.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth'], smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());
afterEach(() => void vi.useRealTimers());

async function aSession(): Promise<Awaited<ReturnType<typeof signedIn>> & { email: string; id: string }> {
  const account = await anAccount(server);
  return { ...(await signedIn(server, account, elsewhere())), email: account.email, id: account.id };
}

describe('a session, in the client’s hands', () => {
  test('[AU-02][AU-13] the person has exactly the fields of the contract, and each moment is in UTC', async () => {
    const { client } = await aSession();
    const { data } = await client.auth.getUser();
    expect(Object.keys(data.user ?? {}).toSorted()).toEqual(
      [
        'app_metadata',
        'aud',
        'confirmed_at',
        'created_at',
        'email',
        'email_confirmed_at',
        'id',
        'identities',
        'is_anonymous',
        'last_sign_in_at',
        'phone',
        'role',
        'updated_at',
        'user_metadata',
      ].toSorted(),
    );
    const [identity] = data.user?.identities ?? [];
    expect(Object.keys(identity ?? {}).toSorted()).toEqual([
      'created_at',
      'email',
      'id',
      'identity_data',
      'identity_id',
      'last_sign_in_at',
      'provider',
      'updated_at',
      'user_id',
    ]);
    for (const [key, value] of [...Object.entries(data.user ?? {}), ...Object.entries(identity ?? {})]) {
      if (key.endsWith('_at')) expect(value).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+Z$/u);
    }
  });

  test('[AU-03][S-10] setSession takes a session up, refreshes it where its token has expired, and says when it is over', async () => {
    const { session } = await aSession();
    const client = clientOf(server, elsewhere());
    const events: string[] = [];
    client.auth.onAuthStateChange((event) => events.push(event));
    const taken = await client.auth.setSession(session);
    expect(refusalOf(taken)).toBeNull();
    expect(taken.data.user?.id).toBe(session.user.id);
    expect((await client.auth.getSession()).data.session?.access_token).toBe(session.access_token);

    const [header, payload, signature] = session.access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()) as Record<string, unknown>;
    const lapsed = Buffer.from(JSON.stringify({ ...claims, exp: 1 })).toString('base64url');
    const renewed = await client.auth.setSession({
      access_token: [header, lapsed, signature].join('.'),
      refresh_token: session.refresh_token,
    });
    expect(refusalOf(renewed)).toBeNull();
    expect(renewed.data.session?.refresh_token).not.toBe(session.refresh_token);
    await wait(0);
    expect(events.filter((event) => event !== 'INITIAL_SESSION')).toEqual(['SIGNED_IN', 'TOKEN_REFRESHED']);

    await server.database.asOwner('delete from auth.sessions where user_id = $1', [session.user.id]);
    const gone = await clientOf(server, elsewhere()).auth.setSession(session);
    expect(gone.error?.message).toBe('Auth session missing!');
  });

  test('[AU-03][S-10] refreshSession by the token of another session, and without a session', async () => {
    const { session } = await aSession();
    const client = clientOf(server, elsewhere());
    expect((await client.auth.refreshSession()).error?.message).toBe('Auth session missing!');
    const { data, error } = await client.auth.refreshSession({ refresh_token: session.refresh_token });
    expect(error).toBeNull();
    expect(data.session?.user.id).toBe(session.user.id);
    expect((await client.auth.getUser()).data.user?.id).toBe(session.user.id);
  });

  test('[AU-03] past its limit a session is not refreshed and opens nothing: session_expired', async () => {
    const { client, session, id } = await aSession();
    await server.database.asOwner(
      `update auth.sessions set not_after = now() - interval '1 second' where user_id = $1`,
      [id],
    );
    expect(await refreshWith(server, session.refresh_token)).toMatchObject({
      status: 400,
      body: { code: 'session_expired' },
    });
    expect(refusalOf(await client.auth.getUser())).toEqual([403, 'session_expired']);
  });

  test('[AU-13] getUser with a given token: the person, or bad_jwt', async () => {
    const { session } = await aSession();
    const { auth } = clientOf(server, elsewhere());
    expect((await auth.getUser(session.access_token)).data.user?.id).toBe(session.user.id);
    const refused = await auth.getUser('pas.un.jeton');
    expect(refusalOf(refused)).toEqual([403, 'bad_jwt']);
    expect(refused.error?.message).toMatch(/^invalid JWT.*unable to parse or verify signature/u);
  });

  test("[AU-15][S-10] signOut erases the client's session, even where the server does not know it any more", async () => {
    for (const scope of ['global', 'local', 'others'] as const) {
      const { client, id } = await aSession();
      const events: string[] = [];
      client.auth.onAuthStateChange((event) => events.push(event));
      await server.database.asOwner('delete from auth.sessions where user_id = $1', [id]);
      expect(refusalOf(await client.auth.signOut({ scope }))).toBeNull();
      expect((await client.auth.getSession()).data.session === null).toBe(scope !== 'others');
      expect(events.includes('SIGNED_OUT')).toBe(scope !== 'others');
    }
  });

  test('[AU-15] an unknown scope is refused and the session stays', async () => {
    const { client, session } = await aSession();
    const refused = await ask(server, 'POST', '/logout?scope=tout', { bearer: session.access_token });
    expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(refusalOf(await client.auth.getUser())).toBeNull();
  });
});

describe('what the client does by itself', () => {
  function keeping(stored: Map<string, string>, counted?: typeof fetch, refreshes = false): SupabaseClient {
    return createClient(server.url, server.services.keys.publishableKey, {
      auth: {
        persistSession: true,
        autoRefreshToken: refreshes,
        detectSessionInUrl: false,
        storageKey: `session-${randomUUID()}`,
        storage: {
          getItem: () => stored.get('session') ?? null,
          setItem: (_key, value) => void stored.set('session', value),
          removeItem: () => void stored.delete('session'),
        },
      },
      global: { headers: elsewhere(), ...(counted === undefined ? {} : { fetch: counted }) },
    });
  }

  /** A kept session whose token lapses in so many seconds. */
  async function kept(seconds: number): Promise<Map<string, string>> {
    const { session } = await aSession();
    return new Map([['session', JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + seconds })]]);
  }

  /** The official client's way to the server, with what it was asked; `refuses` the first so many. */
  function watched(refuses = 0): { readonly fetch: typeof fetch; readonly asked: { path: string; at: number }[] } {
    const asked: { path: string; at: number }[] = [];
    return {
      asked,
      fetch: async (input, init) => {
        asked.push({ path: new URL(input instanceof Request ? input.url : input).pathname, at: performance.now() });
        return asked.length <= refuses ? new Response('{}', { status: 503 }) : fetch(input, init);
      },
    };
  }

  test('[AU-23] less than 90 seconds before its end a token is refreshed, not earlier', async () => {
    for (const [seconds, isRenewed] of [
      [80, true],
      [110, false],
    ] as const) {
      const stored = await kept(seconds);
      const before = JSON.parse(stored.get('session') ?? '') as { refresh_token: string };
      const { data } = await keeping(stored).auth.getSession();
      expect(data.session === null).toBe(false);
      expect(data.session?.refresh_token !== before.refresh_token).toBe(isRenewed);
    }
  });

  test('[AU-23] the client refreshes by itself, every thirty seconds if need be, and stops when it is told', async () => {
    const stored = await kept(100);
    const { fetch: way, asked } = watched();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: Date.now() });
    const client = keeping(stored, way, true);
    const events: string[] = [];
    client.auth.onAuthStateChange((event) => events.push(event));
    await client.auth.initialize();
    await client.auth.startAutoRefresh();
    await vi.waitFor(() => expect(events).toContain('TOKEN_REFRESHED'), { timeout: 120_000 });
    expect(asked.filter(({ path }) => path.endsWith('/token'))).toHaveLength(1);
    // The new token is good for an hour: nothing is asked of the server until its end is near.
    await vi.advanceTimersByTimeAsync(90_000);
    await wait(0);
    expect(asked).toHaveLength(1);
    await client.auth.stopAutoRefresh();
    await vi.advanceTimersByTimeAsync(3_500_000);
    await wait(0);
    expect(asked).toHaveLength(1);
    await client.auth.dispose();
  });

  test('[AU-23][AU-22] a 503 is no refusal: the client comes back after 200 then 400 milliseconds, and stays signed in', async () => {
    const stored = await kept(-10);
    const { fetch: way, asked } = watched(2);
    const { data, error } = await keeping(stored, way).auth.getSession();
    expect(error).toBeNull();
    expect(data.session?.user.id).toBeTruthy();
    const [first, second, third] = asked.map(({ at }) => at);
    expect(asked).toHaveLength(3);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(190);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThan(390);
  });

  test('[AU-23][AU-18] the public keys are kept for ten minutes', async () => {
    const { session } = await aSession();
    const { fetch: way, asked } = watched();
    const client = keeping(new Map(), way);
    const read = async (): Promise<void> => {
      expect(refusalOf(await client.auth.getClaims(session.access_token))).toBeNull();
    };
    await read();
    await read();
    expect(asked.map(({ path }) => path)).toEqual(['/auth/v1/.well-known/jwks.json']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 });
    await read();
    expect(asked).toHaveLength(2);
  });

  test('[AU-23] the verifier of an exchange is used once', async () => {
    const stored = new Map<string, string>();
    const { email } = await aSession();
    const client = createClient(server.url, server.services.keys.publishableKey, {
      auth: {
        flowType: 'pkce',
        autoRefreshToken: false,
        detectSessionInUrl: false,
        storage: {
          getItem: (key) => stored.get(key) ?? null,
          setItem: (key, value) => void stored.set(key, value),
          removeItem: (key) => void stored.delete(key),
        },
      },
      global: { headers: elsewhere() },
    });
    await client.auth.resetPasswordForEmail(email);
    expect(refusalOf(await client.auth.exchangeCodeForSession(randomUUID()))).toEqual([404, 'flow_state_not_found']);
    const again = await client.auth.exchangeCodeForSession(randomUUID());
    expect(again.error?.name).toBe('AuthPKCECodeVerifierMissingError');
  });
});
