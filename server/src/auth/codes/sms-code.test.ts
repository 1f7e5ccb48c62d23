import type { SupabaseClient } from '@supabase/supabase-js';
import { randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { createLog } from '../../platform/log.ts';
import { anAccount, clientOf, endCooldowns, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { Reachable, TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere, wrongCode } from '../../testing/links.ts';
import { withPatientAuth } from '../../testing/patient-auth.ts';
import { startSmsSink } from '../../testing/sms-sink.ts';
import type { SmsSink } from '../../testing/sms-sink.ts';
import { jobsAreDone } from '../../testing/waiting.ts';

let sink: SmsSink;
let server: TestServer;
const lines: string[] = [];
beforeAll(async () => {
  sink = await startSmsSink();
  server = await startTestServer({
    doors: ['auth', 'rest'],
    smtp: true,
    log: createLog('trace', { write: (line) => void lines.push(line) }),
    environment: { TRUST_PROXY: '1', SMS_URL: `http://jeton-secret@${sink.host}/envoi?compte=7` },
  });
});
afterEach(() => sink.answer(200));
afterAll(async () => {
  await server.close();
  await sink.close();
});

const EXPIRED = { status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' };

/** A French mobile number that nobody has, without its +. */
const aNumber = (): string => `336${randomInt(10_000_000, 99_999_999)}`;

function visitor(where: Reachable = server): SupabaseClient['auth'] {
  return clientOf(where, elsewhere()).auth;
}

async function codeTo(phone: string): Promise<string> {
  return codeIn((await sink.take(`+${phone}`)).text);
}

function textsTo(phone: string): number {
  return sink.texts.filter(({ to }) => to === `+${phone}`).length;
}

async function post(path: string, body: unknown, where = server): Promise<{ status: number; code: unknown }> {
  const response = await where.fetch(`/auth/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...elsewhere() },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { error_code?: unknown };
  return { status: response.status, code: answer.error_code };
}

/** As if this much time had gone by for everything that was sent to a number. */
async function age(phone: string, interval: string): Promise<void> {
  await endCooldowns(server);
  await server.database.asOwner(
    `with aged as (
       update auth.users set confirmation_sent_at = confirmation_sent_at - $2::interval,
         recovery_sent_at = recovery_sent_at - $2::interval, phone_change_sent_at = phone_change_sent_at - $2::interval
       where phone = $1 or new_phone = $1)
     update auth.one_time_tokens set expires_at = expires_at - $2::interval, code_expires_at = code_expires_at - $2::interval
     where relates_to = $1`,
    [phone, interval],
  );
}

/** An account that signs in by telephone. */
async function aCaller(): Promise<{ readonly phone: string; readonly id: string }> {
  const phone = aNumber();
  const { data, error } = await visitor().signUp({ phone, password: PASSWORD });
  expect(error).toBeNull();
  const verified = await visitor().verifyOtp({ phone, token: await codeTo(phone), type: 'sms' });
  expect(verified.error).toBeNull();
  return { phone, id: data.user?.id ?? '' };
}

describe('a registration by telephone', () => {
  test('[AU-01][A-06] the number is confirmed by its code, and the password signs in afterwards', async () => {
    const phone = aNumber();
    const { data, error } = await visitor().signUp({
      phone: `+${phone.slice(0, 3)} ${phone.slice(3)}`,
      password: PASSWORD,
      options: { data: { full_name: 'Yann Le Goff', role: 'admin' } },
    });
    expect(error).toBeNull();
    expect(data.session).toBeNull();
    expect(data.user).toMatchObject({
      phone,
      email: '',
      app_metadata: { provider: 'phone', providers: ['phone'], role: 'client' },
      user_metadata: { full_name: 'Yann Le Goff', phone, phone_verified: false },
      is_anonymous: false,
    });
    expect(data.user?.identities).toEqual([expect.objectContaining({ provider: 'phone', id: data.user?.id })]);
    expect(data.user?.phone_confirmed_at).toBeUndefined();

    const early = await visitor().signInWithPassword({ phone, password: PASSWORD });
    expect(early.error).toMatchObject({ status: 400, code: 'phone_not_confirmed' });
    const wrong = await visitor().signInWithPassword({ phone, password: 'pas-le-bon-mot-8' });
    expect(wrong.error).toMatchObject({ status: 400, code: 'invalid_credentials' });

    const { text } = await sink.take(`+${phone}`);
    expect(text).toMatch(/^.+ : votre code est \d{6}\. Il est valable 5 minutes\. Ne le donnez à personne\.$/u);
    const verified = await visitor().verifyOtp({ phone: `+${phone}`, token: codeIn(text), type: 'sms' });
    expect(verified.error).toBeNull();
    expect(verified.data.user?.phone_confirmed_at).toBeTruthy();
    expect(verified.data.user?.confirmed_at).toBe(verified.data.user?.phone_confirmed_at);
    expect(verified.data.user?.user_metadata).toMatchObject({ phone_verified: true });
    const [profile] = await server.database.asOwner(
      'select role, full_name, phone, email from public.profiles where id = $1',
      [data.user?.id],
    );
    expect(profile).toEqual({ role: 'client', full_name: 'Yann Le Goff', phone: `+${phone}`, email: '' });

    const late = await visitor().signInWithPassword({ phone: `+${phone}`, password: PASSWORD });
    expect(late.error).toBeNull();
    expect(late.data.user?.id).toBe(data.user?.id);
  });

  test('[AU-01][I-49] a number that has an account is answered as a new one, and keeps its password', async () => {
    const { phone, id } = await aCaller();
    await age(phone, '61 seconds');
    const shapes = [];
    for (const number of [phone, aNumber()]) {
      const { data, error } = await visitor().signUp({ phone: number, password: 'un-autre-mot-de-passe-5' });
      expect(error).toBeNull();
      expect(data.user?.id).not.toBe(id);
      shapes.push(Object.keys(data.user ?? {}).toSorted());
      expect((await visitor().signUp({ phone: number, password: PASSWORD })).error).toMatchObject({
        status: 429,
        code: 'over_sms_send_rate_limit',
      });
    }
    expect(shapes[0]).toEqual(shapes[1]);
    expect((await visitor().signInWithPassword({ phone, password: 'un-autre-mot-de-passe-5' })).error).toMatchObject({
      code: 'invalid_credentials',
    });
    expect((await visitor().signInWithPassword({ phone, password: PASSWORD })).error).toBeNull();
  });

  test('[AU-01] twenty simultaneous registrations: one account, one message', async () => {
    const phone = aNumber();
    await withPatientAuth(server, async (patient) => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => visitor(patient).signUp({ phone, password: PASSWORD })),
      );
      expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
      for (const { error } of answers) {
        if (error !== null) expect(error).toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' });
      }
      expect(textsTo(phone)).toBe(1);
      expect(await server.database.asOwner('select from auth.users where phone = $1', [phone])).toHaveLength(1);
    });
  });

  test('[AU-01] what is no number, and what does not go together', async () => {
    for (const phone of [
      '0612345678',
      '+',
      'abc',
      '33 6 12 ab',
      '1234567890123456',
      '+0612345678',
      '33612345678;ext=1',
    ]) {
      const { error } = await visitor().signUp({ phone, password: PASSWORD });
      expect({ phone, error: error?.message }).toEqual({
        phone,
        error: 'Invalid phone number format (E.164 required)',
      });
    }
    const phone = aNumber();
    for (const body of [
      { phone, email: 'a@b.fr', password: PASSWORD },
      { phone },
      { phone, password: PASSWORD, channel: 'pigeon' },
      { phone, password: PASSWORD, code_challenge: 'x'.repeat(43), code_challenge_method: 's256' },
    ]) {
      expect(await post('/signup', body)).toEqual({ status: 400, code: 'validation_failed' });
    }
    expect(await post('/signup', { phone, password: 'court' })).toEqual({ status: 422, code: 'weak_password' });
    expect(textsTo(phone)).toBe(0);
  });
});

describe('a code by text message', () => {
  test("[AU-07][A-06] sign-in by code; an unknown number opens a client's account", async () => {
    const phone = aNumber();
    const asked = await visitor().signInWithOtp({ phone: `+${phone}`, options: { data: { name: 'Léa Morin' } } });
    expect(asked.error).toBeNull();
    expect(asked.data).toMatchObject({ user: null, session: null });
    const first = await visitor().verifyOtp({ phone, token: await codeTo(phone), type: 'sms' });
    expect(first.data.user).toMatchObject({ phone, app_metadata: { provider: 'phone', role: 'client' } });
    await age(phone, '61 seconds');
    expect((await visitor().signInWithOtp({ phone })).error).toBeNull();
    const again = await visitor().verifyOtp({ phone, token: await codeTo(phone), type: 'sms' });
    expect(again.data.user?.id).toBe(first.data.user?.id);
    const claims = JSON.parse(
      Buffer.from(again.data.session?.access_token.split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<string, unknown>;
    expect(claims).toMatchObject({ phone, email: '', amr: [{ method: 'otp' }], role: 'authenticated' });
  });

  test('[DF-25, AU-07] a number without leave to open an account: the same answers with and without one', async () => {
    const nobody = aNumber();
    const { phone } = await aCaller();
    await age(phone, '61 seconds');
    for (const number of [nobody, phone]) {
      const asked = () => visitor().signInWithOtp({ phone: number, options: { shouldCreateUser: false } });
      expect((await asked()).error).toBeNull();
      const { error } = await asked();
      expect(error).toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' });
      expect(error?.message).toMatch(/^For security purposes, you can only request this after (?:60|5\d) seconds\.$/u);
    }
    const token = await codeTo(phone);
    expect((await visitor().verifyOtp({ phone, token, type: 'sms' })).error).toBeNull();
    expect(textsTo(nobody)).toBe(0);
    expect(await server.database.asOwner('select from auth.users where phone = $1', [nobody])).toHaveLength(0);
  });

  test('[AU-07][I-50] a minute between two codes; twenty requests together give one', async () => {
    const { phone } = await aCaller();
    await age(phone, '61 seconds');
    const answers = await Promise.all(Array.from({ length: 20 }, () => visitor().signInWithOtp({ phone })));
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    const token = await codeTo(phone);
    const refused = await visitor().signInWithOtp({ phone });
    expect(refused.error).toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' });
    // Having used the code does not shorten the wait.
    expect((await visitor().verifyOtp({ phone, token, type: 'sms' })).error).toBeNull();
    expect((await visitor().signInWithOtp({ phone })).error).toMatchObject({ status: 429 });
    expect(textsTo(phone)).toBe(2);
  });

  test('[AU-07] twenty simultaneous requests for an unknown number: one account, one message', async () => {
    for (let round = 0; round < 3; round += 1) {
      const phone = aNumber();
      const answers = await Promise.all(Array.from({ length: 20 }, () => visitor().signInWithOtp({ phone })));
      expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
      for (const { error } of answers) if (error !== null) expect(error).toMatchObject({ status: 429 });
      expect(textsTo(phone)).toBe(1);
      expect(await server.database.asOwner('select from auth.users where phone = $1', [phone])).toHaveLength(1);
    }
  });

  test('[AU-07][I-50] ten messages an hour to one number, wherever they are asked from', async () => {
    const { phone } = await aCaller();
    const codes: (string | undefined)[] = [];
    for (let request = 0; request < 11; request += 1) {
      await age(phone, '61 seconds');
      codes.push((await visitor().signInWithOtp({ phone })).error?.code);
    }
    expect(codes).toEqual([
      ...Array.from({ length: 9 }, () => undefined),
      ...Array.from({ length: 2 }, () => 'over_sms_send_rate_limit'),
    ]);
  });

  test('[AU-07][I-50] ten messages an hour for one network', async () => {
    const { auth } = clientOf(server, elsewhere());
    const codes: (string | undefined)[] = [];
    for (let request = 0; request < 11; request += 1) {
      codes.push((await auth.signInWithOtp({ phone: aNumber() })).error?.code);
    }
    expect(codes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => undefined));
    expect(codes[10]).toBe('over_sms_send_rate_limit');
  });

  test('[AU-07][I-50] the code is void after five tries, even simultaneous ones', async () => {
    for (const together of [false, true]) {
      const phone = aNumber();
      await visitor().signInWithOtp({ phone });
      const token = await codeTo(phone);
      const guess = () => visitor().verifyOtp({ phone, token: wrongCode(token), type: 'sms' });
      if (together) await Promise.all(Array.from({ length: 12 }, guess));
      else for (let attempt = 0; attempt < 5; attempt += 1) expect((await guess()).error).toMatchObject(EXPIRED);
      expect((await visitor().verifyOtp({ phone, token, type: 'sms' })).error).toMatchObject(EXPIRED);
    }
  });

  test('[AU-08][I-50] twenty simultaneous uses: one enters', async () => {
    const phone = aNumber();
    await visitor().signInWithOtp({ phone });
    const token = await codeTo(phone);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => visitor().verifyOtp({ phone, token, type: 'sms' })),
    );
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    for (const { error } of answers) if (error !== null) expect(error).toMatchObject(EXPIRED);
  });

  test('[AU-08] five minutes, this number and this type only', async () => {
    const phone = aNumber();
    const other = aNumber();
    await visitor().signInWithOtp({ phone });
    await visitor().signInWithOtp({ phone: other });
    const token = await codeTo(phone);
    expect((await visitor().verifyOtp({ phone: other, token, type: 'sms' })).error).toMatchObject(EXPIRED);
    expect((await visitor().verifyOtp({ phone: aNumber(), token, type: 'sms' })).error).toMatchObject(EXPIRED);
    expect((await visitor().verifyOtp({ phone, token, type: 'phone_change' })).error).toMatchObject(EXPIRED);
    for (const type of ['signup', 'email', 'recovery', 'magiclink', 'invite', 'email_change']) {
      expect(await post('/verify', { phone, token, type })).toEqual({ status: 403, code: 'otp_expired' });
    }
    expect(await post('/verify', { phone: '06 12', token, type: 'sms' })).toEqual({
      status: 400,
      code: 'validation_failed',
    });
    await age(phone, '301 seconds');
    expect((await visitor().verifyOtp({ phone, token, type: 'sms' })).error).toMatchObject(EXPIRED);
  });

  test('[AU-07][AU-08] a barred person gets nothing, and the answer does not tell', async () => {
    const { phone, id } = await aCaller();
    await age(phone, '61 seconds');
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [id]);
    const before = textsTo(phone);
    expect((await visitor().signInWithOtp({ phone })).error).toBeNull();
    expect(textsTo(phone)).toBe(before);
  });

  test("[AU-07][AU-08] the password of the person who registered another's number is forgotten", async () => {
    const phone = aNumber();
    await visitor().signUp({ phone, password: 'mot-de-passe-du-voleur-1' });
    await codeTo(phone);
    expect((await visitor().signInWithOtp({ phone })).error).toBeNull();
    const { data, error } = await visitor().verifyOtp({ phone, token: await codeTo(phone), type: 'sms' });
    expect(error).toBeNull();
    expect(data.user?.phone_confirmed_at).toBeTruthy();
    const thief = await visitor().signInWithPassword({ phone, password: 'mot-de-passe-du-voleur-1' });
    expect(thief.error).toMatchObject({ status: 400, code: 'invalid_credentials' });
  });

  test("[AU-07][I-50] neither the code nor the provider's token is written anywhere", async () => {
    const phone = aNumber();
    await visitor().signInWithOtp({ phone });
    const code = await codeTo(phone);
    sink.answer(500);
    await visitor().signInWithOtp({ phone: aNumber() });
    const stored = await server.database.asOwner<{ row: string }>(
      `select t::text as row from auth.one_time_tokens t where relates_to = $1
       union all select u::text from auth.users u where phone = $1
       union all select a::text from auth.audit_entries a where user_id = (select id from auth.users where phone = $1)
       union all select j::text from graphile_worker._private_jobs j`,
      [phone],
    );
    expect(stored.length).toBeGreaterThan(2);
    for (const { row } of stored) expect(row).not.toMatch(new RegExp(`(?<!\\d)${code}(?!\\d)`, 'u'));
    const log = lines.join('\n');
    expect(log).toContain('A text message was refused by its provider');
    expect(log).not.toMatch(new RegExp(`(?<!\\d)${code}(?!\\d)`, 'u'));
    expect(log).not.toContain('jeton-secret');
    expect(log).not.toContain(phone);
  });
});

describe('the provider', () => {
  test('[AU-07] it gets the number, the text and its token', async () => {
    const phone = aNumber();
    await visitor().signInWithOtp({ phone });
    const { headers, path } = await sink.take(`+${phone}`);
    expect(path).toBe('/envoi?compte=7');
    expect(headers.authorization).toBe('Bearer jeton-secret');
  });

  test('[AU-07] Twilio: its address, its credentials, its form', async () => {
    const where = await startTestServer({
      doors: ['auth'],
      jobs: false,
      environment: { SMS_URL: `twilio://AC123:s%2Fecret@${sink.host}?from=+33700000000` },
    });
    try {
      const phone = aNumber();
      expect((await visitor(where).signInWithOtp({ phone })).error).toBeNull();
      const sent = await sink.take(`+${phone}`);
      expect(sent.path).toBe('/2010-04-01/Accounts/AC123/Messages.json');
      expect(sent.from).toBe('+33700000000');
      expect(sent.headers.authorization).toBe(`Basic ${Buffer.from('AC123:s/ecret').toString('base64')}`);
      const { error } = await visitor(where).verifyOtp({ phone, token: codeIn(sent.text), type: 'sms' });
      expect(error).toBeNull();
    } finally {
      await where.close();
    }
  });

  test('[AU-07] it refuses, or does not answer: sms_send_failed, and one may ask again', async () => {
    const phone = aNumber();
    for (const [status, least] of [
      [500, 0],
      [503, 0],
      [401, 0],
      [302, 0],
      [null, 4900],
    ] as const) {
      sink.answer(status);
      const started = Date.now();
      const { error } = await visitor().signInWithOtp({ phone });
      expect({ status, error }).toMatchObject({ status, error: { status: 422, code: 'sms_send_failed' } });
      // One that says nothing is given its time; that it never answers, and this test ends, says the rest.
      expect(Date.now() - started).toBeGreaterThanOrEqual(least);
      const left = await server.database.asOwner('select from auth.one_time_tokens where relates_to = $1', [phone]);
      expect(left).toHaveLength(0);
    }
    sink.answer(200, 1500);
    expect((await visitor().signInWithOtp({ phone })).error).toBeNull();
    expect((await visitor().verifyOtp({ phone, token: await codeTo(phone), type: 'sms' })).error).toBeNull();
  });

  test('[AU-07] nobody listens at its address', async () => {
    const where = await startTestServer({
      doors: ['auth'],
      jobs: false,
      environment: { SMS_URL: 'http://jeton@127.0.0.1:9/' },
    });
    try {
      const { error } = await visitor(where).signInWithOtp({ phone: aNumber() });
      expect(error).toMatchObject({ status: 422, code: 'sms_send_failed' });
    } finally {
      await where.close();
    }
  });

  test('[AU-01][AU-02][AU-07][AU-13] without a provider a telephone is no way in', async () => {
    const where = await startTestServer({ doors: ['auth'], jobs: false });
    try {
      const phone = aNumber();
      expect(await post('/signup', { phone, password: PASSWORD }, where)).toEqual({
        status: 400,
        code: 'phone_provider_disabled',
      });
      expect(await post('/otp', { phone }, where)).toEqual({ status: 400, code: 'phone_provider_disabled' });
      expect(await post('/token?grant_type=password', { phone, password: PASSWORD }, where)).toEqual({
        status: 422,
        code: 'phone_provider_disabled',
      });
      expect(await post('/resend', { type: 'sms', phone }, where)).toMatchObject({ status: 200 });
      const { client } = await signedIn(where, await anAccount(where));
      expect((await client.auth.updateUser({ phone })).error).toMatchObject({
        status: 400,
        code: 'phone_provider_disabled',
      });
      const settings = (await (await where.fetch('/auth/v1/settings')).json()) as Record<string, unknown>;
      expect(settings).toMatchObject({ external: { phone: false }, sms_provider: '' });
    } finally {
      await where.close();
    }
    const settings = (await (await server.fetch('/auth/v1/settings')).json()) as Record<string, unknown>;
    expect(settings).toMatchObject({ external: { phone: true }, sms_provider: 'http' });
  });
});

describe('a change of number', () => {
  test('[AU-13] the number waits for its code, then opens the account as well; a mail tells it', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    const phone = aNumber();
    const asked = await client.auth.updateUser({ phone: `+${phone}` });
    expect(asked.error).toBeNull();
    expect(asked.data.user).toMatchObject({ phone: '', new_phone: phone });
    expect(asked.data.user).toHaveProperty('phone_change_sent_at');
    const token = await codeTo(phone);
    expect((await visitor().verifyOtp({ phone, token, type: 'sms' })).error).toMatchObject(EXPIRED);
    const { data, error } = await visitor().verifyOtp({ phone, token, type: 'phone_change' });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ id: account.id, phone, email: account.email });
    expect(data.user).not.toHaveProperty('new_phone');
    expect(data.user?.identities?.map(({ provider }) => provider).toSorted()).toEqual(['email', 'phone']);
    expect(data.user?.app_metadata).toMatchObject({ provider: 'email', providers: ['email', 'phone'] });
    expect((await visitor().verifyOtp({ phone, token, type: 'phone_change' })).error).toMatchObject(EXPIRED);
    expect((await visitor().signInWithPassword({ phone, password: PASSWORD })).data.user?.id).toBe(account.id);
    const notice = await server.mailbox.take(account.email);
    expect(notice.subject).toMatch(/^Un numéro de téléphone a été ajouté/u);

    const second = aNumber();
    await age(phone, '61 seconds');
    expect((await client.auth.updateUser({ phone: second })).error).toBeNull();
    const changed = await visitor().verifyOtp({ phone: second, token: await codeTo(second), type: 'phone_change' });
    expect(changed.data.user).toMatchObject({ id: account.id, phone: second });
    expect((await server.mailbox.take(account.email)).subject).toMatch(/^Votre numéro de téléphone a été modifié/u);
    expect((await visitor().signInWithPassword({ phone, password: PASSWORD })).error).toMatchObject({
      code: 'invalid_credentials',
    });
    const actions = await server.database.asOwner<{ action: string }>(
      `select action from auth.audit_entries where user_id = $1 and action like 'phone_change%' order by id`,
      [account.id],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'phone_change_requested',
      'phone_changed',
      'phone_change_requested',
      'phone_changed',
    ]);
  });

  test('[AU-13] a taken number: at the request, and meanwhile', async () => {
    const taken = await aCaller();
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    expect((await client.auth.updateUser({ phone: taken.phone })).error).toMatchObject({
      status: 422,
      code: 'phone_exists',
    });
    const phone = aNumber();
    await client.auth.updateUser({ phone });
    const token = await codeTo(phone);
    const other = await visitor().signUp({ phone, password: PASSWORD });
    expect(other.error).toBeNull();
    expect((await visitor().verifyOtp({ phone, token, type: 'phone_change' })).error).toMatchObject({
      status: 422,
      code: 'phone_exists',
    });
    const { data } = await client.auth.getUser();
    expect(data.user?.phone).toBe('');
  });

  test('[AU-13] two ask for one number: each gets a code, one gets the number', async () => {
    const phone = aNumber();
    const people: { id: string; token: string }[] = [];
    for (let index = 0; index < 2; index += 1) {
      const account = await anAccount(server);
      const { client } = await signedIn(server, account, elsewhere());
      expect((await client.auth.updateUser({ phone })).error).toBeNull();
      people.push({ id: account.id, token: await codeTo(phone) });
    }
    const [first, second] = people;
    const good = await visitor().verifyOtp({ phone, token: first?.token ?? '', type: 'phone_change' });
    expect(good.data.user?.id).toBe(first?.id);
    expect(
      (await visitor().verifyOtp({ phone, token: second?.token ?? '', type: 'phone_change' })).error,
    ).toMatchObject({
      code: 'phone_exists',
    });
  });

  test('[AU-13] the message does not leave: the number before stays', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    sink.answer(500);
    expect((await client.auth.updateUser({ phone: aNumber() })).error).toMatchObject({
      status: 422,
      code: 'sms_send_failed',
    });
    expect((await client.auth.getUser()).data.user?.phone).toBe('');
    sink.answer(200);
    const phone = aNumber();
    expect((await client.auth.updateUser({ phone })).error).toBeNull();
    const { data } = await visitor().verifyOtp({ phone, token: await codeTo(phone), type: 'phone_change' });
    expect(data.user?.phone).toBe(phone);
  });
});

describe('once more', () => {
  test('[AU-10] resend of the code: the same answer for every number, a message for the person who waits', async () => {
    const waiting = aNumber();
    await visitor().signUp({ phone: waiting, password: PASSWORD });
    const first = await codeTo(waiting);
    await age(waiting, '61 seconds');
    const confirmed = (await aCaller()).phone;
    await age(confirmed, '61 seconds');
    const before = textsTo(confirmed);
    const unknown = aNumber();
    for (const phone of [waiting, confirmed, unknown]) {
      const { data, error } = await visitor().resend({ type: 'sms', phone });
      expect(error).toBeNull();
      expect(data).toMatchObject({ user: null, session: null });
    }
    const second = await codeTo(waiting);
    // Too soon: the same answer, and no message.
    for (const phone of [waiting, confirmed, unknown]) {
      expect((await visitor().resend({ type: 'sms', phone })).error).toMatchObject({
        status: 429,
        code: 'over_sms_send_rate_limit',
      });
    }
    await jobsAreDone(server);
    expect(textsTo(waiting)).toBe(2);
    expect(textsTo(confirmed)).toBe(before);
    expect(textsTo(unknown)).toBe(0);
    if (first !== second) {
      expect((await visitor().verifyOtp({ phone: waiting, token: first, type: 'sms' })).error).toMatchObject(EXPIRED);
    }
    expect((await visitor().verifyOtp({ phone: waiting, token: second, type: 'sms' })).error).toBeNull();
  });

  test('[AU-10][AU-13] resend of the code of a change of number', async () => {
    const { client } = await signedIn(server, await anAccount(server), elsewhere());
    const phone = aNumber();
    await client.auth.updateUser({ phone });
    await codeTo(phone);
    await age(phone, '61 seconds');
    expect((await visitor().resend({ type: 'phone_change', phone })).error).toBeNull();
    const { data } = await visitor().verifyOtp({ phone, token: await codeTo(phone), type: 'phone_change' });
    expect(data.user?.phone).toBe(phone);
  });

  test('[AU-10] malformed requests', async () => {
    for (const body of [
      { type: 'sms' },
      { type: 'sms', email: 'a@b.fr' },
      { type: 'sms', phone: '0612' },
      { type: 'phone_change', phone: '33612345678', email: 'a@b.fr' },
      { type: 'signup', phone: '33612345678' },
      { type: 'email_change' },
      { type: 'recovery', email: 'a@b.fr' },
      { phone: '33612345678' },
    ]) {
      expect({ body, ...(await post('/resend', body)) }).toEqual({ body, status: 400, code: 'validation_failed' });
    }
  });
});
