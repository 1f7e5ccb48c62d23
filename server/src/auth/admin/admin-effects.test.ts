import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, PASSWORD, refreshWith, signedIn } from '../../testing/accounts.ts';
import { ALL_CLOSED, ALL_OPEN, knock } from '../../testing/doors.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { ask, refusalOf } from '../../testing/protocol.ts';

let server: TestServer;
beforeAll(async () => {
  const environment = { TRUST_PROXY: '1', SMS_URL: 'http://jeton@127.0.0.1:9/' };
  server = await startTestServer({ jobs: false, environment });
});
afterAll(() => server.close());

let number = 0;
const anEmail = (): string => `effet-${(number += 1)}@example.fr`;

async function arrive(): Promise<{
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly refreshToken: string;
}> {
  const account = await anAccount(server, { role: 'admin' });
  const { session } = await signedIn(server, account);
  return { ...account, token: session.access_token, refreshToken: session.refresh_token };
}

describe('what the secret key does to people who are signed in', () => {
  test('[AU-19][I-42] a ban closes the five doors at once; lifting the ban opens them again', async () => {
    const { admin } = administratorOf(server).auth;
    const person = await arrive();
    expect(await knock(server, person.token)).toEqual(ALL_OPEN);
    expect((await admin.updateUserById(person.id, { ban_duration: '24h' })).error).toBeNull();
    expect(await knock(server, person.token)).toEqual(ALL_CLOSED);
    expect(refusalOf(await clientOf(server).auth.getUser(person.token))).toEqual([403, 'user_banned']);
    expect(await refreshWith(server, person.refreshToken)).toMatchObject({
      status: 400,
      body: { code: 'user_banned' },
    });
    expect(
      refusalOf(await clientOf(server).auth.signInWithPassword({ email: person.email, password: PASSWORD })),
    ).toEqual([400, 'user_banned']);
    // A person without the password does not learn of the ban.
    expect(
      refusalOf(await clientOf(server).auth.signInWithPassword({ email: person.email, password: `${PASSWORD}x` })),
    ).toEqual([400, 'invalid_credentials']);

    expect((await admin.updateUserById(person.id, { ban_duration: 'none' })).error).toBeNull();
    expect(await knock(server, person.token)).toEqual(ALL_OPEN);
    expect((await refreshWith(server, person.refreshToken)).status).toBe(200);
  });

  test('[AU-19] created banned: nobody enters before the ban ends', async () => {
    const email = anEmail();
    const { admin } = administratorOf(server).auth;
    const { data } = await admin.createUser({ email, password: PASSWORD, email_confirm: true, ban_duration: '1h' });
    expect(data.user?.banned_until).toBeTruthy();
    const again = (): Promise<unknown> =>
      clientOf(server).auth.signInWithPassword({ email, password: PASSWORD }).then(refusalOf);
    expect(await again()).toEqual([400, 'user_banned']);
    await server.database.asOwner('update auth.users set banned_until = now() where id = $1', [data.user?.id]);
    expect(await again()).toBeNull();
  });

  test.each([true, false])('[AU-19][I-42] a deletion (soft: %s) closes the five doors at once', async (isSoft) => {
    const { admin } = administratorOf(server).auth;
    const person = await arrive();
    expect((await admin.deleteUser(person.id, isSoft)).error).toBeNull();
    expect(await knock(server, person.token)).toEqual(ALL_CLOSED);
    expect((await refreshWith(server, person.refreshToken)).status).toBe(400);
    expect(refusalOf(await admin.getUserById(person.id))).toEqual(isSoft ? null : [404, 'user_not_found']);
    expect(
      refusalOf(await clientOf(server).auth.signInWithPassword({ email: person.email, password: PASSWORD })),
    ).toEqual([400, 'invalid_credentials']);
  });

  test('[AU-19] a password set by the administration ends every session and voids the links', async () => {
    const { admin } = administratorOf(server).auth;
    const person = await arrive();
    const link = await admin.generateLink({ type: 'recovery', email: person.email });
    expect((await admin.updateUserById(person.id, { password: 'quatre-grands-chiens-8' })).error).toBeNull();
    expect(await knock(server, person.token)).toEqual(ALL_CLOSED);
    const used = await clientOf(server).auth.verifyOtp({
      type: 'recovery',
      token_hash: link.data.properties?.hashed_token ?? '',
    });
    expect(refusalOf(used)).toEqual([403, 'otp_expired']);
    await signedIn(server, { ...person, password: 'quatre-grands-chiens-8' });
  });

  test.each([
    ['global', [false, false]],
    ['local', [false, true]],
    ['others', [true, false]],
  ] as const)('[AU-15][AU-19] admin.signOut %s', async (scope, alive) => {
    const account = await anAccount(server, { role: 'admin' });
    const sessions = [await signedIn(server, account), await signedIn(server, account)];
    const token = sessions[0]?.session.access_token ?? '';
    expect((await administratorOf(server).auth.admin.signOut(token, scope)).error).toBeNull();
    for (const [index, { session }] of sessions.entries()) {
      expect(await knock(server, session.access_token)).toEqual(alive[index] === true ? ALL_OPEN : ALL_CLOSED);
    }
  });
});

describe('what an administrator may not say', () => {
  test('[AU-19] an id that is taken, a role of the database: refused, nothing changed', async () => {
    const { admin } = administratorOf(server).auth;
    const known = await anAccount(server);
    const taken = await admin.createUser({ id: known.id, email: anEmail() });
    expect(refusalOf(taken)).toEqual([409, 'conflict']);
    for (const role of ['service_role', 'supabase_admin', 'postgres', 'admin']) {
      expect(refusalOf(await admin.createUser({ email: anEmail(), role }))).toEqual([400, 'validation_failed']);
      expect(refusalOf(await admin.updateUserById(known.id, { role }))).toEqual([400, 'validation_failed']);
    }
    const created = await admin.createUser({ email: anEmail(), role: 'authenticated', id: randomUUID() });
    expect(created.data.user?.role).toBe('authenticated');
  });

  test('[AU-19] twenty simultaneous creations of one address: one succeeds, the others get their code', async () => {
    const { admin } = administratorOf(server).auth;
    const email = anEmail();
    const answers = await Promise.all(Array.from({ length: 20 }, () => admin.createUser({ email })));
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    for (const answer of answers.filter(({ error }) => error !== null)) {
      expect(refusalOf(answer)).toEqual([422, 'email_exists']);
    }
  });

  test('[AU-19] two simultaneous changes of the metadata keep both', async () => {
    const { admin } = administratorOf(server).auth;
    const { id } = await anAccount(server);
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        admin.updateUserById(id, { user_metadata: { [`u${index}`]: index }, app_metadata: { [`a${index}`]: index } }),
      ),
    );
    const { data } = await admin.getUserById(id);
    for (let index = 0; index < 10; index += 1) {
      expect(data.user?.user_metadata[`u${index}`]).toBe(index);
      expect(data.user?.app_metadata[`a${index}`]).toBe(index);
    }
  });
});

describe('addresses that an administrator gives', () => {
  test('[AU-19] a person with a number alone gets an identity with the address, and a way in with a password', async () => {
    const { admin } = administratorOf(server).auth;
    const created = await admin.createUser({ phone: `+336${String(Date.now()).slice(-8)}`, phone_confirm: true });
    expect(created.error).toBeNull();
    const id = created.data.user?.id ?? '';
    const email = anEmail();
    const updated = await admin.updateUserById(id, { email, email_confirm: true, password: PASSWORD });
    expect(updated.error).toBeNull();
    expect(updated.data.user?.identities?.map(({ provider }) => provider).toSorted()).toEqual(['email', 'phone']);
    expect(updated.data.user?.app_metadata['providers']).toEqual(['phone', 'email']);
    await signedIn(server, { id, email, password: PASSWORD });
  });

  test('[AU-19] without email_confirm a new address keeps the state of the old one, and nothing is sent', async () => {
    const { admin } = administratorOf(server).auth;
    const account = await anAccount(server);
    const email = anEmail();
    const { data } = await admin.updateUserById(account.id, { email });
    expect(data.user).toMatchObject({ email });
    expect(data.user?.new_email).toBeUndefined();
    expect(data.user?.identities?.[0]?.identity_data?.['email']).toBe(email);
    await signedIn(server, { ...account, email });
    const [profile] = await server.database.asOwner('select email from public.profiles where id = $1', [account.id]);
    expect(profile?.['email']).toBe(email);
  });

  test('[AU-19] deleted softly: no metadata, address, number or means of access remains', async () => {
    const { admin } = administratorOf(server).auth;
    const email = anEmail();
    const { data } = await admin.createUser({
      email,
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { full_name: 'Zoé Discrète', secret: 'soleil' },
      app_metadata: { dossier: 'lune' },
    });
    const id = data.user?.id ?? '';
    await signedIn(server, { id, email, password: PASSWORD });
    await admin.generateLink({ type: 'magiclink', email });
    expect((await admin.deleteUser(id, true)).error).toBeNull();
    for (const table of [
      'sessions',
      'identities',
      'one_time_tokens',
      'factors',
      'webauthn_credentials',
      'flow_states',
    ]) {
      expect([table, await server.database.asOwner(`select from auth.${table} where user_id = $1`, [id])]).toEqual([
        table,
        [],
      ]);
    }
    const left = await server.database.asOwner('select u.* from auth.users u where id = $1', [id]);
    for (const word of ['Zoé', 'soleil', 'lune', email, '$argon2']) expect(JSON.stringify(left)).not.toContain(word);
    const raw = await ask(server, 'GET', `/admin/users/${id}`, { bearer: server.services.keys.secretKey });
    expect(raw.body['deleted_at']).toBeTruthy();
    // Twice is no harm.
    expect((await admin.deleteUser(id, true)).error).toBeNull();
  });
});
