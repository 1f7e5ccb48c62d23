import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, linkIn, refreshWith, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { jobsAreDone } from '../../testing/waiting.ts';

const PUBLIC_URL = 'https://parrain.example.fr';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth', 'rest'],
    smtp: true,
    environment: { PUBLIC_URL, TRUST_PROXY: '1' },
  });
});
afterAll(() => server.close());

const NEW_PASSWORD = 'quatre-grands-chiens-8';

let lastNetwork = 0;
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.3.0.${lastNetwork}` };
}

async function ask(
  email: string,
): Promise<{ readonly tokenHash: string; readonly code: string; readonly text: string }> {
  const { error } = await clientOf(server, elsewhere()).auth.resetPasswordForEmail(email, {
    redirectTo: 'https://evil.example/vol',
  });
  expect(error).toBeNull();
  const { text } = await server.mailbox.take(email);
  return {
    text,
    tokenHash: linkIn(text).searchParams.get('token_hash') ?? '',
    code: /saisissez : (\d{6})/u.exec(text)?.[1] ?? '',
  };
}

describe('recovery', () => {
  test('[AU-09][R-07][S-10] from the mail to the new password, with the official client', async () => {
    const account = await anAccount(server);
    const other = await signedIn(server, account, elsewhere());
    const { tokenHash, text } = await ask(account.email);
    const link = linkIn(text);
    expect(link.origin + link.pathname).toBe(`${PUBLIC_URL}/auth/new-password`);
    expect(link.searchParams.get('type')).toBe('recovery');

    const client = clientOf(server, elsewhere());
    const events: string[] = [];
    client.auth.onAuthStateChange((event) => events.push(event));
    const { data, error } = await client.auth.verifyOtp({ token_hash: tokenHash, type: 'recovery' });
    expect(error).toBeNull();
    expect(data.session?.user.id).toBe(account.id);
    expect(data.user?.recovery_sent_at).toBeTruthy();
    expect(events).toContain('PASSWORD_RECOVERY');
    expect((await client.auth.updateUser({ password: NEW_PASSWORD })).error).toBeNull();
    expect((await client.auth.getUser()).error).toBeNull();
    expect((await refreshWith(server, other.session.refresh_token)).status).toBe(400);
    await server.mailbox.take(account.email);
    await signedIn(server, { ...account, password: NEW_PASSWORD }, elsewhere());

    const again = await clientOf(server).auth.verifyOtp({ token_hash: tokenHash, type: 'recovery' });
    expect(again.error).toMatchObject({ status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' });
  });

  test('[DF-52, AU-09, I-49] the same answers for a known address, an unknown one and a deactivated one, asked for once or twice', async () => {
    const account = await anAccount(server);
    const deactivated = await anAccount(server);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [deactivated.id]);
    const addresses = [account.email, 'inconnu@example.fr', deactivated.email];
    for (const [index, email] of [...addresses, ...addresses].entries()) {
      const response = await server.fetch('/auth/v1/recover', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...elsewhere() },
        body: JSON.stringify({ email, code_challenge: null, code_challenge_method: null, gotrue_meta_security: {} }),
      });
      if (index < addresses.length) {
        expect(response.status).toBe(200);
        expect(await response.json()).toEqual({});
        continue;
      }
      expect(response.status).toBe(429);
      const seconds = Number(response.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(await response.json()).toMatchObject({
        error_code: 'over_email_send_rate_limit',
        msg: `For security purposes, you can only request this after ${seconds} seconds.`,
      });
    }
    await server.mailbox.take(account.email);
    await jobsAreDone(server);
    const recipients = server.mailbox.mails.flatMap((mail) => mail.recipients);
    expect(recipients.filter((recipient) => recipient === account.email)).toHaveLength(1);
    expect(recipients).not.toContain('inconnu@example.fr');
    expect(recipients).not.toContain(deactivated.email);
    const bad = await clientOf(server, elsewhere()).auth.resetPasswordForEmail('pas une adresse');
    expect(bad.error).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  test('[GHSA-3529-5m8x-rpv3][I-59] hostile headers change nothing in the address of the link', async () => {
    const account = await anAccount(server);
    const { hostname, port } = new URL(server.url);
    const { request } = await import('node:http');
    await new Promise<void>((resolve, reject) => {
      const body = JSON.stringify({ email: account.email });
      const asked = request(
        {
          host: hostname,
          port,
          method: 'POST',
          path: '/auth/v1/recover?redirect_to=https://evil.example/',
          headers: {
            host: 'evil.example',
            'x-forwarded-host': 'evil.example',
            'x-forwarded-proto': 'http',
            'x-forwarded-for': '10.3.1.1',
            forwarded: 'for=1.2.3.4;host=evil.example;proto=http',
            origin: 'https://evil.example',
            referer: 'https://evil.example/x',
            apikey: server.services.keys.publishableKey,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (response) => {
          expect(response.statusCode).toBe(200);
          response.resume().once('end', () => resolve());
        },
      );
      asked.once('error', reject);
      asked.end(body);
    });
    const mail = await server.mailbox.take(account.email);
    expect(mail.text + mail.html).not.toContain('evil.example');
    expect(linkIn(mail.text).origin).toBe(PUBLIC_URL);
    expect(mail.html).toContain(PUBLIC_URL);
  });

  test("[AU-09] a mail leaves in French, in HTML and in text, in the company's name", async () => {
    await server.database.asOwner(`update public.company_settings set company_name = 'Dupont & <Fils>'`);
    const account = await anAccount(server);
    await clientOf(server, elsewhere()).auth.resetPasswordForEmail(account.email);
    const mail = await server.mailbox.take(account.email);
    expect(mail.subject).toBe('Choisissez un nouveau mot de passe – Dupont & <Fils>');
    expect(mail.html).toContain('Dupont &amp; &lt;Fils&gt;');
    expect(mail.html).not.toContain('<Fils>');
    expect(mail.text).toContain('valable 1 heure');
  });

  test('[AU-09] without an SMTP server the answer is the same and no link is made', async () => {
    const silent = await startTestServer({ doors: ['auth'] });
    try {
      const account = await anAccount(silent);
      expect((await clientOf(silent).auth.resetPasswordForEmail(account.email)).error).toBeNull();
      expect(await silent.database.asOwner('select from auth.one_time_tokens')).toHaveLength(0);
    } finally {
      await silent.close();
    }
  });
});

describe('verify', () => {
  test('[AU-08] the code and its address, once', async () => {
    const account = await anAccount(server, { isConfirmed: false });
    const { code } = await ask(account.email);
    const { data, error } = await clientOf(server, elsewhere()).auth.verifyOtp({
      email: account.email,
      token: code,
      type: 'recovery',
    });
    expect(error).toBeNull();
    // Following the mail proves the address too.
    expect(data.user?.email_confirmed_at).toBeTruthy();
    expect(data.user?.user_metadata).toEqual({ email_verified: true });
    const again = await clientOf(server, elsewhere()).auth.verifyOtp({
      email: account.email,
      token: code,
      type: 'recovery',
    });
    expect(again.error?.code).toBe('otp_expired');
  });

  test('[AU-08][I-50][auth#2819] five wrong codes, and the right one is worth nothing any more', async () => {
    const account = await anAccount(server);
    const { code } = await ask(account.email);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { error } = await clientOf(server, elsewhere()).auth.verifyOtp({
        email: account.email,
        token: wrong,
        type: 'recovery',
      });
      expect(error?.code).toBe('otp_expired');
    }
    const late = { email: account.email, token: code, type: 'recovery' } as const;
    expect((await clientOf(server, elsewhere()).auth.verifyOtp(late)).error?.code).toBe('otp_expired');
  });

  test('[AU-08][I-50] twenty simultaneous uses of a link: one passes', async () => {
    const account = await anAccount(server);
    const { tokenHash } = await ask(account.email);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        clientOf(server, elsewhere()).auth.verifyOtp({ token_hash: tokenHash, type: 'recovery' }),
      ),
    );
    expect(answers.filter((answer) => answer.error === null)).toHaveLength(1);
  });

  test("[AU-08][I-50] expired, another person's, of another kind: the same refusal", async () => {
    const account = await anAccount(server);
    const stranger = await anAccount(server);
    const { code, tokenHash } = await ask(account.email);
    const { auth } = clientOf(server, elsewhere());
    const expected = { status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' };
    expect((await auth.verifyOtp({ email: stranger.email, token: code, type: 'recovery' })).error).toMatchObject(
      expected,
    );
    expect((await auth.verifyOtp({ email: 'inconnu@example.fr', token: code, type: 'recovery' })).error).toMatchObject(
      expected,
    );
    expect((await auth.verifyOtp({ phone: '33612345678', token: code, type: 'sms' })).error).toMatchObject(expected);
    expect((await auth.verifyOtp({ token_hash: tokenHash, type: 'signup' })).error).toMatchObject(expected);
    expect((await auth.verifyOtp({ token_hash: tokenHash, type: 'email_change' })).error).toMatchObject(expected);
    await server.database.asOwner(`update auth.one_time_tokens set expires_at = now() - interval '1 second'`);
    expect((await auth.verifyOtp({ token_hash: tokenHash, type: 'recovery' })).error).toMatchObject(expected);
  });

  test('[AU-08] malformed requests: validation_failed', async () => {
    for (const body of [
      {},
      { type: 'recovery' },
      { type: 'recovery', token: '123456', token_hash: 'abc', email: 'a@b.fr' },
      { type: 'recovery', token_hash: 'abc', email: 'a@b.fr' },
      { type: 'recovery', token: '123456' },
      { type: 'constructor', token_hash: 'abc' },
      { type: 'sms', token: '123456', phone: 'abc' },
    ]) {
      const response = await server.fetch('/auth/v1/verify', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...elsewhere() },
        body: JSON.stringify(body),
      });
      expect({ body, status: response.status }).toEqual({ body, status: 400 });
      expect(await response.json()).toMatchObject({ error_code: 'validation_failed' });
    }
  });

  test('[AU-08][I-56] the page of a link leads to our own addresses only', async () => {
    for (const [asked, led] of [
      ['https://evil.example/', `${PUBLIC_URL}/`],
      [`${PUBLIC_URL}@evil.example/`, `${PUBLIC_URL}/`],
      [`${PUBLIC_URL}.evil.example/`, `${PUBLIC_URL}/`],
      ['//evil.example', `${PUBLIC_URL}/`],
      ['javascript:alert(1)', `${PUBLIC_URL}/`],
      ['quelquun@example.fr', `${PUBLIC_URL}/`],
      [`${PUBLIC_URL}/client/dashboard?a=1`, `${PUBLIC_URL}/client/dashboard?a=1`],
    ] as const) {
      const query = new URLSearchParams({ token: '"><script>x</script>', type: 'recovery', redirect_to: asked });
      const page = await fetch(`${server.url}/auth/v1/verify?${query.toString()}`);
      const html = await page.text();
      expect(html).not.toContain('<script>');
      expect(html).not.toContain('evil.example');
      expect(page.headers.get('content-security-policy')).not.toContain('evil');
      expect(page.headers.get('cache-control')).toBe('no-store');
      const pressed = await fetch(`${server.url}/auth/v1/verify/continue`, {
        method: 'POST',
        body: query,
        redirect: 'manual',
        headers: elsewhere(),
      });
      expect(pressed.status).toBe(303);
      expect(pressed.headers.get('location')?.split('#')[0]).toBe(led);
    }
    expect((await fetch(`${server.url}/auth/v1/verify?type=recovery`)).status).toBe(400);
  });

  test('[AU-08] neither the link nor the code can be read in the database', async () => {
    const account = await anAccount(server);
    const { tokenHash, code } = await ask(account.email);
    const [row] = await server.database.asOwner<{ kept: string }>(
      `select t::text || encode(t.token_hash, 'escape') as kept from auth.one_time_tokens t where user_id = $1`,
      [account.id],
    );
    expect(row?.kept).not.toContain(tokenHash);
    expect(row?.kept).not.toContain(code);
  });
});
