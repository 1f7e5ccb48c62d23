// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { AuthClient } from '@supabase/supabase-js';
import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, linkIn, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere, fragmentOf, landing } from '../../testing/links.ts';
import { ask, refusalOf } from '../../testing/protocol.ts';
import auth from '../index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth'], smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

const anEmail = (): string => `public-${randomUUID().slice(0, 8)}@example.fr`;

/** Public endpoints, each with a body that is answered 200. */
const PUBLIC = [
  ['/signup', async () => ({ email: anEmail(), password: PASSWORD })],
  ['/token?grant_type=password', async () => ({ ...(await anAccount(server)), id: undefined })],
  [
    '/token?grant_type=refresh_token',
    async () => {
      const { session } = await signedIn(server, await anAccount(server), elsewhere());
      return { refresh_token: session.refresh_token };
    },
  ],
  ['/otp', async () => ({ email: anEmail() })],
  ['/magiclink', async () => ({ email: anEmail() })],
  ['/recover', async () => ({ email: anEmail() })],
  ['/resend', async () => ({ type: 'signup', email: anEmail() })],
  [
    '/verify',
    async () => {
      const { email } = await anAccount(server);
      const { data } = await administratorOf(server).auth.admin.generateLink({ type: 'recovery', email });
      return { type: 'recovery', token_hash: data.properties?.hashed_token };
    },
  ],
  ['/passkeys/authentication/options', async () => ({})],
] as const satisfies readonly (readonly [string, () => Promise<Record<string, unknown>>])[];

describe('what every client sends', () => {
  test.each(PUBLIC)(
    '[AU-22] POST %s does not read the bearer: not the key, an expired token, nor anything',
    async (path, bodyOf) => {
      const { publishableKey } = server.services.keys;
      for (const bearer of [publishableKey, 'a.b.c', 'nimporte', undefined]) {
        const answer = await ask(server, 'POST', path, { body: await bodyOf(), bearer, headers: elsewhere() });
        expect([bearer, answer.status, answer.body['code']]).toEqual([bearer, 200, undefined]);
      }
    },
  );

  test.each(PUBLIC)(
    '[AU-22] POST %s takes null for absent, and does not mind any further key',
    async (path, bodyOf) => {
      const body = {
        ...(await bodyOf()),
        code_challenge: null,
        code_challenge_method: null,
        data: null,
        channel: null,
        gotrue_meta_security: {},
        options: { redirectTo: 'x' },
        inconnue: [1, { deux: 2 }],
      };
      expect((await ask(server, 'POST', path, { body, headers: elsewhere() })).status).toBe(200);
      const captcha = { ...(await bodyOf()), gotrue_meta_security: { captcha_token: 'sans objet' } };
      expect((await ask(server, 'POST', path, { body: captcha, headers: elsewhere() })).status).toBe(200);
    },
  );

  test.each(['pas une adresse', 'quelquun@example.fr', 'javascript:alert(1)', '//ailleurs.example', ''])(
    '[AU-22][I-56] redirect_to=%s is never an error, and leads to the site alone',
    async (target) => {
      const query = `redirect_to=${encodeURIComponent(target)}`;
      for (const [path, bodyOf] of PUBLIC) {
        const joined = `${path}${path.includes('?') ? '&' : '?'}${query}`;
        const answer = await ask(server, 'POST', joined, { body: await bodyOf(), headers: elsewhere() });
        expect([path, answer.status]).toEqual([path, 200]);
      }
      const { email } = await anAccount(server);
      const asked = await clientOf(server, elsewhere()).auth.signInWithOtp({
        email,
        options: { emailRedirectTo: target },
      });
      expect(refusalOf(asked)).toBeNull();
      const led = await landing(linkIn((await server.mailbox.take(email)).text), elsewhere());
      expect(led.origin).toBe(server.url);
    },
  );

  test('[AU-22] an empty body announced as JSON is accepted wherever the client sends none', async () => {
    const nobody = randomUUID();
    for (const [method, path, status] of [
      ['DELETE', `/factors/${nobody}`, 404],
      ['DELETE', `/passkeys/${nobody}`, 404],
      ['DELETE', `/user/identities/${nobody}`, 404],
      ['POST', '/passkeys/registration/options', 200],
      ['POST', '/passkeys/authentication/options', 200],
      ['DELETE', '/factors/recovery-codes', 404],
      ['POST', '/logout', 204],
    ] as const) {
      const { session } = await signedIn(server, await anAccount(server), elsewhere());
      const answer = await ask(server, method, path, { bearer: session.access_token, headers: elsewhere() });
      expect([method, path, answer.status]).toEqual([method, path, status]);
      expect(answer.body['code']).not.toBe('bad_json');
    }
    const { secretKey } = server.services.keys;
    const { id } = await anAccount(server);
    expect((await ask(server, 'DELETE', `/admin/users/${id}`, { bearer: secretKey })).status).toBe(200);
  });

  test('[AU-22] « Bearer » is written in any case', async () => {
    const { session } = await signedIn(server, await anAccount(server), elsewhere());
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${session.access_token}` };
      expect((await ask(server, 'GET', '/user', { headers })).status).toBe(200);
    }
    for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic abc', session.access_token]) {
      const refused = await ask(server, 'GET', '/user', { headers: { authorization } });
      expect(refused).toMatchObject({ status: 401, body: { code: 'no_authorization' } });
      expect(refused.body['message']).toContain('Bearer token');
    }
  });

  test('[AU-22] the bare client, without a bearer, goes from registration to sign-out', async () => {
    const client = new AuthClient({
      url: `${server.url}/auth/v1`,
      headers: { apikey: server.services.keys.publishableKey, ...elsewhere() },
      autoRefreshToken: false,
      persistSession: false,
    });
    const email = anEmail();
    expect(refusalOf(await client.signUp({ email, password: PASSWORD }))).toBeNull();
    expect(refusalOf(await client.signOut())).toBeNull();
    expect(refusalOf(await client.signInWithPassword({ email, password: PASSWORD }))).toBeNull();
    expect(refusalOf(await client.refreshSession())).toBeNull();
    expect((await client.getUser()).data.user?.email).toBe(email);
    expect(refusalOf(await client.resetPasswordForEmail(email))).toBeNull();
  });

  test('[AU-22] the door stands without its prefix too', async () => {
    const bare = await startTestServer({ doors: [], jobs: false });
    const { url, app } = await standing(bare);
    try {
      const account = await anAccount(bare);
      const client = new AuthClient({
        url,
        headers: { apikey: bare.services.keys.publishableKey },
        autoRefreshToken: false,
        persistSession: false,
      });
      expect(refusalOf(await client.signInWithPassword(account))).toBeNull();
      expect(refusalOf(await client.getClaims())).toBeNull();
      expect((await client.getUser()).data.user?.id).toBe(account.id);
    } finally {
      await app.close();
      await bare.close();
    }
  });
});

/** The door alone, without a prefix, set as nobody's configuration sets it. */
async function standing(
  at: TestServer,
  settings: Parameters<typeof auth>[2] = {},
): Promise<{ readonly url: string; readonly app: FastifyInstance }> {
  const app: FastifyInstance = Fastify();
  await app.register(async (scope) => auth(scope, at.services, settings));
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { app, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
}

describe('what stands there, and what does not', () => {
  test('[AU-22] /settings says what is on', async () => {
    const environment = {
      SMS_URL: 'http://jeton@127.0.0.1:9/sms',
      ANONYMOUS_SIGN_IN: '1',
      SIGNUP_CONFIRMATION: '1',
      WEB3: 'both',
    };
    const open = await startTestServer({ doors: ['auth'], jobs: false, environment, smtp: 'smtp://127.0.0.1:9' });
    try {
      expect((await ask(open, 'GET', '/settings')).body).toEqual({
        external: {
          anonymous_users: true,
          email: true,
          phone: true,
          apple: false,
          azure: false,
          google: false,
          web3: true,
        },
        disable_signup: false,
        mailer_autoconfirm: false,
        phone_autoconfirm: false,
        sms_provider: expect.any(String),
        saml_enabled: false,
        saml_private_key_next_configured: false,
        passkeys_enabled: true,
        mailer_enabled: true,
        manual_linking_enabled: expect.any(Boolean),
        mfa_phone_enabled: expect.any(Boolean),
      });
    } finally {
      await open.close();
    }
  });

  test('[AU-01] where nobody registers, no way opens an account', async () => {
    const closed = await startTestServer({
      doors: ['auth'],
      smtp: true,
      environment: { SIGNUP_DISABLED: '1', ANONYMOUS_SIGN_IN: '1', TRUST_PROXY: '1' },
    });
    try {
      const known = await anAccount(closed);
      const visitor = (): ReturnType<typeof clientOf>['auth'] => clientOf(closed, elsewhere()).auth;
      const refused = await visitor().signUp({ email: anEmail(), password: PASSWORD });
      expect(refusalOf(refused)).toEqual([422, 'signup_disabled']);
      expect(refused.error?.message).toBe('Signups not allowed for this instance');
      // Before anything else is looked at.
      expect(refusalOf(await visitor().signUp({ email: 'a', password: '' }))).toEqual([422, 'signup_disabled']);
      expect(refusalOf(await visitor().signInAnonymously())).toEqual([422, 'signup_disabled']);
      // As for an address with an account.
      expect(refusalOf(await visitor().signInWithOtp({ email: anEmail() }))).toBeNull();
      expect(await closed.database.asOwner('select from auth.users')).toHaveLength(1);
      expect(refusalOf(await visitor().signInWithPassword(known))).toBeNull();
      expect(refusalOf(await administratorOf(closed).auth.admin.createUser({ email: anEmail() }))).toBeNull();
      expect((await ask(closed, 'GET', '/settings')).body).toMatchObject({ disable_signup: true });
    } finally {
      await closed.close();
    }
  });

  test('[AU-22] what the client knows and the house has not: a 404 in JSON', async () => {
    const { customProviders, oauth } = administratorOf(server).auth.admin;
    const nobody = randomUUID();
    const provider = {
      provider_type: 'oidc',
      identifier: 'custom:x',
      name: 'X',
      client_id: 'x',
      client_secret: 'x',
    } as const;
    const { client, session } = await signedIn(server, await anAccount(server), elsewhere());
    const person = client.auth.oauth;
    for (const answer of [
      await oauth.listClients(),
      await oauth.createClient({ client_name: 'X', redirect_uris: ['https://x.fr'] }),
      await oauth.getClient(nobody),
      await oauth.updateClient(nobody, { client_name: 'Y' }),
      await oauth.regenerateClientSecret(nobody),
      await oauth.deleteClient(nobody),
      await customProviders.listProviders(),
      await customProviders.createProvider(provider),
      await customProviders.getProvider('custom:x'),
      await customProviders.updateProvider('custom:x', { name: 'Y' }),
      await customProviders.deleteProvider('custom:x'),
      await person.getAuthorizationDetails(nobody),
      await person.approveAuthorization(nobody),
      await person.denyAuthorization(nobody),
      await person.listGrants(),
      await person.revokeGrant({ clientId: nobody }),
    ]) {
      expect(refusalOf(answer)).toEqual([404, 'not_found']);
    }
    for (const [method, path] of [
      ['POST', '/user/identities'],
      ['POST', '/admin/logout'],
      ['GET', '/user/'],
      ['GET', '/verify/continue'],
      ['POST', '/admin/users/x/../../settings'],
    ] as const) {
      const answer = await ask(server, method, path, { bearer: session.access_token });
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        404,
        expect.stringContaining('application/json'),
      ]);
    }
  });
});

describe('what goes wrong', () => {
  test('[AU-22] a failure is a 500 without detail, which the client tries again; never a refusal', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    await server.database.asOwner('alter table auth.sessions rename to sessions_elsewhere');
    try {
      const answer = await ask(server, 'POST', '/token?grant_type=password', {
        body: { email: 'x@example.fr', password: PASSWORD },
        headers: elsewhere(),
      });
      expect(answer.status).toBe(400);
      const broken = await client.auth.getUser();
      expect(broken.error).toMatchObject({ name: 'AuthRetryableFetchError', status: 500 });
      expect(broken.error?.message).not.toMatch(/sessions|relation|select/iu);
      expect((await client.auth.getSession()).data.session).not.toBeNull();
    } finally {
      await server.database.asOwner('alter table auth.sessions_elsewhere rename to sessions');
    }
    expect(refusalOf(await client.auth.getUser())).toBeNull();
  });

  test('[AU-22] what takes too long: 504, which the client tries again', async () => {
    const slow = await startTestServer({ doors: [], jobs: false });
    const { url, app } = await standing(slow, { requestSeconds: 0.3 });
    const holder = new Client(slow.database.owner);
    await holder.connect();
    try {
      const account = await anAccount(slow);
      await holder.query('begin');
      await holder.query('lock table auth.users in access exclusive mode');
      const client = new AuthClient({
        url,
        headers: { apikey: slow.services.keys.publishableKey },
        autoRefreshToken: false,
        persistSession: false,
      });
      const { error } = await client.signInWithPassword(account);
      expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 504 });
      const answer = await fetch(`${url}/token?grant_type=password`, {
        method: 'POST',
        headers: { apikey: slow.services.keys.publishableKey, 'content-type': 'application/json' },
        body: JSON.stringify(account),
      });
      expect(await answer.json()).toMatchObject({ code: 504, error_code: 'request_timeout' });
    } finally {
      await holder.end();
      await app.close();
      await slow.close();
    }
  });

  test('[AU-22][I-46] too many requests: 429 with the wait; at a refresh 503, which signs nobody out', async () => {
    const headers = elsewhere();
    const drained = await Promise.all(
      Array.from({ length: 35 }, () => ask(server, 'POST', '/recover', { body: { email: anEmail() }, headers })),
    );
    const refused = drained.find(({ status }) => status !== 200);
    expect(refused).toMatchObject({ status: 429, body: { code: 'over_request_rate_limit' } });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);

    const { session } = await signedIn(server, await anAccount(server), elsewhere());
    const { data } = await clientOf(server).auth.getClaims(session.access_token);
    await server.database.asOwner(
      'insert into private.rate_limits (bucket, tokens, refilled_at) values ($1, 0, now())',
      [`auth:refresh:${data?.claims.session_id ?? ''}`],
    );
    const later = await ask(server, 'POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: session.refresh_token },
      headers,
    });
    expect(later).toMatchObject({ status: 503, body: { code: 'over_request_rate_limit' } });
    expect(later.headers.get('retry-after')).toBeTruthy();
  });

  test('[AU-22][AU-08] in the fragment of a link: whole seconds and « bearer » in lower case, or the whole error', async () => {
    const { email } = await anAccount(server);
    await clientOf(server, elsewhere()).auth.signInWithOtp({ email });
    const link = linkIn((await server.mailbox.take(email)).text);
    const led = fragmentOf(await landing(link, elsewhere()));
    expect(led.get('token_type')).toBe('bearer');
    expect(led.get('expires_in')).toBe('3600');
    expect(Math.abs(Number(led.get('expires_at')) - Date.now() / 1000 - 3600)).toBeLessThan(60);
    expect(led.get('type')).toBe('magiclink');
    expect(led.get('sb')).toBe('');
    const twice = fragmentOf(await landing(link, elsewhere()));
    expect(Object.fromEntries(twice)).toEqual({
      error: 'access_denied',
      error_code: 'otp_expired',
      error_description: 'Token has expired or is invalid',
      sb: '',
    });
  });
});
