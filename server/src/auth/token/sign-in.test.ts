import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, PASSWORD, refreshWith, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { signInWithPassword } from '../index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth', 'rest'], jobs: false, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

let lastNetwork = 0;
/** A visitor from an address of their own: attempts are counted by network. */
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.1.${Math.floor(lastNetwork / 250)}.${(lastNetwork % 250) + 1}` };
}

describe('sign-in by password', () => {
  test('[D-08, AU-02] the official client gets a whole session: tokens, expiry, person, factors', async () => {
    const account = await anAccount(server, { role: 'commercial' });
    const client = clientOf(server, elsewhere());
    const { data, error } = await client.auth.signInWithPassword({
      email: account.email.toUpperCase(),
      password: account.password,
    });
    expect(error).toBeNull();
    expect(data.session).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      access_token: expect.any(String),
      refresh_token: expect.any(String),
    });
    expect((await client.auth.mfa.listFactors()).data).toMatchObject({ all: [] });
    expect(data.session?.expires_at).toBeGreaterThan(Date.now() / 1000);
    expect(data.user).toMatchObject({
      id: account.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: account.email,
      phone: '',
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'], role: 'commercial' },
    });
    expect(data.user?.identities).toHaveLength(1);
    expect(data.user?.identities?.[0]).toMatchObject({ id: account.id, provider: 'email', user_id: account.id });
    expect(data.user?.last_sign_in_at).toMatch(/Z$/u);
    expect(data.weakPassword).toBeFalsy();
    expect(JSON.stringify(data.user)).not.toContain('argon2');
  });

  test('[AU-02] the access token carries the claims of the contract and the role of the profile', async () => {
    const account = await anAccount(server, { role: 'admin' });
    const { client } = await signedIn(server, account, elsewhere());
    const { data, error } = await client.auth.getClaims();
    expect(error).toBeNull();
    expect(data?.header).toMatchObject({ alg: 'ES256', typ: 'JWT', kid: expect.any(String) });
    expect(data?.claims).toMatchObject({
      iss: `${server.url}/auth/v1`,
      sub: account.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: account.email,
      phone: '',
      aal: 'aal1',
      is_anonymous: false,
      app_metadata: { role: 'admin' },
      amr: [{ method: 'password', timestamp: expect.any(Number) }],
      session_id: expect.any(String),
    });
  });

  test('[AU-02][I-49] unknown, without a password or wrong: the same refusal', async () => {
    const account = await anAccount(server);
    const pending = await anAccount(server);
    await server.database.asOwner('update auth.users set encrypted_password = null where id = $1', [pending.id]);
    for (const email of [account.email, pending.email, 'personne@example.fr']) {
      const { error } = await clientOf(server, elsewhere()).auth.signInWithPassword({ email, password: 'pas le bon' });
      expect(error).toMatchObject({ code: 'invalid_credentials', status: 400, message: 'Invalid login credentials' });
    }
  });

  test('[AU-02][user_banned first] the unconfirmed address and the deactivated account are told only after the right password', async () => {
    const unconfirmed = await anAccount(server, { isConfirmed: false });
    const deactivated = await anAccount(server);
    const banned = await anAccount(server);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [deactivated.id]);
    await server.database.asOwner(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
      banned.id,
    ]);
    for (const [account, code] of [
      [unconfirmed, 'email_not_confirmed'],
      [deactivated, 'user_banned'],
      [banned, 'user_banned'],
    ] as const) {
      const { auth } = clientOf(server, elsewhere());
      expect((await auth.signInWithPassword(account)).error).toMatchObject({ code, status: 400 });
      expect((await auth.signInWithPassword({ ...account, password: 'faux' })).error?.code).toBe('invalid_credentials');
    }
  });

  test('[AU-02] a password that became too weak is accepted and reported', async () => {
    const account = await anAccount(server, { password: 'court' });
    const { data } = await clientOf(server, elsewhere()).auth.signInWithPassword(account);
    expect(data.session).not.toBeNull();
    expect(data.weakPassword?.reasons).toContain('length');
  });

  test('[AU-02] a hash of another setting is remade at sign-in', async () => {
    const account = await anAccount(server);
    const weak = '$argon2id$v=19$m=8192,t=1,p=1$' + (await argon2Of(account.password, { memory: 8192, passes: 1 }));
    await server.database.asOwner('update auth.users set encrypted_password = $2 where id = $1', [account.id, weak]);
    await signedIn(server, account, elsewhere());
    const [row] = await server.database.asOwner<{ hash: string }>(
      'select encrypted_password as hash from auth.users where id = $1',
      [account.id],
    );
    expect(row?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/u);
    await signedIn(server, account, elsewhere());
  });

  test('[AU-02] malformed requests: validation_failed, never 500', async () => {
    for (const [body, code] of [
      [{}, 'validation_failed'],
      [{ email: null, phone: null, password: PASSWORD }, 'validation_failed'],
      [{ email: 'a@b.fr', phone: '33600000000', password: PASSWORD }, 'validation_failed'],
      [{ email: 42, password: PASSWORD }, 'validation_failed'],
      [[], 'validation_failed'],
      [{ phone: '33600000000', password: PASSWORD }, 'phone_provider_disabled'],
      [{ email: 'a\u0000b@c.fr', password: PASSWORD }, 'validation_failed'],
      [{ email: 'a@b.fr', password: 'x'.repeat(10_000) }, 'invalid_credentials'],
      // More than a visitor may send is not read (DF-26).
      [{ email: 'a@b.fr', password: 'x'.repeat(100_000) }, 'request_entity_too_large'],
    ] as const) {
      const response = await server.fetch('/auth/v1/token?grant_type=password', {
        method: 'POST',
        headers: { 'content-type': 'application/json;charset=UTF-8', ...elsewhere() },
        body: JSON.stringify(body),
      });
      expect(response.status).toBeLessThan(500);
      expect(await response.json()).toMatchObject({ error_code: code });
    }
  });
});

describe('temporary passwords', () => {
  test('[V-19][I-60] it is good for one sign-in, which can only choose the new one; then it opens nothing', async () => {
    const account = await anAccount(server, { password: 'Xk4mWq7TzBn2RvHs9LpD', temporaryHours: 72 });
    const { client, session } = await signedIn(server, account, elsewhere());
    expect(session.user.app_metadata['password_change_required']).toBe(true);

    const again = await clientOf(server, elsewhere()).auth.signInWithPassword(account);
    expect(again.error?.code).toBe('invalid_credentials');

    // Everything but the choice of a password is refused.
    const refused = await server.fetch('/rest/v1/profiles?select=id', {
      headers: { authorization: `Bearer ${session.access_token}` },
    });
    expect(refused.ok).toBe(false);
    // The session lives on, refreshed, with the same duty.
    const refreshed = await client.auth.refreshSession();
    expect(refreshed.data.user?.app_metadata['password_change_required']).toBe(true);

    expect((await client.auth.updateUser({ password: account.password })).error?.code).toBe('same_password');
    const updated = await client.auth.updateUser({ password: PASSWORD });
    expect(updated.error).toBeNull();
    expect(updated.data.user?.app_metadata).not.toHaveProperty('password_change_required');

    const { data, error } = await client.auth.refreshSession();
    expect(error).toBeNull();
    expect(data.user?.app_metadata).not.toHaveProperty('password_change_required');
    await signedIn(server, { ...account, password: PASSWORD }, elsewhere());
    await signedIn(server, { ...account, password: PASSWORD }, elsewhere());
  });

  test('[V-19][I-60] after 72 hours it opens nothing', async () => {
    const account = await anAccount(server, { temporaryHours: 72 });
    await server.database.asOwner(
      `update auth.users set temporary_password_until = temporary_password_until - interval '72 hours 1 second' where id = $1`,
      [account.id],
    );
    const { error } = await clientOf(server, elsewhere()).auth.signInWithPassword(account);
    expect(error?.code).toBe('invalid_credentials');
  });

  test('[V-19] of eight simultaneous first sign-ins one passes', async () => {
    const account = await anAccount(server, { temporaryHours: 72 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => clientOf(server, elsewhere()).auth.signInWithPassword(account)),
    );
    expect(answers.filter((answer) => answer.error === null)).toHaveLength(1);
    for (const { error } of answers) if (error !== null) expect(error.code).toBe('invalid_credentials');
  });
});

describe('guessing', () => {
  test('[I-46] ten tries a minute for one address, then an announced wait', async () => {
    const account = await anAccount(server);
    const headers = elsewhere();
    const codes: (string | undefined)[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const { error } = await clientOf(server, headers).auth.signInWithPassword({
        ...account,
        password: `faux ${attempt}`,
      });
      codes.push(error?.code);
    }
    expect(codes.filter((code) => code === 'invalid_credentials').length).toBeLessThanOrEqual(10);
    expect(codes.at(-1)).toBe('over_request_rate_limit');
    const response = await server.fetch('/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(account),
    });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('[I-46] tries from everywhere are slowed down, without stopping a person who comes from home', async () => {
    const account = await anAccount(server);
    const home = elsewhere();
    await signedIn(server, account, home);
    const codes: (string | undefined)[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const { error } = await clientOf(server, elsewhere()).auth.signInWithPassword({ ...account, password: 'faux' });
      codes.push(error?.code);
    }
    expect(codes).toContain('over_request_rate_limit');
    await signedIn(server, account, home);
    // The owner's success ends the delay for everybody.
    await signedIn(server, account, elsewhere());
  });

  test('[I-46] a telephone number is guarded like an address', async () => {
    const account = await anAccount(server);
    const phone = '33612345678';
    await server.database.asOwner('update auth.users set phone = $2, phone_confirmed_at = now() where id = $1', [
      account.id,
      phone,
    ]);
    // No text message is sent: a number with a password signs in without one.
    const environment = { TRUST_PROXY: '1', SMS_URL: 'http://jeton@127.0.0.1:9/' };
    const node = await startTestServer({ database: server.database, doors: ['auth'], jobs: false, environment });
    const tried = async (password: string, headers: Record<string, string>): Promise<string | undefined> =>
      (await clientOf(node, headers).auth.signInWithPassword({ phone, password })).error?.code;
    const home = elsewhere();
    expect(await tried(account.password, home)).toBeUndefined();
    const codes: (string | undefined)[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) codes.push(await tried('faux', elsewhere()));
    expect(codes).toContain('over_request_rate_limit');
    expect(await tried(account.password, home)).toBeUndefined();
    await node.close();
  });

  test('[I-46] an unknown address is slowed down alike', async () => {
    const codes: (string | undefined)[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const { error } = await clientOf(server, elsewhere()).auth.signInWithPassword({
        email: 'fantome@example.fr',
        password: 'faux',
      });
      codes.push(error?.code);
    }
    expect(codes).toContain('over_request_rate_limit');
  });

  test('[AU-02] successive right sign-ins are not counted as tries', async () => {
    const account = await anAccount(server);
    const headers = elsewhere();
    for (let time = 0; time < 15; time += 1) await signedIn(server, account, headers);
  });
});

test('[F-01] the other doors get the session, or a refusal in French', async () => {
  const account = await anAccount(server);
  const request = { id: 'r1', ip: '10.9.9.9', headers: { 'user-agent': 'test' } };
  const session = await signInWithPassword(server.services, { ...account, request });
  expect((await refreshWith(server, session.refresh_token)).status).toBe(200);
  await expect(signInWithPassword(server.services, { ...account, password: 'faux', request })).rejects.toMatchObject({
    code: 'invalid_credentials',
    message: 'E-mail ou mot de passe incorrect',
  });
});

async function argon2Of(password: string, { memory, passes }: { memory: number; passes: number }): Promise<string> {
  const { argon2Sync, randomBytes } = await import('node:crypto');
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { message: password, nonce, parallelism: 1, tagLength: 32, memory, passes });
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/u, '');
  return `${text(nonce)}$${text(tag)}`;
}
