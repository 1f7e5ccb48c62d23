import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, PASSWORD, refreshWith, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { ask, refusalOf } from '../../testing/protocol.ts';

const GOOD = 'jeton-de-captcha-juste';

/** A service that answers as hCaptcha and Turnstile do. */
const asked: URLSearchParams[] = [];
let isDown = false;
const service = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    if (isDown) {
      response.writeHead(500).end('down');
      return;
    }
    const form = new URLSearchParams(text);
    asked.push(form);
    const isPassed = form.get('response') === GOOD && form.get('secret') === 'le-secret';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isPassed ? { success: true } : { success: false, 'error-codes': ['bad'] }));
  });
});

let server: TestServer;
let open: TestServer;
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const environment = { TRUST_PROXY: '1', ANONYMOUS_SIGN_IN: 'on', WEB3: 'both' };
  server = await startTestServer({
    smtp: true,
    environment: { ...environment, CAPTCHA: `turnstile:le-secret http://127.0.0.1:${port}/siteverify` },
  });
  open = await startTestServer({ database: server.database, jobs: false, environment });
});
afterAll(async () => {
  await open.close();
  await server.close();
  service.closeAllConnections();
  service.close();
});

let number = 0;
const anEmail = (): string => `captcha-${(number += 1)}@example.fr`;
const elsewhere = (): Record<string, string> => ({ 'x-forwarded-for': `10.31.0.${(number += 1)}` });
const captchaToken = (token: string): { options: { captchaToken: string } } => ({ options: { captchaToken: token } });
const refused = [400, 'captcha_failed'];

const guarded: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['registration', '/signup', { email: 'a@example.fr', password: PASSWORD }],
  ['anonymous registration', '/signup', {}],
  ['sign-in', '/token?grant_type=password', { email: 'a@example.fr', password: PASSWORD }],
  ['wallet', '/token?grant_type=web3', { chain: 'ethereum', message: 'x', signature: 'y' }],
  ['code', '/otp', { email: 'a@example.fr' }],
  ['link', '/magiclink', { email: 'a@example.fr' }],
  ['forgotten password', '/recover', { email: 'a@example.fr' }],
  ['resend', '/resend', { type: 'signup', email: 'a@example.fr' }],
  ['company', '/sso', { domain: 'example.fr' }],
  ['passkey', '/passkeys/authentication/options', {}],
];

describe('CAPTCHA', () => {
  test.each(guarded)(
    '[AU-02] %s: without a captcha, or with a false one, nothing is done',
    async (_name, path, body) => {
      for (const security of [
        undefined,
        {},
        { captcha_token: '' },
        { captcha_token: 'faux' },
        { captcha_token: 3 },
        'x',
      ]) {
        const answer = await ask(server, 'POST', path, {
          headers: elsewhere(),
          body: { ...body, ...(security === undefined ? {} : { gotrue_meta_security: security }) },
        });
        expect([answer.status, answer.body['code']]).toEqual(refused);
      }
      const passed = await ask(server, 'POST', path, {
        headers: elsewhere(),
        body: { ...body, gotrue_meta_security: { captcha_token: GOOD } },
      });
      expect(passed.body['code']).not.toBe('captcha_failed');
      const without = await ask(open, 'POST', path, { headers: elsewhere(), body });
      expect(without.body['code']).not.toBe('captcha_failed');
    },
  );

  test('[AU-01][AU-02] the official client gives the token: the person enters', async () => {
    const email = anEmail();
    const { auth } = clientOf(server, elsewhere());
    expect((await auth.signUp({ email, password: PASSWORD, ...captchaToken(GOOD) })).error).toBeNull();
    expect(refusalOf(await auth.signInWithPassword({ email, password: PASSWORD }))).toEqual(refused);
    expect(refusalOf(await auth.signInWithPassword({ email, password: PASSWORD, ...captchaToken('faux') }))).toEqual(
      refused,
    );
    const { data, error } = await auth.signInWithPassword({ email, password: PASSWORD, ...captchaToken(GOOD) });
    expect(error).toBeNull();
    expect(asked.at(-1)?.get('remoteip')).toMatch(/^10\.31\./u);

    // A session goes on by itself, and its owner is asked nothing any more.
    expect((await refreshWith(server, data.session?.refresh_token ?? '')).status).toBe(200);
    expect((await auth.updateUser({ data: { a: 1 } })).error).toBeNull();
  });

  test('[F-01][F-02] the forms of the house pass by the same door', async () => {
    const headers = { 'content-type': 'application/json', ...elsewhere() };
    for (const [name, body] of [
      ['auth-signin', { email: 'a@example.fr', password: PASSWORD }],
      ['auth-signup', { email: anEmail(), password: PASSWORD, full_name: 'Claire Martin' }],
    ] as const) {
      const response = await server.fetch(`/functions/v1/${name}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect([name, response.status]).toEqual([name, 403]);
    }
  });

  test('[AU-19] a server that has the secret key gives none; a browser that had it would', async () => {
    const account = await anAccount(server);
    const secret = server.services.keys.secretKey;
    const admin = administratorOf(server).auth;
    expect((await admin.signInWithPassword(account)).error).toBeNull();
    const body = { email: account.email, password: account.password };
    const answer = await ask(server, 'POST', '/token?grant_type=password', {
      bearer: secret,
      headers: { origin: 'https://x.fr', ...elsewhere() },
      body,
    });
    expect([answer.status, answer.body['code']]).toEqual(refused);
  });

  test('[AU-02] the service is down: nobody passes, the client tries again by itself', async () => {
    const account = await anAccount(server);
    isDown = true;
    try {
      const body = { ...account, gotrue_meta_security: { captcha_token: GOOD } };
      const answer = await ask(server, 'POST', '/token?grant_type=password', { headers: elsewhere(), body });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
    } finally {
      isDown = false;
    }
    await signedIn(open, account);
  });
});
