import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createLog } from '../../platform/log.ts';
import { anAccount, clientOf, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth'], jobs: false });
});
afterAll(() => server.close());

const CURRENT = { 'x-supabase-api-version': '2024-01-01' };

test('[AU-18] the public key, as the client reads it', async () => {
  const response = await fetch(`${server.url}/auth/v1/.well-known/jwks.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('public, max-age=600');
  const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatchObject({
    kty: 'EC',
    crv: 'P-256',
    alg: 'ES256',
    use: 'sig',
    key_ops: ['verify'],
    kid: expect.any(String),
  });
  expect(keys[0]).not.toHaveProperty('d');
});

test('[AU-22] public settings and health', async () => {
  const settings = await server.fetch('/auth/v1/settings');
  expect(await settings.json()).toMatchObject({
    external: { email: true, phone: false, anonymous_users: false },
    disable_signup: false,
    mailer_autoconfirm: true,
    saml_enabled: false,
  });
  const health = await fetch(`${server.url}/auth/v1/health`);
  expect(await health.json()).toMatchObject({
    version: expect.any(String),
    name: expect.any(String),
    description: expect.any(String),
  });
});

describe('errors', () => {
  test("[AU-22] the form that the client's version asks for, with the exposed headers", async () => {
    const request = { method: 'POST', body: '{"email":"a"}' };
    const json = { 'content-type': 'application/json;charset=UTF-8' };
    const current = await server.fetch('/auth/v1/recover', {
      ...request,
      headers: { ...json, ...CURRENT, origin: 'https://x.fr' },
    });
    expect(current.status).toBe(400);
    expect(current.headers.get('x-supabase-api-version')).toBe('2024-01-01');
    expect(current.headers.get('x-sb-error-code')).toBe('validation_failed');
    const exposed = current.headers.get('access-control-expose-headers')?.toLowerCase() ?? '';
    for (const name of ['x-supabase-api-version', 'x-total-count', 'link', 'retry-after'])
      expect(exposed).toContain(name);
    expect(current.headers.get('access-control-allow-credentials')).toBeNull();
    expect(await current.json()).toMatchObject({ code: 'validation_failed', message: expect.any(String) });

    const old = await server.fetch('/auth/v1/recover', { ...request, headers: json });
    expect(await old.json()).toMatchObject({ code: 400, error_code: 'validation_failed', msg: expect.any(String) });
  });

  test('[AU-22] an empty body, bad JSON, an enormous body, an unknown address: always JSON', async () => {
    const json = { 'content-type': 'application/json;charset=UTF-8', ...CURRENT };
    for (const [path, init, status, code] of [
      ['/auth/v1/recover', { method: 'POST' }, 400, 'validation_failed'],
      ['/auth/v1/recover', { method: 'POST', body: '{' }, 400, 'bad_json'],
      ['/auth/v1/recover', { method: 'POST', body: '{"__proto__":{"email":"a@b.fr"}}' }, 400, 'bad_json'],
      ['/auth/v1/recover', { method: 'POST', body: 'x'.repeat(2 ** 21) }, 413, 'request_entity_too_large'],
      ['/auth/v1/nulle-part', {}, 404, 'not_found'],
      ['/auth/v1/', {}, 404, 'not_found'],
      ['/auth/v1/admin/logout', { method: 'POST' }, 404, 'not_found'],
      ['/auth/v1/token?grant_type=devinette', { method: 'POST', body: '{}' }, 400, 'invalid_credentials'],
      ['/auth/v1/token?grant_type=__proto__', { method: 'POST', body: '{}' }, 400, 'invalid_credentials'],
    ] as const) {
      const response = await server.fetch(path, { ...init, headers: json });
      expect([path, response.status]).toEqual([path, status]);
      expect(await response.json()).toMatchObject({ code });
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('[AU-22] without a key, or with a false one: 401', async () => {
    for (const headers of [{}, { apikey: 'sb_publishable_fausse' }]) {
      const response = await fetch(`${server.url}/auth/v1/settings`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ message: expect.any(String) });
    }
  });

  test('[AU-22] a deleted account: user_not_found', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account);
    await server.database.asOwner('delete from auth.users where id = $1', [account.id]);
    expect((await client.auth.getUser()).error).toMatchObject({ status: 403, code: 'user_not_found' });
  });

  test('[AU-22] what is not offered says so with the code of the contract', async () => {
    const { client } = await signedIn(server, await anAccount(server));
    const visitor = clientOf(server).auth;
    expect((await visitor.signInWithOtp({ phone: '33612345678' })).error?.code).toBe('phone_provider_disabled');
    expect((await visitor.signInWithSSO({ domain: 'x.fr' })).error).toMatchObject({
      status: 404,
      code: 'saml_provider_disabled',
      message: 'SAML 2.0 is disabled',
    });
    expect((await visitor.signInWithIdToken({ provider: 'google', token: 'x' })).error?.message).toContain(
      'not enabled',
    );
    const web3 = await server.fetch('/auth/v1/token?grant_type=web3', {
      method: 'POST',
      headers: { ...CURRENT, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(web3.status).toBe(422);
    expect(await web3.json()).toMatchObject({ code: 'web3_provider_disabled', message: 'Web3 provider is disabled' });
    expect((await visitor.exchangeCodeForSession('x')).error).not.toBeNull();
    expect((await client.auth.mfa.enroll({ factorType: 'phone', phone: '+33612345678' })).error?.code).toBe(
      'mfa_phone_enroll_not_enabled',
    );
    const [identity] = (await client.auth.getUserIdentities()).data?.identities ?? [];
    expect(identity).toBeDefined();
    if (identity !== undefined) {
      expect((await client.auth.unlinkIdentity(identity)).error).toMatchObject({
        code: 'manual_linking_disabled',
        message: 'Manual linking is disabled',
      });
    }
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal1',
    });
    const authorize = await fetch(`${server.url}/auth/v1/authorize?provider=google`, { redirect: 'manual' });
    expect(authorize.status).toBe(400);
  });
});

test('[AU-22][log scrubbing] the log holds no token, password or address', async () => {
  const lines: string[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(line) });
  const loud = await startTestServer({ doors: ['auth'], smtp: true, log });
  try {
    const account = await anAccount(loud);
    const { client, session } = await signedIn(loud, account);
    await client.auth.resetPasswordForEmail(account.email);
    const mail = await loud.mailbox.take(account.email);
    const token = /token_hash=([^&\s]+)/u.exec(mail.text)?.[1] ?? '';
    await fetch(`${loud.url}/auth/v1/verify?token=${token}&type=recovery`);
    await clientOf(loud).auth.verifyOtp({ token_hash: token, type: 'recovery' });
    await client.auth.refreshSession();
    await client.auth.updateUser({ password: 'quatre-grands-chiens-8' });
    expect(lines.length).toBeGreaterThan(10);
    const written = lines.join('');
    for (const secret of [
      account.email,
      account.password,
      'quatre-grands-chiens-8',
      token,
      session.access_token,
      session.refresh_token,
      loud.services.keys.publishableKey,
    ]) {
      expect(written).not.toContain(secret);
    }
  } finally {
    await loud.close();
  }
});
