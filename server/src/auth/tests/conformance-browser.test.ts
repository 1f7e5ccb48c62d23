// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { AuthClient, createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import { anAccount, clientOf, linkIn, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { softwareAuthenticator } from '../../testing/authenticator.ts';
import type { SoftwareCredential } from '../../testing/authenticator.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere, landing } from '../../testing/links.ts';
import { refusalOf } from '../../testing/protocol.ts';

const ORIGIN = 'https://parrain.example.fr';

let server: TestServer;
beforeAll(async () => {
  // A real page has one client; these tests have several in one, and the client says so each time.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { TRUST_PROXY: '1', PUBLIC_URL: ORIGIN },
  });
});
afterAll(() => server.close());
afterEach(() => void vi.unstubAllGlobals());

/** As much of a browser as the official client looks at, standing at an address, with an authenticator. */
function inBrowser(href = `${ORIGIN}/`): { readonly location: URL } {
  const location = new URL(href);
  const key = softwareAuthenticator(ORIGIN);
  class PublicKeyCredential {
    readonly toJSON: SoftwareCredential['toJSON'];
    constructor(answer: SoftwareCredential) {
      this.toJSON = answer.toJSON;
    }
  }
  type Asked = { readonly publicKey: never };
  vi.stubGlobal('PublicKeyCredential', PublicKeyCredential);
  vi.stubGlobal('document', { visibilityState: 'visible' });
  vi.stubGlobal('navigator', {
    credentials: {
      create: async ({ publicKey }: Asked) => new PublicKeyCredential(key.create(publicKey)),
      get: async ({ publicKey }: Asked) => new PublicKeyCredential(key.get(publicKey)),
    },
  });
  vi.stubGlobal('window', {
    location,
    PublicKeyCredential,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    history: { state: null, replaceState: (_state: unknown, _title: string, to: string) => (location.href = to) },
  });
  return { location };
}

/** The official client as a page makes it: it looks at the address it stands at. */
function page(flowType: 'implicit' | 'pkce', storage: Map<string, string>): SupabaseClient {
  return createClient(server.url, server.services.keys.publishableKey, {
    auth: {
      flowType,
      autoRefreshToken: false,
      detectSessionInUrl: true,
      storage: {
        getItem: (name) => storage.get(name) ?? null,
        setItem: (name, value) => void storage.set(name, value),
        removeItem: (name) => void storage.delete(name),
      },
    },
    global: { headers: elsewhere() },
  });
}

/** The link of a mail is the company's own address; the server of the test stands elsewhere. */
function reached(link: URL): URL {
  return new URL(`${link.pathname}${link.search}`, server.url);
}

describe('a page that a link leads to', () => {
  test.each(['implicit', 'pkce'] as const)(
    '[AU-08][S-10] back from a link (%s) the session is there, and the address keeps nothing of it',
    async (flowType) => {
      const { email, id } = await anAccount(server);
      const storage = new Map<string, string>();
      await page(flowType, storage).auth.signInWithOtp({ email });
      const led = await landing(reached(linkIn((await server.mailbox.take(email)).text)), elsewhere());
      expect(led.origin).toBe(ORIGIN);

      const { location } = inBrowser(led.href);
      const client = page(flowType, storage);
      const events: string[] = [];
      client.auth.onAuthStateChange((event) => events.push(event));
      expect(refusalOf(await client.auth.initialize())).toBeNull();
      expect((await client.auth.getSession()).data.session?.user.id).toBe(id);
      await vi.waitFor(() => expect(events).toContain('SIGNED_IN'), { timeout: 120_000 });
      expect(location.href).not.toMatch(/token|code=/u);
    },
  );

  test('[AU-09][S-10] a link for a new password announces it: PASSWORD_RECOVERY', async () => {
    const { email } = await anAccount(server);
    const { auth } = clientOf(server, elsewhere());
    await auth.resetPasswordForEmail(email);
    const token = linkIn((await server.mailbox.take(email)).text).searchParams.get('token_hash') ?? '';
    const link = new URL(`${server.url}/auth/v1/verify?type=recovery&token=${token}`);
    inBrowser((await landing(link, elsewhere())).href);
    const client = page('implicit', new Map());
    const events: string[] = [];
    client.auth.onAuthStateChange((event) => events.push(event));
    await client.auth.initialize();
    await vi.waitFor(() => expect(events).toContain('PASSWORD_RECOVERY'), { timeout: 120_000 });
    expect(refusalOf(await client.auth.updateUser({ password: 'quatre-grands-chiens-8' }))).toBeNull();
  });

  test.each(['implicit', 'pkce'] as const)(
    '[AU-08] a used link (%s): the client gets the error and its code, no session',
    async (flowType) => {
      const { email } = await anAccount(server);
      const storage = new Map<string, string>();
      await page(flowType, storage).auth.signInWithOtp({ email });
      const link = reached(linkIn((await server.mailbox.take(email)).text));
      await landing(link, elsewhere());
      inBrowser((await landing(link, elsewhere())).href);
      const client = page(flowType, storage);
      const { error } = await client.auth.initialize();
      expect(error).toMatchObject({ message: 'Token has expired or is invalid' });
      expect(JSON.stringify(error)).toContain('otp_expired');
      expect((await client.auth.getSession()).data.session).toBeNull();
    },
  );
});

describe('a browser with an authenticator', () => {
  test('[AU-17] registerPasskey then signInWithPasskey, from end to end', async () => {
    const { client, session } = await signedIn(server, await anAccount(server), elsewhere());
    const visitor = clientOf(server, elsewhere());
    inBrowser();
    const registered = await client.auth.registerPasskey();
    expect(registered.error).toBeNull();
    expect((await client.auth.passkey.list()).data).toHaveLength(1);
    const { data, error } = await visitor.auth.signInWithPasskey();
    expect(error).toBeNull();
    expect(data?.user?.id).toBe(session.user.id);
    expect((await visitor.auth.getUser()).data.user?.id).toBe(session.user.id);
  });

  test('[AU-17] mfa.webauthn: register, then authenticate, or step by step', async () => {
    const account = await anAccount(server);
    const first = (await signedIn(server, account, elsewhere())).client;
    const second = (await signedIn(server, account, elsewhere())).client;
    inBrowser();
    const registered = await first.auth.mfa.webauthn.register({ friendlyName: 'Clé' });
    expect(registered.error).toBeNull();
    expect((await first.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({ currentLevel: 'aal2' });
    const factorId = (await first.auth.mfa.listFactors()).data?.webauthn[0]?.id ?? '';

    // The session of the first level ended when the key was registered.
    expect(refusalOf(await second.auth.getUser())).not.toBeNull();
    const third = (await signedIn(server, account, elsewhere())).client;
    expect((await third.auth.mfa.webauthn.authenticate({ factorId })).error).toBeNull();
    expect((await third.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({ currentLevel: 'aal2' });

    const fourth = (await signedIn(server, account, elsewhere())).client;
    const { data } = await fourth.auth.mfa.webauthn.challenge({ factorId, webauthn: { rpId: 'parrain.example.fr' } });
    expect(data?.webauthn.type).toBe('request');
    if (data === null) throw new Error('The key was not asked');
    const verified = await fourth.auth.mfa.webauthn.verify({
      factorId,
      challengeId: data.challengeId,
      webauthn: { ...data.webauthn, rpId: 'parrain.example.fr' },
    });
    expect(verified.error).toBeNull();
    expect((await fourth.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({ currentLevel: 'aal2' });
  });

  test('[AU-17] mfa.webauthn.enroll asks for a free name; a refused key leaves no attempt', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    const { data } = await client.auth.mfa.webauthn.enroll({ friendlyName: 'Clé' });
    expect(data).toMatchObject({ type: 'webauthn', friendly_name: 'Clé' });
    inBrowser();
    const taken = await client.auth.mfa.webauthn.register({ friendlyName: 'Clé' });
    expect(taken.error).toMatchObject({ code: 'mfa_factor_name_conflict', status: 422 });
    expect((await client.auth.mfa.listFactors()).data?.all).toHaveLength(0);
    expect((await client.auth.mfa.webauthn.register({ friendlyName: 'Clé' })).error).toBeNull();
  });
});

test('[AU-22] a client that prefers exceptions gets them with their code', async () => {
  const client = new AuthClient({
    url: `${server.url}/auth/v1`,
    headers: { apikey: server.services.keys.publishableKey, ...elsewhere() },
    autoRefreshToken: false,
    persistSession: false,
    throwOnError: true,
  });
  expect(client.isThrowOnErrorEnabled()).toBe(true);
  await expect(client.signInWithPassword({ email: 'personne@example.fr', password: PASSWORD })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_credentials',
  });
});
