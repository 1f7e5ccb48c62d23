import type { SupabaseClient } from '@supabase/supabase-js';
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  administratorOf,
  anAccount,
  clientOf,
  endCooldowns,
  linkIn,
  PASSWORD,
  signedIn,
} from '../../testing/accounts.ts';
import type { TestAccount } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere, wrongCode } from '../../testing/links.ts';
import { startSmsSink } from '../../testing/sms-sink.ts';
import type { SmsSink } from '../../testing/sms-sink.ts';

let sink: SmsSink;
let server: TestServer;
let strict: TestServer;
beforeAll(async () => {
  sink = await startSmsSink();
  const environment = { TRUST_PROXY: '1', SMS_URL: sink.url };
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { ...environment, REQUIRE_CURRENT_PASSWORD: 'off' },
  });
  strict = await startTestServer({ doors: ['auth'], smtp: true, environment });
});
afterAll(async () => {
  await server.close();
  await strict.close();
  await sink.close();
});

const NEW = 'quatre-grands-chiens-8';
const NEEDED = { status: 400, code: 'reauthentication_needed' };
const NOT_VALID = { status: 422, code: 'reauthentication_not_valid' };
const visitor = (where = server) => clientOf(where, elsewhere()).auth;

type Person = { readonly account: TestAccount; readonly client: SupabaseClient };

async function aPerson(where = server): Promise<Person> {
  const account = await anAccount(where);
  const { client } = await signedIn(where, account, elsewhere());
  return { account, client };
}

/** Somebody whose session began more than a day ago. */
async function anOldSession(where = server): Promise<Person> {
  const person = await aPerson(where);
  await where.database.asOwner(`update auth.sessions set created_at = now() - interval '25 hours' where user_id = $1`, [
    person.account.id,
  ]);
  return person;
}

async function nonceOf({ account, client }: Person, where = server): Promise<string> {
  expect((await client.auth.reauthenticate()).error).toBeNull();
  const mail = await where.mailbox.take(account.email);
  expect(mail.subject).toMatch(/^Votre code de confirmation/u);
  return codeIn(mail.text);
}

async function age(id: string, interval: string): Promise<void> {
  await server.database.asOwner(
    `with aged as (update auth.users set reauthentication_sent_at = reauthentication_sent_at - $2::interval where id = $1)
     update auth.one_time_tokens set expires_at = expires_at - $2::interval, code_expires_at = code_expires_at - $2::interval
     where user_id = $1`,
    [id, interval],
  );
}

const isOld = async ({ account }: Person, where = server): Promise<boolean> =>
  (await visitor(where).signInWithPassword({ email: account.email, password: PASSWORD })).error === null;

describe('reauthenticate', () => {
  test('[AU-14][AU-13] a session older than a day: the code of the mail, once', async () => {
    const person = await anOldSession();
    const { client, account } = person;
    expect((await client.auth.updateUser({ password: NEW })).error).toMatchObject(NEEDED);
    expect(await isOld(person)).toBe(true);
    const nonce = await nonceOf(person);
    const { error } = await client.auth.updateUser({ password: NEW, nonce });
    expect(error).toBeNull();
    expect((await visitor().signInWithPassword({ email: account.email, password: NEW })).error).toBeNull();
    expect((await server.mailbox.take(account.email)).subject).toMatch(/^Votre mot de passe a été modifié/u);
    expect((await client.auth.updateUser({ password: 'cinq-petits-oiseaux-9', nonce })).error).toMatchObject(NOT_VALID);
  });

  test('[AU-13] a session of today needs none, nor does an address or a name', async () => {
    const { client } = await aPerson();
    expect((await client.auth.updateUser({ password: NEW })).error).toBeNull();
    const old = await anOldSession();
    expect((await old.client.auth.updateUser({ data: { full_name: 'Zoé' } })).error).toBeNull();
  });

  test('[AU-14][I-50] ten minutes', async () => {
    const person = await anOldSession();
    const nonce = await nonceOf(person);
    await age(person.account.id, '601 seconds');
    expect((await person.client.auth.updateUser({ password: NEW, nonce })).error).toMatchObject(NOT_VALID);
    expect(await isOld(person)).toBe(true);
  });

  test("[AU-14][I-50] another person's code is worth nothing, nor a code for another use", async () => {
    const person = await anOldSession();
    const other = await anOldSession();
    const nonce = await nonceOf(other);
    await nonceOf(person);
    expect((await person.client.auth.updateUser({ password: NEW, nonce })).error).toMatchObject(NOT_VALID);
    expect((await other.client.auth.updateUser({ password: NEW, nonce })).error).toBeNull();

    await visitor().signInWithOtp({ email: person.account.email });
    const signIn = codeIn((await server.mailbox.take(person.account.email)).text);
    expect((await person.client.auth.updateUser({ password: NEW, nonce: signIn })).error).toMatchObject(NOT_VALID);
    expect(await isOld(person)).toBe(true);
  });

  test('[AU-14][I-50] the code opens no session', async () => {
    const person = await aPerson();
    const token = await nonceOf(person);
    for (const type of ['email', 'magiclink', 'recovery', 'signup', 'invite', 'email_change'] as const) {
      const { error } = await visitor().verifyOtp({ email: person.account.email, token, type });
      expect(error).toMatchObject({ status: 403, code: 'otp_expired' });
    }
  });

  test('[AU-14][I-50] five wrong codes void the right one', async () => {
    const person = await anOldSession();
    const nonce = await nonceOf(person);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { error } = await person.client.auth.updateUser({ password: NEW, nonce: wrongCode(nonce) });
      expect(error).toMatchObject(NOT_VALID);
    }
    expect((await person.client.auth.updateUser({ password: NEW, nonce })).error).toMatchObject(NOT_VALID);
  });

  test('[AU-14] a password that is too weak does not use the code up', async () => {
    const person = await anOldSession();
    const nonce = await nonceOf(person);
    expect((await person.client.auth.updateUser({ password: 'court', nonce })).error).toMatchObject({
      code: 'weak_password',
    });
    expect((await person.client.auth.updateUser({ password: NEW, nonce })).error).toBeNull();
  });

  test('[AU-14][I-50] twenty simultaneous uses: one changes the password', async () => {
    const person = await anOldSession();
    const nonce = await nonceOf(person);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => person.client.auth.updateUser({ password: `${NEW}-${index}`, nonce })),
    );
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    for (const { error } of answers) if (error !== null) expect(error).toMatchObject(NOT_VALID);
  });

  test('[AU-14] a minute between two codes, and only the last is good', async () => {
    const person = await anOldSession();
    const first = await nonceOf(person);
    expect((await person.client.auth.reauthenticate()).error).toMatchObject({
      status: 429,
      code: 'over_email_send_rate_limit',
    });
    await age(person.account.id, '61 seconds');
    const second = await nonceOf(person);
    if (first !== second) {
      expect((await person.client.auth.updateUser({ password: NEW, nonce: first })).error).toMatchObject(NOT_VALID);
    }
    expect((await person.client.auth.updateUser({ password: NEW, nonce: second })).error).toBeNull();
  });

  test('[AU-14] by telephone where there is no address', async () => {
    const phone = `336${randomInt(10_000_000, 99_999_999)}`;
    const { auth } = clientOf(server, elsewhere());
    await auth.signUp({ phone, password: PASSWORD });
    await auth.verifyOtp({ phone, token: codeIn((await sink.take(`+${phone}`)).text), type: 'sms' });
    await auth.signInWithPassword({ phone, password: PASSWORD });
    await server.database.asOwner(
      `update auth.sessions set created_at = now() - interval '25 hours' where user_id = (select id from auth.users where phone = $1)`,
      [phone],
    );
    expect((await auth.updateUser({ password: NEW })).error).toMatchObject(NEEDED);
    expect((await auth.reauthenticate()).error).toBeNull();
    const nonce = codeIn((await sink.take(`+${phone}`)).text);
    expect((await visitor().verifyOtp({ phone, token: nonce, type: 'sms' })).error).toMatchObject({
      code: 'otp_expired',
    });
    expect((await auth.updateUser({ password: NEW, nonce })).error).toBeNull();
    expect((await visitor().signInWithPassword({ phone, password: NEW })).error).toBeNull();
  });

  test('[AU-14] without a session, or without a confirmed address', async () => {
    const response = await server.fetch('/auth/v1/reauthenticate');
    expect(response.status).toBe(401);
    const { client, account } = await aPerson();
    await server.database.asOwner('update auth.users set email_confirmed_at = null where id = $1', [account.id]);
    expect((await client.auth.reauthenticate()).error).toMatchObject({ status: 422, code: 'email_not_confirmed' });
  });
});

describe('the current password', () => {
  test('[FX-13][AU-13] asked for unless the configuration says otherwise, in a session of this minute too', async () => {
    const person = await aPerson(strict);
    const { auth } = person.client;
    expect((await auth.updateUser({ password: NEW })).error).toMatchObject({
      status: 400,
      code: 'current_password_required',
    });
    const wrong = await auth.updateUser({ password: NEW, current_password: 'pas-celui-la-4' });
    expect(wrong.error).toMatchObject({ status: 400, code: 'current_password_invalid' });
    expect(await isOld(person, strict)).toBe(true);
    expect((await auth.updateUser({ password: NEW, current_password: PASSWORD })).error).toBeNull();
  });

  const REQUIRED = { status: 400, code: 'current_password_required' };

  /** A session that the last mail to this address opened. */
  async function byMail(email: string, type: 'recovery' | 'magiclink' | 'invite', how: 'link' | 'code') {
    const { auth } = clientOf(strict, elsewhere());
    if (type === 'recovery') await auth.resetPasswordForEmail(email);
    if (type === 'magiclink') await auth.signInWithOtp({ email });
    if (type === 'invite') await administratorOf(strict).auth.admin.inviteUserByEmail(email);
    const { text } = await strict.mailbox.take(email);
    const link = linkIn(text).searchParams;
    const { error } = await auth.verifyOtp(
      how === 'link'
        ? { token_hash: link.get('token_hash') ?? link.get('token') ?? '', type }
        : { email, token: codeIn(text), type },
    );
    expect(error).toBeNull();
    return auth;
  }

  test.each(['link', 'code'] as const)(
    '[FX-13][AU-13] a recovery by %s needs none, once, within the hour',
    async (how) => {
      const { email, id } = await anAccount(strict);
      const auth = await byMail(email, 'recovery', how);
      expect((await auth.updateUser({ password: NEW })).error).toBeNull();
      expect((await auth.updateUser({ password: 'cinq-petits-oiseaux-9' })).error).toMatchObject(REQUIRED);
      expect((await strict.mailbox.take(email)).subject).toMatch(/^Votre mot de passe a été modifié/u);

      await strict.database.asOwner(`update auth.users set recovery_sent_at = null where id = $1`, [id]);
      await endCooldowns(strict);
      const late = await byMail(email, 'recovery', how);
      await strict.database.asOwner(
        `update auth.sessions set password_free_until = password_free_until - interval '1 hour' where user_id = $1`,
        [id],
      );
      expect((await late.updateUser({ password: 'cinq-petits-oiseaux-9' })).error).toMatchObject(REQUIRED);
    },
  );

  test('[FX-13][AU-13] a sign-in by link or code, and a confirmed address, ask for it like any other', async () => {
    for (const how of ['link', 'code'] as const) {
      const { email } = await anAccount(strict);
      const auth = await byMail(email, 'magiclink', how);
      expect([how, (await auth.updateUser({ password: NEW })).error]).toEqual([how, expect.objectContaining(REQUIRED)]);
      expect((await auth.updateUser({ password: NEW, current_password: PASSWORD })).error).toBeNull();
    }
  });

  test('[FX-13][AU-13] whoever is invited or has no password yet chooses their first', async () => {
    const invited = await byMail(`invitee-${randomInt(1_000_000)}@example.fr`, 'invite', 'link');
    expect((await invited.updateUser({ password: NEW })).error).toBeNull();

    const address = `sans-${randomInt(1_000_000)}@example.fr`;
    const other = clientOf(strict, elsewhere()).auth;
    await other.signInWithOtp({ email: address });
    await other.verifyOtp({ email: address, token: codeIn((await strict.mailbox.take(address)).text), type: 'email' });
    expect((await other.updateUser({ password: NEW })).error).toBeNull();
  });

  test('[AU-13][AU-14] given and right, it stands for the code; twenty tries, no more', async () => {
    const person = await anOldSession();
    expect((await person.client.auth.updateUser({ password: NEW, current_password: PASSWORD })).error).toBeNull();
    const other = await anOldSession();
    const token = (await other.client.auth.getSession()).data.session?.access_token ?? '';
    const codes: (string | undefined)[] = [];
    for (let attempt = 0; attempt < 24; attempt += 1) {
      const answer = await server.fetch('/auth/v1/user', {
        method: 'PUT',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...elsewhere() },
        body: JSON.stringify({ password: NEW, current_password: `devine-encore-${attempt}` }),
      });
      codes.push(((await answer.json()) as { error_code?: string }).error_code);
    }
    expect(codes.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'current_password_invalid'));
    expect(codes.slice(20)).toContain('over_request_rate_limit');
  });
});
