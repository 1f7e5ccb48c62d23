import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, PASSWORD, refreshWith, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth', 'rest'], smtp: true });
});
afterAll(() => server.close());

const NEW_PASSWORD = 'quatre-grands-chiens-8';

describe('the person of a session', () => {
  test.each<[string, Record<string, unknown>]>([
    ['half a character', { note: 'x\udfff' }],
    ['a key that is half a character', { nested: [{ 'x\udfff\ud800': {} }] }],
    ['a NUL', { note: 'a\0b' }],
  ])('[AU-13][E-01] what the database cannot keep is refused, wherever it is given: %s', async (_, data) => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account);
    const admin = administratorOf(server).auth.admin;
    const email = `nouveau-${account.id}@example.fr`;
    const outcomes = [
      await client.auth.updateUser({ data }),
      await clientOf(server).auth.signUp({ email, password: PASSWORD, options: { data } }),
      await clientOf(server).auth.signInWithOtp({ email, options: { data } }),
      await admin.createUser({ email, user_metadata: data }),
      await admin.createUser({ email, app_metadata: data }),
      await admin.updateUserById(account.id, { user_metadata: data }),
      await admin.updateUserById(account.id, { app_metadata: data }),
      await admin.inviteUserByEmail(email, { data }),
      await admin.generateLink({ type: 'magiclink', email, options: { data } }),
    ];
    expect(outcomes.map(({ error }) => [error?.status, error?.code])).toEqual(
      outcomes.map(() => [400, 'validation_failed']),
    );
    expect((await client.auth.updateUser({ data: { note: 'é 👍 \\ud800' } })).error).toBeNull();
  });

  test('[AU-13] GET /user gives the person; without a session the client says « Auth session missing! »', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account);
    expect((await client.auth.getUser()).data.user).toMatchObject({ id: account.id, email: account.email });
    const { error } = await clientOf(server).auth.getUser();
    expect(error?.message).toBe('Auth session missing!');
    const bare = await server.fetch('/auth/v1/user');
    expect(bare.status).toBe(401);
    expect(await bare.json()).toMatchObject({
      error_code: 'no_authorization',
      message: expect.stringContaining('Bearer token'),
    });
  });

  test('[AU-13][S-10] PUT data merges, null erases, and the session announces USER_UPDATED', async () => {
    const { client } = await signedIn(server, await anAccount(server));
    const events: string[] = [];
    client.auth.onAuthStateChange((event) => events.push(event));
    await client.auth.updateUser({ data: { a: 1, b: { c: 2 }, d: 'x' } });
    const { data, error } = await client.auth.updateUser({ data: { b: { e: 3 }, d: null } });
    expect(error).toBeNull();
    expect(data.user?.user_metadata).toEqual({ a: 1, b: { e: 3 } });
    expect((await client.auth.getUser()).data.user?.user_metadata).toEqual({ a: 1, b: { e: 3 } });
    expect(events).toContain('USER_UPDATED');
    expect((await client.auth.updateUser({ data: { big: 'x'.repeat(9000) } })).error?.code).toBe('validation_failed');
  });

  test('[AU-13] without a provider of text messages a number is not changed', async () => {
    const { client } = await signedIn(server, await anAccount(server));
    expect((await client.auth.updateUser({ phone: '33612345678' })).error?.code).toBe('phone_provider_disabled');
    expect((await client.auth.getUser()).data.user).not.toHaveProperty('new_phone');
  });

  test('[AU-13][I-45] a new password ends the other sessions, tells the person, and voids the pending links', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account);
    const other = await signedIn(server, account);
    await client.auth.resetPasswordForEmail(account.email);
    const recovery = await server.mailbox.take(account.email);
    const token = /token_hash=([^&\s]+)/u.exec(recovery.text)?.[1] ?? '';

    expect((await client.auth.updateUser({ password: PASSWORD, current_password: PASSWORD })).error).toMatchObject({
      status: 422,
      code: 'same_password',
    });
    expect((await client.auth.updateUser({ password: 'court' })).error).toMatchObject({
      code: 'weak_password',
      reasons: ['length'],
    });
    expect((await client.auth.updateUser({ password: 'martin2026' })).error?.code).toBe('weak_password');
    expect((await client.auth.updateUser({ password: NEW_PASSWORD, current_password: PASSWORD })).error).toBeNull();

    expect((await client.auth.getUser()).error).toBeNull();
    expect((await other.client.auth.getUser()).error?.message).toBe('Auth session missing!');
    expect((await refreshWith(server, other.session.refresh_token)).body['code']).toBe('refresh_token_not_found');
    const used = await clientOf(server).auth.verifyOtp({ token_hash: decodeURIComponent(token), type: 'recovery' });
    expect(used.error?.code).toBe('otp_expired');
    const notice = await server.mailbox.take(account.email);
    expect(notice.subject).toContain('mot de passe a été modifié');
    expect(notice.text + notice.html).not.toContain(NEW_PASSWORD);

    expect((await clientOf(server).auth.signInWithPassword(account)).error?.code).toBe('invalid_credentials');
    await signedIn(server, { ...account, password: NEW_PASSWORD });
  });
});

describe('logout', () => {
  const scopes = [
    { scope: 'local', left: [false, true, true] },
    { scope: 'others', left: [true, false, false] },
    { scope: 'global', left: [false, false, false] },
  ] as const;
  for (const { scope, left } of scopes) {
    test(`[AU-15][I-44][S-10] ${scope}: exactly these sessions end, access tokens included, everywhere`, async () => {
      const account = await anAccount(server);
      const sessions = [
        await signedIn(server, account),
        await signedIn(server, account),
        await signedIn(server, account),
      ];
      const bystander = await signedIn(server, await anAccount(server));
      const events: string[] = [];
      sessions[0]?.client.auth.onAuthStateChange((event) => events.push(event));
      expect((await sessions[0]?.client.auth.signOut({ scope }))?.error).toBeNull();
      if (scope !== 'others') expect(events).toContain('SIGNED_OUT');
      for (const [index, { session }] of sessions.entries()) {
        const isAlive = left[index];
        const user = await clientOf(server).auth.getUser(session.access_token);
        expect(user.error === null).toBe(isAlive);
        const rest = await server.fetch('/rest/v1/profiles?select=id', {
          headers: { authorization: `Bearer ${session.access_token}` },
        });
        expect(rest.ok).toBe(isAlive);
        expect((await refreshWith(server, session.refresh_token)).status).toBe(isAlive ? 200 : 400);
      }
      expect((await bystander.client.auth.getUser()).error).toBeNull();
    });
  }

  test('[AU-15] an unknown scope is refused, and without body or scope everything ends', async () => {
    const account = await anAccount(server);
    const { session } = await signedIn(server, account);
    const headers = {
      authorization: `Bearer ${session.access_token}`,
      'content-type': 'application/json;charset=UTF-8',
    };
    const odd = await server.fetch('/auth/v1/logout?scope=partout', { method: 'POST', headers });
    expect(odd.status).toBe(400);
    expect(await odd.json()).toMatchObject({ error_code: 'validation_failed' });
    const done = await server.fetch('/auth/v1/logout', { method: 'POST', headers });
    expect(done.status).toBe(204);
    expect(await done.text()).toBe('');
    const gone = await server.fetch('/auth/v1/logout', { method: 'POST', headers });
    expect(gone.status).toBe(403);
    expect(await gone.json()).toMatchObject({ error_code: 'session_not_found' });
  });
});
