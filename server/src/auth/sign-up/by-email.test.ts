import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { clientOf, endCooldowns, linkIn, PASSWORD } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { press } from '../../testing/links.ts';
import { signUpClient } from '../index.ts';

let server: TestServer;
let confirming: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth', 'rest'], jobs: false, environment: { TRUST_PROXY: '1' } });
  confirming = await startTestServer({ doors: ['auth'], smtp: true, environment: { SIGNUP_CONFIRMATION: '1' } });
});
afterAll(async () => {
  await server.close();
  await confirming.close();
});

let number = 0;
const anEmail = (): string => `inscrit-${(number += 1)}@example.fr`;

async function profileOf(where: TestServer, email: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await where.database.asOwner('select role, full_name, phone from public.profiles where email = $1', [
    email,
  ]);
  return row;
}

describe('sign-up, confirmed at once', () => {
  test('[AU-01] the official client is registered and signed in', async () => {
    const email = anEmail();
    const { data, error } = await clientOf(server).auth.signUp({
      email: email.toUpperCase(),
      password: PASSWORD,
      options: { data: { full_name: 'Zoé Petit', phone: '06 12 34 56 78', couleur: 'bleu' } },
    });
    expect(error).toBeNull();
    expect(data.session?.access_token).toBeTruthy();
    expect(data.user).toMatchObject({
      email,
      role: 'authenticated',
      app_metadata: { provider: 'email', providers: ['email'], role: 'client' },
      user_metadata: { sub: data.user?.id, email, email_verified: true, phone_verified: false, couleur: 'bleu' },
    });
    expect(data.user?.identities?.[0]?.identity_data).toMatchObject({ sub: data.user?.id, email, couleur: 'bleu' });
    expect(data.user?.email_confirmed_at).toBeTruthy();
    expect(await profileOf(server, email)).toEqual({
      role: 'client',
      full_name: 'Zoé Petit',
      phone: '06 12 34 56 78',
    });
  });

  test('[A-06][30] the role stays client, whatever the registration, the metadata or an update say', async () => {
    const email = anEmail();
    const response = await server.fetch('/auth/v1/signup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        email,
        password: PASSWORD,
        role: 'admin',
        app_metadata: { role: 'admin' },
        data: { role: 'admin', app_metadata: { role: 'admin' } },
      }),
    });
    expect(response.status).toBe(200);
    const client = clientOf(server);
    await client.auth.signInWithPassword({ email, password: PASSWORD });
    await client.auth.updateUser({ data: { role: 'admin' } });
    const forged = await server.fetch('/auth/v1/user', {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${(await client.auth.getSession()).data.session?.access_token}`,
      },
      body: JSON.stringify({ app_metadata: { role: 'admin' } }),
    });
    expect(forged.status).toBe(403);
    expect(await forged.json()).toMatchObject({ error_code: 'not_admin' });
    const { data } = await client.auth.refreshSession();
    expect(data.user?.app_metadata['role']).toBe('client');
    expect((await profileOf(server, email))?.['role']).toBe('client');
    const patched = await client.from('profiles').update({ role: 'admin' }).eq('email', email).select();
    expect(patched.error).not.toBeNull();
    expect((await profileOf(server, email))?.['role']).toBe('client');
  });

  test('[AU-01] a registered address is refused, even by two simultaneous registrations', async () => {
    const email = anEmail();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => clientOf(server).auth.signUp({ email, password: PASSWORD })),
    );
    expect(answers.filter((answer) => answer.error === null)).toHaveLength(1);
    for (const { error } of answers) {
      if (error !== null) expect(error).toMatchObject({ status: 422, code: 'user_already_exists' });
    }
    const { error } = await clientOf(server).auth.signUp({ email: ` ${email.toUpperCase()}`, password: PASSWORD });
    expect(error?.message).toMatch(/^User already registered/u);
    expect(await server.database.asOwner('select from auth.users where email = $1', [email])).toHaveLength(1);
  });

  test('[AU-22] a weak password is refused with its reasons', async () => {
    for (const [password, reasons] of [
      ['court', ['length']],
      ['Motdepasse2026!', ['pwned']],
      ['azerty', ['length', 'pwned']],
      ['1234567890', ['pwned']],
      ['dupont1984', ['pwned']],
    ] as const) {
      const { error } = await clientOf(server, { 'x-forwarded-for': '10.2.0.1' }).auth.signUp({
        email: 'dupont@example.fr',
        password,
      });
      expect(error).toMatchObject({ name: 'AuthWeakPasswordError', code: 'weak_password', status: 422, reasons });
    }
    const { error } = await clientOf(server).auth.signUp({ email: anEmail(), password: 'court' });
    expect(error?.message).toContain('Password should be at least 10 characters');
    const long = await clientOf(server).auth.signUp({ email: anEmail(), password: 'é'.repeat(40) });
    expect(long.error).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  test('[AU-01] refused requests with the codes of the contract', async () => {
    const headers = { 'x-forwarded-for': '10.2.0.2' };
    const { auth } = clientOf(server, headers);
    for (const email of ['a', 'xx:;x@x.x', `${'a'.repeat(251)}@a.fr`, 'а@example.fr', 'a@b.fr\r\nBcc: x@y.fr']) {
      expect((await auth.signUp({ email, password: PASSWORD })).error).toMatchObject({
        status: 400,
        code: 'validation_failed',
        message: 'Unable to validate email address: invalid format',
      });
    }
    expect((await auth.signUp({ email: 'asd@a.aa', password: PASSWORD })).error).toBeNull();
    expect((await auth.signInAnonymously()).error).toMatchObject({
      status: 422,
      code: 'anonymous_provider_disabled',
      message: 'Anonymous sign-ins are disabled',
    });
    expect((await auth.signUp({ phone: '33612345678', password: PASSWORD })).error?.code).toBe(
      'phone_provider_disabled',
    );
    expect((await auth.signUp({ email: anEmail(), password: '' })).error?.code).toBe('validation_failed');
  });

  test('[AU-01] thirty registrations in five minutes from one address, no more', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 32 }, async () => {
        const response = await server.fetch('/auth/v1/signup', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': '10.2.0.3' },
          body: '{}',
        });
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  });

  test('[F-02][A-06] the door of functions registers a client, and says in French what is missing', async () => {
    const email = anEmail();
    const request = { id: 'r1', ip: '10.2.0.4', headers: {} };
    const registration = { email, password: PASSWORD, fullName: 'Luc Bernard', phone: null, request };
    expect(await signUpClient(server.services, registration)).toEqual({ isConfirmed: true });
    expect((await profileOf(server, email))?.['role']).toBe('client');
    await expect(signUpClient(server.services, registration)).rejects.toMatchObject({ code: 'email_taken' });
    await expect(
      signUpClient(server.services, { ...registration, email: anEmail(), password: 'Motdepasse2026' }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: ['password'], message: expect.stringContaining('trop facile') }],
    });
  });
});

describe('sign-up, confirmed by mail', () => {
  test('[AU-01][AU-08] the registration waits for its link; opening the link does not use it up, the button confirms and signs in', async () => {
    const email = anEmail();
    const { auth } = clientOf(confirming);
    const options = { data: { full_name: 'Léa' }, emailRedirectTo: `${confirming.url}/retour` };
    const { data, error } = await auth.signUp({ email, password: PASSWORD, options });
    expect(error).toBeNull();
    expect(data.session).toBeNull();
    expect(data.user).toMatchObject({ email, role: 'authenticated', user_metadata: { email_verified: false } });
    expect(data.user?.identities).toHaveLength(1);
    expect(data.user?.confirmation_sent_at).toBeTruthy();
    expect((await auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe('email_not_confirmed');

    const mail = await confirming.mailbox.take(email);
    const link = linkIn(mail.text);
    expect(link.origin).toBe(confirming.url);
    for (const method of ['HEAD', 'GET', 'GET', 'GET']) {
      const page = await fetch(link, { method, redirect: 'manual' });
      expect(page.status).toBe(200);
      if (method === 'GET') expect(await page.text()).toContain('Continuer');
    }
    const pressed = await press(link);
    expect(pressed.status).toBe(303);
    const target = new URL(pressed.headers.get('location') ?? '');
    expect(target.origin).toBe(confirming.url);
    const fragment = new URLSearchParams(target.hash.slice(1));
    expect(fragment.get('token_type')).toBe('bearer');
    expect(fragment.get('type')).toBe('signup');
    const session = await auth.setSession({
      access_token: fragment.get('access_token') ?? '',
      refresh_token: fragment.get('refresh_token') ?? '',
    });
    expect(session.error).toBeNull();
    expect(session.data.user).toMatchObject({ email, user_metadata: { email_verified: true } });
    expect(session.data.user?.email_confirmed_at).toBeTruthy();

    const again = new URL((await press(link)).headers.get('location') ?? '');
    expect(new URLSearchParams(again.hash.slice(1)).get('error_code')).toBe('otp_expired');
    expect((await auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  });

  test('[AU-01] a second registration does not tell that the account exists, and writes nothing into it', async () => {
    const email = anEmail();
    const { auth } = clientOf(confirming);
    const first = await auth.signUp({ email, password: PASSWORD, options: { data: { full_name: 'Vraie' } } });
    const pending = await auth.signUp({
      email,
      password: 'autre-mot-de-passe-9',
      options: { data: { full_name: 'Fausse' } },
    });
    expect(pending.error).toBeNull();
    expect(pending.data.user?.id).toBe(first.data.user?.id);
    // The answer repeats the request: the name of who registered first is not for whoever types their address.
    expect(pending.data.user?.user_metadata['full_name']).toBe('Fausse');
    const [kept] = await confirming.database.asOwner<{ name: string }>(
      `select raw_user_meta_data ->> 'full_name' as name from auth.users where email = $1`,
      [email],
    );
    expect(kept?.name).toBe('Vraie');
    await press(linkIn((await confirming.mailbox.take(email)).text));
    // Of two passwords given before anybody confirmed, neither opens.
    expect((await auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe('invalid_credentials');

    const taken = await auth.signUp({ email, password: 'autre-mot-de-passe-9' });
    expect(taken.error).toBeNull();
    expect(taken.data.session).toBeNull();
    expect(taken.data.user?.identities).toHaveLength(1);
    expect(taken.data.user?.id).not.toBe(first.data.user?.id);
    expect((await auth.signInWithPassword({ email, password: 'autre-mot-de-passe-9' })).error?.code).toBe(
      'invalid_credentials',
    );
    expect(confirming.mailbox.mails.filter((mail) => mail.recipients.includes(email))).toHaveLength(1);
  });

  test('[AU-10] resend of the confirmation: the same answer for all, a mail for the person who waits', async () => {
    const email = anEmail();
    const { auth } = clientOf(confirming);
    await auth.signUp({ email, password: PASSWORD });
    const first = await confirming.mailbox.take(email);
    await confirming.database.asOwner(
      `update auth.users set confirmation_sent_at = confirmation_sent_at - interval '2 minutes'`,
    );
    await endCooldowns(confirming);
    expect((await auth.resend({ type: 'signup', email })).error).toBeNull();
    expect((await auth.resend({ type: 'signup', email: 'inconnue@example.fr' })).error).toBeNull();
    const second = await confirming.mailbox.take(email);
    expect(new URL((await press(linkIn(first.text))).headers.get('location') ?? '').hash).toContain('otp_expired');
    expect(new URL((await press(linkIn(second.text))).headers.get('location') ?? '').hash).toContain('access_token');
    expect(confirming.mailbox.mails.some((mail) => mail.recipients.includes('inconnue@example.fr'))).toBe(false);
  });

  test('[I-54] the button of a page of another site signs nobody in', async () => {
    const response = await press(new URL(`${confirming.url}/auth/v1/verify?token=x&type=signup`), {
      'sec-fetch-site': 'cross-site',
    });
    expect(response.status).toBe(400);
  });
});
