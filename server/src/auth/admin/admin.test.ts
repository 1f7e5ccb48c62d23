import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  administratorOf,
  anAccount,
  clientOf,
  linkIn,
  PASSWORD,
  refreshWith,
  signedIn,
} from '../../testing/accounts.ts';
import { aClient, aSale, startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth', 'rest'], smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

let number = 0;
const anEmail = (): string => `gere-${(number += 1)}@example.fr`;

describe('users, by the secret key', () => {
  test('[AU-19] create, read, change, delete', async () => {
    const { admin } = administratorOf(server).auth;
    const email = anEmail();
    const created = await admin.createUser({
      email,
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { full_name: 'Marc Gérant', a: 1 },
      app_metadata: { role: 'commercial', plan: 'x' },
    });
    expect(created.error).toBeNull();
    const id = created.data.user?.id ?? '';
    expect(created.data.user?.user_metadata).toEqual({ full_name: 'Marc Gérant', a: 1 });
    expect(created.data.user?.app_metadata).toEqual({
      provider: 'email',
      providers: ['email'],
      role: 'commercial',
      plan: 'x',
    });
    expect((await admin.getUserById(id)).data.user).toEqual(created.data.user);

    const { client } = await signedIn(server, { id, email, password: PASSWORD });
    const renamed = anEmail();
    const updated = await admin.updateUserById(id, {
      email: renamed,
      password: 'quatre-grands-chiens-8',
      user_metadata: { a: null, b: 2 },
      app_metadata: { plan: null, level: 3 },
    });
    expect(updated.error).toBeNull();
    expect(updated.data.user).toMatchObject({ email: renamed, user_metadata: { full_name: 'Marc Gérant', b: 2 } });
    expect(updated.data.user?.user_metadata).not.toHaveProperty('a');
    expect(updated.data.user?.app_metadata).toEqual({
      provider: 'email',
      providers: ['email'],
      role: 'commercial',
      level: 3,
    });
    expect((await client.auth.getUser()).error?.message).toBe('Auth session missing!');
    expect(
      await server.database.asOwner('select from public.profiles where id = $1 and email = $2', [id, renamed]),
    ).toHaveLength(1);
    await signedIn(server, { id, email: renamed, password: 'quatre-grands-chiens-8' });

    const role = await admin.updateUserById(id, { app_metadata: { role: 'admin' } });
    expect(role.error).toMatchObject({ status: 400, code: 'validation_failed' });

    expect((await admin.deleteUser(id)).error).toBeNull();
    expect((await admin.getUserById(id)).error).toMatchObject({ status: 404, code: 'user_not_found' });
    expect(await server.database.asOwner('select from public.profiles where id = $1', [id])).toHaveLength(0);
  });

  test('[AU-19] duplicates, passwords, durations: the codes of the contract', async () => {
    const { admin } = administratorOf(server).auth;
    const account = await anAccount(server);
    const other = await anAccount(server);
    expect((await admin.createUser({ email: account.email })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    });
    expect((await admin.updateUserById(other.id, { email: account.email })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    });
    expect((await admin.createUser({})).error).toMatchObject({ status: 400, code: 'validation_failed' });
    expect((await admin.createUser({ email: anEmail(), password: 'court' })).error?.code).toBe('weak_password');
    expect((await admin.createUser({ email: anEmail(), app_metadata: { role: 'chef' } })).error?.code).toBe(
      'validation_failed',
    );
    expect((await admin.updateUserById(other.id, { ban_duration: 'demain' })).error?.code).toBe('validation_failed');
    const { data } = await admin.updateUserById(other.id, { ban_duration: '1h30m' });
    expect(new Date(data.user?.banned_until ?? 0).getTime()).toBeGreaterThan(Date.now() + 80 * 60_000);
    expect((await clientOf(server).auth.signInWithPassword(other)).error?.code).toBe('user_banned');
    expect((await admin.updateUserById(other.id, { ban_duration: 'none' })).data.user?.banned_until).toBeUndefined();
    await signedIn(server, other);
  });

  test('[AU-19] the list goes by pages, with the headers that the client reads', async () => {
    const { admin } = administratorOf(server).auth;
    for (let count = 0; count < 5; count += 1) await admin.createUser({ email: anEmail() });
    const all = await admin.listUsers();
    expect(all.error).toBeNull();
    const total = 'total' in all.data ? all.data.total : 0;
    expect(total).toBe(all.data.users.length);
    expect(total).toBeGreaterThanOrEqual(5);
    const first = await admin.listUsers({ page: 1, perPage: 2 });
    expect(first.data.users).toHaveLength(2);
    expect(first.data).toMatchObject({ aud: 'authenticated', total, nextPage: 2, lastPage: Math.ceil(total / 2) });
    expect(first.data.users.map((user) => user.id)).toEqual(all.data.users.slice(0, 2).map((user) => user.id));
    const last = await admin.listUsers({ page: Math.ceil(total / 2), perPage: 2 });
    expect(last.data).toMatchObject({ nextPage: null });
    expect((await admin.listUsers({ page: 99, perPage: 50 })).data).toMatchObject({ users: [], total });
    expect((await admin.listUsers({ page: -1 })).error?.status).toBe(400);
  });

  test('[AU-19] a person with a sale does not disappear; their account is erased', async () => {
    const { admin } = administratorOf(server).auth;
    const person = await aClient(server.database);
    await aSale(server.database, { friendReferrer: person });
    expect((await admin.deleteUser(person.id)).error).toMatchObject({ status: 409, code: 'conflict' });
    expect((await admin.deleteUser(person.id, true)).error).toBeNull();
    const [row] = await server.database.asOwner(
      'select u.email, u.encrypted_password, u.deleted_at, p.email as profile, p.full_name from auth.users u join public.profiles p using (id) where id = $1',
      [person.id],
    );
    expect(JSON.stringify(row)).not.toContain(person.email);
    expect(JSON.stringify(row)).not.toContain(person.fullName);
    expect((await admin.createUser({ email: person.email })).error).toBeNull();
  });

  test('[AU-19][CVE-2025-48370] an id that is none leads nowhere', async () => {
    const headers = {
      apikey: server.services.keys.secretKey,
      authorization: `Bearer ${server.services.keys.secretKey}`,
    };
    for (const id of ['', '%2e%2e', '%2e%2e%2fsettings', 'moi', '1']) {
      const response = await server.fetch(`/auth/v1/admin/users/${id}`, { headers, redirect: 'manual' });
      expect({ id, status: response.status }).toEqual({ id, status: 404 });
      expect(response.headers.get('content-type')).toContain('application/json');
    }
  });

  test('[AU-19][32] without the secret key nobody: no visitor, no admin, no forged token', async () => {
    const boss = await signedIn(server, await anAccount(server, { role: 'admin' }));
    const { publishableKey, secretKey } = server.services.keys;
    for (const [headers, status, code] of [
      [{}, 401, 'no_authorization'],
      [{ authorization: 'Basic abc' }, 401, 'no_authorization'],
      [{ authorization: `Bearer ${publishableKey}` }, 403, 'not_admin'],
      [{ authorization: `Bearer ${boss.session.access_token}` }, 403, 'not_admin'],
      [{ authorization: `Bearer ${boss.session.access_token}`, apikey: secretKey }, 403, 'not_admin'],
      [{ authorization: 'Bearer a.b.c' }, 403, 'bad_jwt'],
      [{ authorization: `Bearer ${secretKey}x` }, 403, 'bad_jwt'],
      [{ authorization: `Bearer ${secretKey}`, apikey: secretKey, origin: 'https://x.fr' }, 401, 'no_authorization'],
      [{ authorization: `Bearer ${secretKey}`, origin: 'https://x.fr' }, 403, 'not_admin'],
    ] as const) {
      for (const [method, path] of [
        ['GET', '/auth/v1/admin/users'],
        ['POST', '/auth/v1/admin/users'],
        ['DELETE', `/auth/v1/admin/users/${boss.session.user.id}`],
        ['POST', '/auth/v1/invite'],
        ['POST', '/auth/v1/admin/generate_link'],
      ] as const) {
        const response = await server.fetch(path, { method, headers });
        expect([path, response.status]).toEqual([path, status]);
        expect(await response.json()).toMatchObject({ error_code: code });
      }
    }
  });

  test("[AU-15][AU-19] admin.signOut ends the person's sessions", async () => {
    const account = await anAccount(server);
    const { session } = await signedIn(server, account);
    expect((await administratorOf(server).auth.admin.signOut(session.access_token, 'global')).error).toBeNull();
    expect((await refreshWith(server, session.refresh_token)).status).toBe(400);
  });
});

describe('invitations, by the secret key', () => {
  test('[AU-21][A-06] an invited person chooses a password by the link of the mail; they are a client', async () => {
    const { admin } = administratorOf(server).auth;
    const email = anEmail();
    const { data, error } = await admin.inviteUserByEmail(email, {
      data: { full_name: 'Inès Invitée', role: 'admin' },
    });
    expect(error).toBeNull();
    expect(data.user?.invited_at).toBeTruthy();
    expect(data.user?.app_metadata['role']).toBe('client');
    const mail = await server.mailbox.take(email);
    const link = linkIn(mail.text);
    expect(link.href).toContain(`${server.url}/auth/new-password?`);

    const client = clientOf(server);
    const verified = await client.auth.verifyOtp({
      token_hash: link.searchParams.get('token_hash') ?? '',
      type: 'invite',
    });
    expect(verified.error).toBeNull();
    expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
    await signedIn(server, { id: '', email, password: PASSWORD });
    expect((await admin.inviteUserByEmail(email)).error).toMatchObject({ status: 422, code: 'email_exists' });
    expect((await admin.inviteUserByEmail('pas une adresse')).error).toMatchObject({
      status: 400,
      code: 'validation_failed',
    });
  });
});
