// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, linkIn, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere } from '../../testing/links.ts';
import { ask, refusalOf } from '../../testing/protocol.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { TRUST_PROXY: '1', ANONYMOUS_SIGN_IN: '1', SMS_URL: 'http://jeton@127.0.0.1:9/sms' },
  });
});
afterAll(() => server.close());

const admin = (): ReturnType<typeof administratorOf>['auth']['admin'] => administratorOf(server).auth.admin;
const anEmail = (): string => `tenue-${randomUUID().slice(0, 8)}@example.fr`;
let number = 600_000_000;
const aPhone = (): string => `33${(number += 1)}`;
const NOBODY = '00000000-0000-4000-8000-000000000000';

async function asAdministrator(method: string, path: string, body?: unknown): ReturnType<typeof ask> {
  return ask(server, method, path, { bearer: server.services.keys.secretKey, ...(body === undefined ? {} : { body }) });
}

describe('createUser', () => {
  test('[AU-19] by a number: it signs in once confirmed', async () => {
    const phone = aPhone();
    const { data, error } = await admin().createUser({
      phone: `+${phone}`,
      password: PASSWORD,
      phone_confirm: true,
      user_metadata: { full_name: 'Tina Numéro' },
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      phone,
      email: '',
      phone_confirmed_at: expect.any(String),
      user_metadata: { full_name: 'Tina Numéro' },
      app_metadata: { provider: 'phone', providers: ['phone'], role: 'client' },
    });
    expect(data.user?.identities).toMatchObject([
      { provider: 'phone', identity_data: { phone, phone_verified: true } },
    ]);
    expect(
      refusalOf(await clientOf(server, elsewhere()).auth.signInWithPassword({ phone, password: PASSWORD })),
    ).toBeNull();

    const waiting = aPhone();
    expect(refusalOf(await admin().createUser({ phone: waiting, password: PASSWORD }))).toBeNull();
    expect(
      refusalOf(await clientOf(server, elsewhere()).auth.signInWithPassword({ phone: waiting, password: PASSWORD })),
    ).toEqual([400, 'phone_not_confirmed']);
  });

  test('[AU-19] by an address and a number at once, with a chosen id', async () => {
    const id = randomUUID();
    const [email, phone] = [anEmail(), aPhone()];
    const { data, error } = await admin().createUser({ id, email, phone, email_confirm: true, phone_confirm: true });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ id, email, phone, confirmed_at: expect.any(String) });
    expect(data.user?.identities?.map(({ provider }) => provider).toSorted()).toEqual(['email', 'phone']);
  });

  test('[AU-19] each refusal has its code', async () => {
    const known = await anAccount(server);
    const phone = aPhone();
    await admin().createUser({ phone });
    const hash = '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    for (const [attributes, refusal] of [
      [{}, [400, 'validation_failed']],
      [{ email: 'a' }, [400, 'validation_failed']],
      [{ phone: 'abc' }, [400, 'validation_failed']],
      [{ email: known.email }, [422, 'email_exists']],
      [{ phone }, [422, 'phone_exists']],
      [{ phone: `+${phone}` }, [422, 'phone_exists']],
      [{ email: anEmail(), password: PASSWORD, password_hash: hash }, [400, 'validation_failed']],
      [{ email: anEmail(), password_hash: 'md5:abc' }, [400, 'validation_failed']],
      [{ email: anEmail(), password: 'court' }, [422, 'weak_password']],
      [{ email: anEmail(), password: 'é'.repeat(37) }, [400, 'validation_failed']],
      [{ email: anEmail(), id: 'pas-un-uuid' }, [400, 'validation_failed']],
      [{ email: anEmail(), ban_duration: '-1h' }, [400, 'validation_failed']],
      [{ email: anEmail(), app_metadata: { role: 'chef' } }, [400, 'validation_failed']],
    ] as const) {
      expect([attributes, refusalOf(await admin().createUser(attributes))]).toEqual([attributes, refusal]);
    }
  });

  test('[AU-19] the metadata are exactly those that are given, until the confirmation', async () => {
    const given = { full_name: 'Exacte', liste: [1, { deux: null }] };
    const created = await admin().createUser({ email: anEmail(), user_metadata: given });
    expect(created.data.user?.user_metadata).toEqual(given);
    expect((await admin().createUser({ email: anEmail() })).data.user?.user_metadata).toEqual({});
    const { data } = await clientOf(server, elsewhere()).auth.signInAnonymously({ options: { data: given } });
    expect(data.user?.user_metadata).toEqual(given);
    expect(data.user).toMatchObject({ email: '', phone: '', identities: [], is_anonymous: true });
    // The role is the profile's, and nothing else is there.
    expect(data.user?.app_metadata).toEqual({ role: 'client' });
    const confirmed = await admin().updateUserById(created.data.user?.id ?? '', { email_confirm: true });
    expect(confirmed.data.user?.user_metadata).toEqual({ ...given, email_verified: true });
  });
});

describe('updateUserById', () => {
  test('[AU-19] the number changes at once, and is confirmed', async () => {
    const { id } = await anAccount(server);
    const phone = aPhone();
    const changed = await admin().updateUserById(id, { phone });
    expect(changed.error).toBeNull();
    expect(changed.data.user).toMatchObject({ phone });
    expect(changed.data.user).not.toHaveProperty('phone_confirmed_at');
    const confirmed = await admin().updateUserById(id, { phone_confirm: true });
    expect(confirmed.data.user).toHaveProperty('phone_confirmed_at');
    const again = aPhone();
    expect((await admin().updateUserById(id, { phone: again, phone_confirm: true })).data.user).toMatchObject({
      phone: again,
    });
    const other = await anAccount(server);
    expect(refusalOf(await admin().updateUserById(other.id, { phone: again }))).toEqual([422, 'phone_exists']);
    expect(refusalOf(await admin().updateUserById(other.id, { phone: 'abc' }))).toEqual([400, 'validation_failed']);
  });

  test('[AU-19] ban durations are written as in Go', async () => {
    const { id } = await anAccount(server);
    for (const [duration, seconds] of [
      ['300ms', 0.3],
      ['24h', 86_400],
      ['1h30m', 5400],
    ] as const) {
      const asked = Date.now();
      const { data } = await admin().updateUserById(id, { ban_duration: duration });
      const until = new Date(data.user?.banned_until ?? 0).getTime();
      expect(until).toBeGreaterThanOrEqual(asked + seconds * 1000 - 1);
      expect(until).toBeLessThanOrEqual(Date.now() + seconds * 1000 + 1);
    }
  });
});

describe('listUsers, getUserById, deleteUser', () => {
  test('[AU-19] empty pages, a filter, and the headers in the order that the client reads', async () => {
    const name = `Filtre${randomUUID().slice(0, 6)}`;
    for (let count = 0; count < 3; count += 1) await anAccount(server, { fullName: `${name} ${count}` });
    const all = await asAdministrator('GET', '/admin/users?page=&per_page=');
    expect(all.status).toBe(200);
    expect(all.body).toMatchObject({ aud: 'authenticated' });
    const page = await asAdministrator('GET', `/admin/users?page=1&per_page=2&filter=${name}`);
    expect(page.headers.get('x-total-count')).toBe('3');
    expect(page.headers.get('link')).toBe(
      '</admin/users?page=2&per_page=2>; rel="next", </admin/users?page=2&per_page=2>; rel="last"',
    );
    const wide = await asAdministrator('GET', '/admin/users?per_page=999999');
    expect(wide.headers.get('link')).toContain('per_page=1000');
    for (const query of [
      'page=-1',
      'page=0',
      'page=x',
      'per_page=-1',
      'per_page=1.5',
      'sort=hasard',
      'sort=email%20asc;',
    ]) {
      const refused = await asAdministrator('GET', `/admin/users?${query}`);
      expect([query, refused.status, refused.body['code']]).toEqual([query, 400, 'validation_failed']);
    }
  });

  test('[AU-19] the order of the pages is chosen: created_at desc otherwise', async () => {
    const name = `Ordre${randomUUID().slice(0, 6)}`;
    const people = [];
    for (let count = 0; count < 3; count += 1) people.push(await anAccount(server, { fullName: name }));
    const idsBy = async (sort: string): Promise<unknown[]> => {
      const { body } = await asAdministrator('GET', `/admin/users?filter=${name}${sort}`);
      return (body['users'] as { id: string; email: string }[]).map(({ id }) => id);
    };
    const ids = people.map(({ id }) => id);
    expect(await idsBy('')).toEqual(ids.toReversed());
    expect(await idsBy('&sort=created_at%20asc')).toEqual(ids);
    expect(await idsBy('&sort=email%20asc')).toEqual(
      people.toSorted((one, other) => (one.email < other.email ? -1 : 1)).map(({ id }) => id),
    );
  });

  test('[AU-19] a person who does not exist: user_not_found; what is no id: validation_failed', async () => {
    for (const answer of [
      await admin().getUserById(NOBODY),
      await admin().updateUserById(NOBODY, { user_metadata: {} }),
      await admin().deleteUser(NOBODY),
      await admin().mfa.listFactors({ userId: NOBODY }),
      await admin().mfa.deleteFactor({ userId: NOBODY, id: NOBODY }),
      await admin().passkey.listPasskeys({ userId: NOBODY }),
    ]) {
      expect(refusalOf(answer)).toEqual([404, 'user_not_found']);
    }
    for (const [method, path] of [
      ['GET', '/admin/users/moi'],
      ['PUT', '/admin/users/moi'],
      ['DELETE', '/admin/users/moi'],
      ['GET', '/admin/users/moi/factors'],
      ['DELETE', `/admin/users/moi/factors/${NOBODY}`],
      ['PUT', `/admin/users/moi/factors/${NOBODY}`],
      ['GET', '/admin/users/moi/passkeys'],
      ['DELETE', `/admin/users/moi/passkeys/${NOBODY}`],
    ] as const) {
      const refused = await asAdministrator(method, path, method === 'GET' ? undefined : {});
      expect([method, path, refused.status, refused.body['code']]).toEqual([method, path, 404, 'validation_failed']);
    }
  });

  test('[AU-19] deleted softly, the account is still read, without anything of the person, and does not open', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    expect(refusalOf(await admin().deleteUser(account.id, true))).toBeNull();
    expect(refusalOf(await client.auth.getUser())).not.toBeNull();
    const { data } = await admin().getUserById(account.id);
    expect(data.user).toHaveProperty('deleted_at');
    expect(JSON.stringify(data.user)).not.toContain(account.email);
    expect(refusalOf(await clientOf(server, elsewhere()).auth.signInWithPassword(account))).toEqual([
      400,
      'invalid_credentials',
    ]);
    expect(refusalOf(await admin().deleteUser(account.id, true))).toBeNull();
  });
});

describe('who may', () => {
  test('[AU-19][I-41] a service token without an end, signed with anything at all, is not the secret key', async () => {
    for (const secret of [
      'super-secret-jwt-token-with-at-least-32-characters-long',
      server.services.keys.publishableKey,
    ]) {
      const token = await new SignJWT({ role: 'service_role' })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject('1')
        .sign(Buffer.from(secret.padEnd(32)));
      expect(await ask(server, 'GET', '/admin/users', { bearer: token })).toMatchObject({
        status: 403,
        body: { code: 'bad_jwt' },
      });
    }
  });

  test("[AU-15][AU-19] admin.signOut with a token that is nobody's, or an unknown scope", async () => {
    expect(refusalOf(await admin().signOut('a.b.c'))).toEqual([403, 'bad_jwt']);
    const { session, client } = await signedIn(server, await anAccount(server), elsewhere());
    expect(refusalOf(await admin().signOut(session.access_token, 'others'))).toBeNull();
    expect(refusalOf(await client.auth.getUser())).toBeNull();
    expect(refusalOf(await admin().signOut(session.access_token, 'local'))).toBeNull();
    expect((await admin().signOut(session.access_token)).error?.message).toBe('Auth session missing!');
  });
});

describe('inviteUserByEmail', () => {
  test('[AU-21] inviting again replaces the link; the return address is held to ours', async () => {
    const email = anEmail();
    const first = await admin().inviteUserByEmail(email, {
      data: { full_name: 'Invité' },
      redirectTo: 'https://ailleurs.example',
    });
    expect(first.error).toBeNull();
    expect(first.data.user).toMatchObject({ email, user_metadata: { full_name: 'Invité' } });
    expect(first.data.user).not.toHaveProperty('email_confirmed_at');
    const old = linkIn((await server.mailbox.take(email)).text).searchParams.get('token_hash') ?? '';
    expect(refusalOf(await admin().inviteUserByEmail(email))).toBeNull();
    const link = linkIn((await server.mailbox.take(email)).text);
    expect(link.href).not.toContain('ailleurs');
    const { auth } = clientOf(server, elsewhere());
    expect(refusalOf(await auth.verifyOtp({ type: 'invite', token_hash: old }))).toEqual([403, 'otp_expired']);
    const { data, error } = await auth.verifyOtp({
      type: 'invite',
      token_hash: link.searchParams.get('token_hash') ?? '',
    });
    expect(error).toBeNull();
    expect(data.user).toHaveProperty('email_confirmed_at');
  });

  test('[AU-21][AU-01] an invited person who registers reads nothing of what was said of them', async () => {
    const email = anEmail();
    await admin().inviteUserByEmail(email, { data: { full_name: 'Secret' } });
    const { data } = await clientOf(server, elsewhere()).auth.signUp({ email, password: PASSWORD });
    expect(JSON.stringify(data)).not.toContain('Secret');
  });
});
