import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, endCooldowns, linkIn, PASSWORD } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere, fragmentOf, landing, wrongCode } from '../../testing/links.ts';
import { jobsAreDone } from '../../testing/waiting.ts';

let server: TestServer;
let confirming: TestServer;
beforeAll(async () => {
  const environment = { TRUST_PROXY: '1' };
  server = await startTestServer({ doors: ['auth', 'rest'], smtp: true, environment });
  confirming = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { ...environment, SIGNUP_CONFIRMATION: '1' },
  });
});
afterAll(async () => {
  await server.close();
  await confirming.close();
});

const anEmail = (): string => `lien-${randomUUID().slice(0, 8)}@example.fr`;
const EXPIRED = { status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' };

/** The official client of a visitor from a network of their own. */
function visitor(where = server): ReturnType<typeof clientOf>['auth'] {
  return clientOf(where, elsewhere()).auth;
}

type Sent = { readonly text: string; readonly code: string; readonly token: string; readonly link: URL };

async function ask(email: string, where = server): Promise<Sent> {
  expect((await visitor(where).signInWithOtp({ email })).error).toBeNull();
  return received(email, where);
}

async function received(email: string, where = server): Promise<Sent> {
  const { text } = await where.mailbox.take(email);
  const link = linkIn(text);
  return { text, code: codeIn(text), link, token: link.searchParams.get('token') ?? '' };
}

async function age(table: string, column: string, email: string, interval: string, where = server): Promise<void> {
  await endCooldowns(where);
  const of = table === 'auth.users' ? 'id' : 'user_id';
  await where.database.asOwner(
    `update ${table} set ${column} = ${column} - $2::interval
     where ${of} = (select id from auth.users where email = $1)`,
    [email, interval],
  );
}

function mailsTo(email: string, where = server): number {
  return where.mailbox.mails.filter(({ recipients }) => recipients.includes(email)).length;
}

describe('a way in without a password', () => {
  test('[AU-07][AU-08] an account: the link or the six digits, and nothing else changes', async () => {
    const account = await anAccount(server, { role: 'commercial' });
    const { link, text } = await ask(account.email);
    expect(text).toContain('Votre lien de connexion');
    expect(link.searchParams.get('type')).toBe('magiclink');
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) {
      const opened = await fetch(link, { method, redirect: 'manual' });
      expect(opened.status).toBe(200);
      expect(opened.headers.get('set-cookie')).toBeNull();
    }
    const led = fragmentOf(await landing(link, elsewhere()));
    expect(led.get('type')).toBe('magiclink');
    const { data } = await visitor().getUser(led.get('access_token') ?? '');
    expect(data.user).toMatchObject({ id: account.id, app_metadata: { role: 'commercial' } });
    expect(fragmentOf(await landing(link, elsewhere())).get('error_code')).toBe('otp_expired');

    await age('auth.users', 'recovery_sent_at', account.email, '61 seconds');
    const { code } = await ask(account.email);
    const typed = await visitor().verifyOtp({ email: account.email.toUpperCase(), token: code, type: 'email' });
    expect(typed.error).toBeNull();
    expect(typed.data.session?.user.id).toBe(account.id);
    expect((await visitor().signInWithPassword(account)).error).toBeNull();
  });

  test("[AU-07][A-06] an unknown address opens a client's account, with its profile", async () => {
    const email = anEmail();
    const asked = await visitor().signInWithOtp({
      email: email.toUpperCase(),
      options: { data: { full_name: 'Inès Roy', phone: '06 11 22 33 44', role: 'admin' } },
    });
    expect(asked.error).toBeNull();
    expect(asked.data).toEqual({ user: null, session: null });
    const { code, link } = await received(email);
    expect(link.searchParams.get('type')).toBe('signup');
    const { data, error } = await visitor().verifyOtp({ email, token: code, type: 'email' });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email, app_metadata: { provider: 'email', role: 'client' } });
    expect(data.user?.email_confirmed_at).toBeTruthy();
    const [profile] = await server.database.asOwner(
      'select role, full_name, phone, email from public.profiles where id = $1',
      [data.user?.id],
    );
    expect(profile).toEqual({ role: 'client', full_name: 'Inès Roy', phone: '06 11 22 33 44', email });
    expect((await visitor().signInWithPassword({ email, password: '' })).error).not.toBeNull();
  });

  test('[DF-25, AU-07] without leave to open an account: the same answer with and without one, and nothing is written', async () => {
    const email = anEmail();
    const account = await anAccount(server);
    for (const address of [email, account.email]) {
      const asked = await visitor().signInWithOtp({ email: address, options: { shouldCreateUser: false } });
      expect(asked).toMatchObject({ error: null, data: { user: null, session: null } });
    }
    await received(account.email);
    expect(await server.database.asOwner('select from auth.users where email = $1', [email])).toHaveLength(0);
    expect(mailsTo(email)).toBe(0);
  });

  test('[DF-52, AU-07, I-49] a second request too soon is told its seconds, for every address; one mail leaves', async () => {
    const account = await anAccount(server);
    const barred = await anAccount(server);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [barred.id]);
    const first = await ask(account.email);
    expect((await visitor().signInWithOtp({ email: barred.email })).error).toBeNull();
    const unknown = anEmail();
    expect((await visitor().resetPasswordForEmail(unknown)).error).toBeNull();
    for (const email of [account.email, barred.email, unknown]) {
      for (const again of [
        await visitor().signInWithOtp({ email }),
        await visitor().signInWithOtp({ email, options: { shouldCreateUser: false } }),
        await visitor().resetPasswordForEmail(email),
      ]) {
        expect(again.error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' });
        expect(again.error?.message).toMatch(
          /^For security purposes, you can only request this after (?:60|[1-5]?\d) seconds\.$/u,
        );
      }
      // Another kind of mail has a cooldown of its own.
      expect((await visitor().resend({ type: 'signup', email })).error).toBeNull();
    }
    await jobsAreDone(server);
    expect(mailsTo(account.email)).toBe(1);
    expect(mailsTo(barred.email)).toBe(0);
    expect(
      (await visitor().verifyOtp({ email: account.email, token: first.code, type: 'magiclink' })).error,
    ).toBeNull();
    // A link that was used does not shorten the wait for the next one.
    await visitor().signInWithOtp({ email: account.email });
    await jobsAreDone(server);
    expect(mailsTo(account.email)).toBe(1);
  });

  test('[AU-07] malformed requests', async () => {
    for (const body of [
      {},
      { email: '', phone: '' },
      { email: 'a@b.fr', phone: '33612345678' },
      { email: 'a@b.fr', channel: 'sms' },
      { email: 'pas une adresse' },
      { email: 'a@b.fr', data: { texte: 'x'.repeat(9000) } },
      { email: 'a@b.fr', create_user: 'peut-être' },
    ]) {
      const response = await server.fetch('/auth/v1/otp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...elsewhere() },
        body: JSON.stringify(body),
      });
      expect({ body, status: response.status }).toEqual({ body, status: 400 });
      expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
    }
    const { error } = await visitor().signInWithOtp({ phone: '33612345678' });
    expect(error).toMatchObject({ status: 400, code: 'phone_provider_disabled' });
  });

  test('[AU-07][I-50][auth#2819] the code is void after five tries, and the link outlives it', async () => {
    const account = await anAccount(server);
    const { code, token } = await ask(account.email);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { error } = await visitor().verifyOtp({ email: account.email, token: wrongCode(code), type: 'email' });
      expect(error).toMatchObject(EXPIRED);
    }
    expect((await visitor().verifyOtp({ email: account.email, token: code, type: 'email' })).error).toMatchObject(
      EXPIRED,
    );
    expect((await visitor().verifyOtp({ token_hash: token, type: 'email' })).error).toBeNull();
  });

  test('[AU-07][I-50] five simultaneous tries do not give a sixth', async () => {
    const account = await anAccount(server);
    const { code } = await ask(account.email);
    await Promise.all(
      Array.from({ length: 12 }, () =>
        visitor().verifyOtp({ email: account.email, token: wrongCode(code), type: 'email' }),
      ),
    );
    expect((await visitor().verifyOtp({ email: account.email, token: code, type: 'email' })).error).toMatchObject(
      EXPIRED,
    );
  });

  test('[AU-07][I-50] the code is good for ten minutes, the link for an hour', async () => {
    const account = await anAccount(server);
    const { code, token, text } = await ask(account.email);
    expect(text).toContain('10 minutes');
    expect(text).toContain('valable 1 heure');
    const [row] = await server.database.asOwner<{ code: number; link: number }>(
      `select extract(epoch from code_expires_at - created_at)::int as code, extract(epoch from expires_at - created_at)::int as link
       from auth.one_time_tokens where user_id = $1`,
      [account.id],
    );
    expect(row).toEqual({ code: 600, link: 3600 });
    await age('auth.one_time_tokens', 'code_expires_at', account.email, '601 seconds');
    expect((await visitor().verifyOtp({ email: account.email, token: code, type: 'email' })).error).toMatchObject(
      EXPIRED,
    );
    expect((await visitor().verifyOtp({ token_hash: token, type: 'magiclink' })).error).toBeNull();

    await age('auth.users', 'recovery_sent_at', account.email, '61 seconds');
    const second = await ask(account.email);
    await age('auth.one_time_tokens', 'expires_at', account.email, '3601 seconds');
    expect((await visitor().verifyOtp({ token_hash: second.token, type: 'magiclink' })).error).toMatchObject(EXPIRED);
    expect(fragmentOf(await landing(second.link, elsewhere())).get('error_code')).toBe('otp_expired');
  });

  test('[AU-07][I-50] twenty simultaneous uses, by link and by code: one enters', async () => {
    const account = await anAccount(server);
    const { code, token } = await ask(account.email);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        visitor().verifyOtp(
          index % 2 === 0
            ? { token_hash: token, type: 'email' }
            : { email: account.email, token: code, type: 'magiclink' },
        ),
      ),
    );
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    for (const { error } of answers) if (error !== null) expect(error).toMatchObject(EXPIRED);
    const sessions = await server.database.asOwner('select from auth.sessions where user_id = $1', [account.id]);
    expect(sessions).toHaveLength(1);
  });

  test("[AU-07][I-50] one person's code does not open another's account", async () => {
    const account = await anAccount(server);
    const other = await anAccount(server);
    const { code } = await ask(account.email);
    await ask(other.email);
    expect((await visitor().verifyOtp({ email: other.email, token: code, type: 'email' })).error).toMatchObject(
      EXPIRED,
    );
    expect((await visitor().verifyOtp({ email: anEmail(), token: code, type: 'email' })).error).toMatchObject(EXPIRED);
  });

  test('[AU-07] twenty simultaneous requests for an unknown address: one account, one mail', async () => {
    const email = anEmail();
    const answers = await Promise.all(Array.from({ length: 20 }, () => visitor().signInWithOtp({ email })));
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    for (const { error } of answers) if (error !== null) expect(error).toMatchObject({ status: 429 });
    await received(email);
    await jobsAreDone(server);
    expect(mailsTo(email)).toBe(1);
    expect(await server.database.asOwner('select from auth.users where email = $1', [email])).toHaveLength(1);
  });

  test('[AU-07] an address asked for again after its delay gets another link, and the first is void', async () => {
    const email = anEmail();
    const first = await ask(email);
    await age('auth.users', 'confirmation_sent_at', email, '61 seconds');
    const second = await ask(email);
    expect((await visitor().verifyOtp({ token_hash: first.token, type: 'email' })).error).toMatchObject(EXPIRED);
    expect((await visitor().verifyOtp({ token_hash: second.token, type: 'email' })).error).toBeNull();
  });
});

describe('verify', () => {
  test('[AU-08] each kind of token with each type of the protocol', async () => {
    // Tokens of a registration, and tokens of a recovery, under every type.
    const types = [
      'signup',
      'invite',
      'magiclink',
      'recovery',
      'email_change',
      'email',
      'sms',
      'phone_change',
    ] as const;
    const good = { confirmation: ['signup', 'invite', 'email'], recovery: ['magiclink', 'recovery', 'email'] } as const;
    for (const kind of ['confirmation', 'recovery'] as const) {
      for (const type of types) {
        const email = kind === 'recovery' ? (await anAccount(server)).email : anEmail();
        const { token } = await ask(email);
        const response = await server.fetch('/auth/v1/verify', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...elsewhere() },
          body: JSON.stringify({ type, token_hash: token }),
        });
        const isGood = good[kind].some((one) => one === type);
        expect({ kind, type, status: response.status }).toEqual({ kind, type, status: isGood ? 200 : 403 });
        const body = (await response.json()) as Record<string, unknown>;
        if (isGood) expect(body).toMatchObject({ token_type: 'bearer', user: { email } });
        else expect(body).toMatchObject({ error_code: 'otp_expired', msg: 'Token has expired or is invalid' });
        // A type that is not the token's has not used it up.
        if (!isGood) expect((await visitor().verifyOtp({ token_hash: token, type: 'email' })).error).toBeNull();
      }
    }
  });

  test('[AU-08] token_hash goes alone, never with a code', async () => {
    const account = await anAccount(server);
    const { code, token } = await ask(account.email);
    for (const body of [
      { type: 'email', token_hash: token, email: account.email },
      { type: 'email', token_hash: token, phone: '33612345678' },
      { type: 'email', token_hash: token, token: code },
      { type: 'email', token: code },
      { type: 'email', token: code, email: account.email, phone: '33612345678' },
      { type: 'email', email: account.email },
      { type: 'magic', token_hash: token },
      { type: '__proto__', token_hash: token },
      { token_hash: token },
    ]) {
      const response = await server.fetch('/auth/v1/verify', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...elsewhere() },
        body: JSON.stringify(body),
      });
      expect({ body, status: response.status }).toEqual({ body, status: 400 });
      expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
    }
    // The code in the place of the link's token, and the other way round.
    expect((await visitor().verifyOtp({ token_hash: code, type: 'email' })).error).toMatchObject(EXPIRED);
    expect((await visitor().verifyOtp({ email: account.email, token, type: 'email' })).error).toMatchObject(EXPIRED);
    expect((await visitor().verifyOtp({ token_hash: token, type: 'email' })).error).toBeNull();
  });
});

describe('an address that somebody else registered first', () => {
  test("[AU-07][AU-08] the other person's password is forgotten when the owner enters by a link or a code", async () => {
    for (const way of ['link', 'code', 'recovery'] as const) {
      const email = anEmail();
      await visitor(confirming).signUp({ email, password: 'mot-de-passe-du-voleur-1' });
      await received(email, confirming);
      if (way === 'recovery') await visitor(confirming).resetPasswordForEmail(email);
      else await visitor(confirming).signInWithOtp({ email });
      const { text } = await confirming.mailbox.take(email);
      const parameters = linkIn(text).searchParams;
      const { data, error } = await visitor(confirming).verifyOtp(
        way === 'code'
          ? { email, token: codeIn(text), type: 'email' }
          : {
              token_hash: parameters.get('token') ?? parameters.get('token_hash') ?? '',
              type: way === 'link' ? 'magiclink' : 'recovery',
            },
      );
      expect(error).toBeNull();
      expect(data.user?.email_confirmed_at).toBeTruthy();
      const thief = await visitor(confirming).signInWithPassword({ email, password: 'mot-de-passe-du-voleur-1' });
      expect(thief.error).toMatchObject({ status: 400, code: 'invalid_credentials' });
      const [left] = await confirming.database.asOwner<{ left: number }>(
        'select count(*)::int as left from auth.one_time_tokens where user_id = $1',
        [data.user?.id],
      );
      expect(left?.left).toBe(0);
    }
  });

  test('[AU-01][AU-08] two registrations, two passwords: neither opens, whoever confirms chooses one', async () => {
    const email = anEmail();
    const thief = { email, password: 'mot-de-passe-du-voleur-1' };
    await visitor(confirming).signUp(thief);
    await received(email, confirming);
    await age('auth.users', 'confirmation_sent_at', email, '61 seconds', confirming);
    await visitor(confirming).signUp({ email, password: PASSWORD });
    const { code } = await received(email, confirming);
    const owner = visitor(confirming);
    const { data, error } = await owner.verifyOtp({ email, token: code, type: 'signup' });
    expect(error).toBeNull();
    expect(data.user?.app_metadata).toMatchObject({ role: 'client', password_change_required: true });
    for (const attempt of [thief, { email, password: PASSWORD }]) {
      expect((await visitor(confirming).signInWithPassword(attempt)).error).toMatchObject({
        code: 'invalid_credentials',
      });
    }
    expect((await owner.updateUser({ password: PASSWORD })).error).toBeNull();
    const after = await visitor(confirming).signInWithPassword({ email, password: PASSWORD });
    expect(after.data.user?.app_metadata).not.toHaveProperty('password_change_required');
    expect((await visitor(confirming).signInWithPassword(thief)).error).toMatchObject({ code: 'invalid_credentials' });
  });

  test('[AU-01][AU-08] the same person registering twice keeps the password', async () => {
    const email = anEmail();
    await visitor(confirming).signUp({ email, password: PASSWORD });
    await received(email, confirming);
    await age('auth.users', 'confirmation_sent_at', email, '61 seconds', confirming);
    await visitor(confirming).signUp({ email, password: PASSWORD });
    const { token } = await received(email, confirming);
    const { data } = await visitor(confirming).verifyOtp({ token_hash: token, type: 'signup' });
    expect(data.user?.app_metadata).not.toHaveProperty('password_change_required');
    expect((await visitor(confirming).signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  });

  test('[AU-01][AU-08] the mail of a registration confirms it and keeps its password', async () => {
    const email = anEmail();
    await visitor(confirming).signUp({ email, password: PASSWORD });
    const { code } = await received(email, confirming);
    expect((await visitor(confirming).verifyOtp({ email, token: code, type: 'signup' })).error).toBeNull();
    expect((await visitor(confirming).signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  });
});
