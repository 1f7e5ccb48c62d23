import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
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
import { hashesMade } from '../../testing/hashes.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere, fragmentOf, landing } from '../../testing/links.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { authSettings } from '../protocol/settings.ts';

/**
 * Vulnerabilities of other authentication services, one test each. Those that a test of the operation holds already carry the advisory's
 * name there: `grep -rnE "\[(GHSA|CVE|auth)" src`.
 */

const PUBLIC_URL = 'https://parrain.example.fr';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth', 'rest', 'functions'],
    smtp: true,
    environment: { PUBLIC_URL, TRUST_PROXY: '1', SIGNUP_CONFIRMATION: '1', REDIRECT_URLS: 'https://*.parrain.app/**' },
  });
});
afterAll(() => server.close());

let number = 0;
const anEmail = (): string => `avis-${(number += 1)}@example.fr`;

type Reply = { readonly status: number; readonly body: Record<string, unknown> };

/** A request as a hostile proxy would pass it on: `fetch` would not let the Host header through. */
async function send(
  method: string,
  address: string,
  { body, headers = {} }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<Reply> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const sent = request(
      {
        host: hostname,
        port,
        method,
        path: `/auth/v1${address}`,
        headers: {
          apikey: server.services.keys.publishableKey,
          'x-supabase-api-version': '2024-01-01',
          'content-type': 'application/json;charset=UTF-8',
          'content-length': Buffer.byteLength(text),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => {
          const received = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            body: received === '' ? {} : (JSON.parse(received) as Record<string, unknown>),
          });
        });
      },
    );
    sent.once('error', reject);
    sent.end(text);
  });
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}`, ...elsewhere() });

describe('what mails lead to', () => {
  test('[GHSA-3529-5m8x-rpv3][I-59] no mail carries a host that came from the request', async () => {
    const hostile = (): Record<string, string> => ({
      host: 'pirate.example',
      'x-forwarded-host': 'pirate.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-server': 'pirate.example',
      'x-original-host': 'pirate.example',
      'x-host': 'pirate.example',
      forwarded: 'for=1.2.3.4;host=pirate.example;proto=http',
      origin: 'https://pirate.example',
      referer: 'https://pirate.example/x',
      ...elsewhere(),
    });
    const redirect = '?redirect_to=https%3A%2F%2Fpirate.example%2F';
    const registered = anEmail();
    const invited = anEmail();
    const wanted = anEmail();
    const known = await anAccount(server);
    const other = await anAccount(server);
    const { session } = await signedIn(server, other, elsewhere());
    const { secretKey } = server.services.keys;
    const asked: readonly (readonly [string, string, string, unknown, Record<string, string>])[] = [
      [registered, 'POST', '/signup', { email: registered, password: PASSWORD }, {}],
      [known.email, 'POST', '/otp', { email: known.email }, {}],
      [
        invited,
        'POST',
        '/invite',
        { email: invited },
        { origin: '', apikey: secretKey, authorization: `Bearer ${secretKey}` },
      ],
      [wanted, 'PUT', '/user', { email: wanted }, { authorization: `Bearer ${session.access_token}` }],
      [other.email, 'GET', '/reauthenticate', undefined, { authorization: `Bearer ${session.access_token}` }],
    ];
    for (const [recipient, method, address, body, headers] of asked) {
      const all = Object.entries({ ...hostile(), ...headers }).filter(([, value]) => value !== '');
      const { status } = await send(method, `${address}${redirect}`, { body, headers: Object.fromEntries(all) });
      expect({ address, status }).toEqual({ address, status: 200 });
      const { text, html, headers: mailHeaders } = await server.mailbox.take(recipient);
      expect(text + html + JSON.stringify(mailHeaders)).not.toContain('pirate.example');
      if (address !== '/reauthenticate') expect(linkIn(text).origin).toBe(PUBLIC_URL);
    }
  });

  test('[auth#1214][auth#713] opening a link, as often as one likes, uses nothing up, of whatever kind it is', async () => {
    const admin = administratorOf(server).auth.admin;
    for (const type of ['recovery', 'magiclink', 'invite', 'signup'] as const) {
      const email = type === 'recovery' || type === 'magiclink' ? (await anAccount(server)).email : anEmail();
      const { data, error } = await admin.generateLink(
        type === 'signup' ? { type, email, password: PASSWORD } : { type, email },
      );
      expect(error).toBeNull();
      const link = new URL(data.properties?.action_link ?? '');
      const here = new URL(link.pathname + link.search, server.url);
      for (const method of ['HEAD', 'GET', 'HEAD', 'GET', 'GET', 'GET']) {
        const opened = await fetch(here, { method, redirect: 'manual', headers: elsewhere() });
        expect({ type, method, status: opened.status }).toEqual({ type, method, status: 200 });
        expect(await opened.text()).not.toContain('access_token');
      }
      expect(fragmentOf(await landing(here, elsewhere())).get('access_token')).toBeTruthy();
    }
  });

  test('[link token] the link is worth 256 bits that the code does not tell: neither one for the other, nor one from the other', async () => {
    const { createHash } = await import('node:crypto');
    const account = await anAccount(server);
    const { data } = await administratorOf(server).auth.admin.generateLink({ type: 'recovery', email: account.email });
    const link = data.properties?.hashed_token ?? '';
    const code = data.properties?.email_otp ?? '';
    expect(Buffer.from(link, 'base64url')).toHaveLength(32);
    const derived = createHash('sha224').update(`${account.email}${code}`).digest('hex');
    for (const guess of [code, derived, `pkce_${derived}`, `pkce_${link}`, link.toUpperCase()]) {
      const { status } = await send('POST', '/verify', {
        body: { type: 'recovery', token_hash: guess },
        headers: elsewhere(),
      });
      expect({ guess, status }).toEqual({ guess, status: 403 });
    }
    const asCode = { type: 'recovery', email: account.email, token: link };
    expect((await send('POST', '/verify', { body: asCode, headers: elsewhere() })).status).toBe(403);
    const right = { type: 'recovery', token_hash: link };
    expect((await send('POST', '/verify', { body: right, headers: elsewhere() })).status).toBe(200);
  });

  test('[auth#2536] the mail names the company and the act, says to give the code to nobody, and the code lives ten minutes', async () => {
    const account = await anAccount(server);
    await send('POST', '/otp', { body: { email: account.email }, headers: elsewhere() });
    const { text, subject } = await server.mailbox.take(account.email);
    expect(subject).toBe('Votre lien de connexion – Mon Entreprise');
    expect(text).toContain('ne donnez ce code à personne');
    expect(text).toContain('Le code est valable 10 minutes.');
    await server.database.asOwner(
      `update auth.one_time_tokens set code_expires_at = code_expires_at - interval '10 minutes' where user_id = $1`,
      [account.id],
    );
    const body = { type: 'email', email: account.email, token: codeIn(text) };
    expect((await send('POST', '/verify', { body, headers: elsewhere() })).status).toBe(403);
  });

  test('[I-56][open redirect] what looks like one of our addresses is none', () => {
    const settings = authSettings(server.services);
    for (const asked of [
      'https://pirate.example/',
      '//pirate.example/',
      '\\\\pirate.example',
      '/\\pirate.example',
      'https:pirate.example',
      'https:///pirate.example',
      'https://parrain.example.fr@pirate.example/',
      'https://jeanne:secret@parrain.example.fr/',
      'https://pirate.example@parrain.example.fr/',
      'https://parrain.example.fr:secret@pirate.example/',
      'https://parrain.example.fr\\@pirate.example/',
      'https://parrain.example.fr%2f@pirate.example/',
      'https://parrain.example.fr.pirate.example/',
      'https://pirateparrain.example.fr/',
      'https://parrain.example.fr:444/',
      'http://parrain.example.fr/',
      'HTTP://PARRAIN.EXAMPLE.FR/',
      'https://pirate.example/?https://parrain.example.fr/',
      'https://pirate.example/#https://parrain.example.fr/',
      'https://pirate.example/https://parrain.example.fr/',
      'https://parrain。example。fr.pirate.example/',
      'https://a.b.parrain.app/',
      'https://a/b.parrain.app/',
      'https://pirate.example?.parrain.app/',
      'https://pirate.example/x.parrain.app/',
      'https://pirate.example#.parrain.app/',
      'https://parrain.app.pirate.example/',
      'javascript:alert(1)//parrain.example.fr',
      'data:text/html,<script>1</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://parrain.example.fr/x',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://[::1]/',
      'https://parrain.example.fr/\r\nSet-Cookie: a=b',
      ' https://pirate.example/',
      '\u0000https://pirate.example/',
      'jeanne@example.fr',
      '',
      'x'.repeat(5000),
    ]) {
      expect({ asked, led: redirectTarget(asked, settings) }).toEqual({ asked, led: `${PUBLIC_URL}/` });
    }
    for (const asked of [`${PUBLIC_URL}/client/dashboard?a=1#b`, 'https://lyon.parrain.app/retour']) {
      expect(redirectTarget(asked, settings)).toBe(asked);
    }
  });
});

describe('what is pending', () => {
  test('[auth#2600] a change of address waits for both halves, whether accounts confirm themselves or not', async () => {
    const quick = await startTestServer({ doors: ['auth'], smtp: true });
    try {
      for (const where of [quick, server]) {
        const account = await anAccount(where);
        const { client } = await signedIn(where, account, where === server ? elsewhere() : {});
        const wanted = anEmail();
        expect((await client.auth.updateUser({ email: wanted })).error).toBeNull();
        const fromNew = linkIn((await where.mailbox.take(wanted)).text);
        const fromOld = linkIn((await where.mailbox.take(account.email)).text);
        const emailNow = async (): Promise<string | undefined> => (await client.auth.getUser()).data.user?.email;
        const half = await landing(onServer(where, fromNew), elsewhere());
        expect(fragmentOf(half).get('access_token')).toBeNull();
        expect(await emailNow()).toBe(account.email);
        expect(fragmentOf(await landing(onServer(where, fromOld), elsewhere())).get('access_token')).toBeTruthy();
        expect(await emailNow()).toBe(wanted);
      }
    } finally {
      await quick.close();
    }
  });

  test('[auth 2.196] with the address replaced, no link or code sent to the old one is good any more', async () => {
    const admin = administratorOf(server).auth.admin;
    const account = await anAccount(server);
    await send('POST', '/recover', { body: { email: account.email }, headers: elsewhere() });
    const mail = await server.mailbox.take(account.email);
    const { error } = await admin.updateUserById(account.id, { email: anEmail(), email_confirm: true });
    expect(error).toBeNull();
    const link = { type: 'recovery', token_hash: linkIn(mail.text).searchParams.get('token_hash') };
    const code = { type: 'recovery', email: account.email, token: codeIn(mail.text) };
    for (const body of [link, code])
      expect((await send('POST', '/verify', { body, headers: elsewhere() })).status).toBe(403);

    const changing = await anAccount(server);
    const { client } = await signedIn(server, changing, elsewhere());
    const wanted = anEmail();
    await client.auth.updateUser({ email: wanted });
    await send('POST', '/recover', { body: { email: changing.email }, headers: elsewhere() });
    const sides = [await server.mailbox.take(changing.email), await server.mailbox.take(changing.email)];
    const recovery = sides.find(({ subject }) => subject.startsWith('Choisissez'));
    const current = sides.find((one) => one !== recovery);
    for (const { text } of [await server.mailbox.take(wanted), current ?? { text: '' }]) {
      await landing(onServer(server, linkIn(text)), elsewhere());
    }
    expect((await client.auth.getUser()).data.user?.email).toBe(wanted);
    const old = { type: 'recovery', token_hash: linkIn(recovery?.text ?? '').searchParams.get('token_hash') };
    expect((await send('POST', '/verify', { body: old, headers: elsewhere() })).status).toBe(403);
  });

  test('[auth#2819][I-50] the sixth try of a code is one too many, even a right one', async () => {
    const account = await anAccount(server);
    await send('POST', '/otp', { body: { email: account.email }, headers: elsewhere() });
    const code = codeIn((await server.mailbox.take(account.email)).text);
    const guess = async (token: string): Promise<Reply> =>
      send('POST', '/verify', { body: { type: 'email', email: account.email, token }, headers: elsewhere() });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const wrong = String((Number(code) + attempt) % 1_000_000).padStart(6, '0');
      expect((await guess(wrong)).status).toBe(403);
    }
    expect((await guess(code)).body['code']).toBe('otp_expired');
  });

  test("[auth#1472] an unknown address, a wrong, used or expired code, or another's: the same answer, byte for byte", async () => {
    const [account, other] = [await anAccount(server), await anAccount(server)];
    await send('POST', '/otp', { body: { email: account.email }, headers: elsewhere() });
    const code = codeIn((await server.mailbox.take(account.email)).text);
    const wrong = code === '000000' ? '000001' : '000000';
    const answers: string[] = [];
    for (const body of [
      { type: 'email', email: 'fantome@example.fr', token: code },
      { type: 'email', email: other.email, token: code },
      { type: 'email', email: account.email, token: wrong },
      { type: 'signup', email: account.email, token: code },
      { type: 'sms', phone: '33699999999', token: code },
      { type: 'recovery', token_hash: 'x'.repeat(43) },
    ]) {
      answers.push(JSON.stringify(await send('POST', '/verify', { body, headers: elsewhere() })));
    }
    const right = { type: 'email', email: account.email, token: code };
    expect((await send('POST', '/verify', { body: right, headers: elsewhere() })).status).toBe(200);
    answers.push(JSON.stringify(await send('POST', '/verify', { body: right, headers: elsewhere() })));
    expect(new Set(answers)).toHaveLength(1);
    expect(answers[0]).not.toContain('@');
  });
});

describe('tokens of who may no longer come in', () => {
  test('[auth#2642][I-42] banned, deactivated: the access token is refused at once, at every door', async () => {
    for (const bar of [
      `update auth.users set banned_until = now() + interval '1 day' where id = $1`,
      'update public.profiles set deactivated_at = now() where id = $1',
    ]) {
      const account = await anAccount(server, { role: 'admin' });
      const { session } = await signedIn(server, account, elsewhere());
      const headers = bearer(session.access_token);
      expect((await server.fetch('/rest/v1/profiles?select=id', { headers })).status).toBe(200);
      await server.database.asOwner(bar, [account.id]);
      const refused = await send('GET', '/user', { headers });
      expect({ bar, ...refused }).toMatchObject({ status: 403, body: { code: 'user_banned' } });
      expect((await send('PUT', '/user', { headers, body: { data: { a: 1 } } })).status).toBe(403);
      expect((await server.fetch('/rest/v1/profiles?select=id', { headers })).status).toBe(401);
      const action = '/functions/v1/company-settings?action=update_name';
      const asked = { method: 'POST', body: '{"company_name":"Piraté"}' };
      const written = await server.fetch(action, {
        ...asked,
        headers: { ...headers, 'content-type': 'application/json' },
      });
      expect(written.status).toBe(401);
      expect((await refreshWith(server, session.refresh_token)).body['code']).toBe('user_banned');
    }
  });

  test('[auth#2555][I-44] the token of an admin whose session is over is worth nothing, at every door', async () => {
    const account = await anAccount(server, { role: 'admin' });
    const { client, session } = await signedIn(server, account, elsewhere());
    await client.auth.signOut({ scope: 'local' });
    const headers = bearer(session.access_token);
    expect((await send('GET', '/user', { headers })).body['code']).toBe('session_not_found');
    expect((await send('GET', '/admin/users', { headers })).status).toBe(403);
    expect((await server.fetch('/rest/v1/profiles?select=id', { headers })).status).toBe(401);
    const asked = { method: 'POST', body: '{"company_name":"Piraté"}' };
    const written = await server.fetch('/functions/v1/company-settings?action=update_name', {
      ...asked,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    expect(written.status).toBe(401);
  });

  test('[auth#2564] deleted by half or whole, nothing remains that opens the account', async () => {
    const admin = administratorOf(server).auth.admin;
    for (const isSoft of [true, false]) {
      const account = await anAccount(server);
      const { session } = await signedIn(server, account, elsewhere());
      await server.database.asOwner(
        `insert into auth.webauthn_credentials (user_id, credential_id, public_key, sign_count, transports)
         values ($1::uuid, convert_to($1::text, 'utf8'), '\\x00', 0, '{}')`,
        [account.id],
      );
      await send('POST', '/recover', { body: { email: account.email }, headers: elsewhere() });
      const link = linkIn((await server.mailbox.take(account.email)).text).searchParams.get('token_hash');
      expect((await admin.deleteUser(account.id, isSoft)).error).toBeNull();
      for (const table of ['webauthn_credentials', 'sessions', 'one_time_tokens', 'factors', 'identities']) {
        const left = await server.database.asOwner(`select from auth.${table} where user_id = $1`, [account.id]);
        expect({ isSoft, table, left: left.length }).toEqual({ isSoft, table, left: 0 });
      }
      expect((await refreshWith(server, session.refresh_token)).status).toBe(400);
      const body = { type: 'recovery', token_hash: link };
      expect((await send('POST', '/verify', { body, headers: elsewhere() })).status).toBe(403);
      const { error } = await clientOf(server, elsewhere()).auth.signInWithPassword(account);
      expect(error?.code).toBe('invalid_credentials');
    }
  });

  test('[auth#2284][I-43] fifty refreshes at once: nobody is signed out, a single family', async () => {
    const { session } = await signedIn(server, await anAccount(server), elsewhere());
    const answers = await Promise.all(Array.from({ length: 50 }, () => refreshWith(server, session.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(new Set(answers.map(({ body }) => body['refresh_token']))).toHaveLength(1);
    expect((await refreshWith(server, String(answers[0]?.body['refresh_token']))).status).toBe(200);
  });
});

describe('what a request may be', () => {
  test('[auth#2402] two mebibytes: 413, before any work, at every operation that reads a body', async () => {
    const body = JSON.stringify({ email: anEmail(), password: 'x'.repeat(2 * 1024 * 1024) });
    for (const [method, address] of [
      ['POST', '/signup'],
      ['POST', '/token?grant_type=password'],
      ['POST', '/otp'],
      ['POST', '/verify'],
      ['POST', '/verify/continue'],
      ['POST', '/recover'],
      ['PUT', '/user'],
      ['POST', '/admin/users'],
      ['POST', '/sso/saml/acs'],
    ] as const) {
      const { made, result } = await hashesMade(() => send(method, address, { body, headers: elsewhere() }));
      expect({ address, status: result.status, made }).toEqual({ address, status: 413, made: 0 });
      expect(result.body['code']).toBe('request_entity_too_large');
    }
  });

  test('[auth#2282][I-48] « X-Forwarded-For: a, b »: the address that the last relay saw, never the one it was told', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 31; attempt += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${attempt}, 198.51.100.7` };
      statuses.push((await send('POST', '/verify', { body: {}, headers })).status);
    }
    expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 400));
    expect(statuses.at(-1)).toBe(429);
    const other = { 'x-forwarded-for': '203.0.113.1, 198.51.100.8' };
    expect((await send('POST', '/verify', { body: {}, headers: other })).status).toBe(400);
    const [session] = await server.database.asOwner<{ ip: string }>('select ip from auth.sessions where id = $1', [
      await sessionFrom('203.0.113.9, 198.51.100.9'),
    ]);
    expect(session?.ip).toBe('198.51.100.9');
  });

  test('[CVE-2025-48370] an id that is none leads to no other operation', async () => {
    const { session } = await signedIn(server, await anAccount(server), elsewhere());
    const { secretKey } = server.services.keys;
    const admin = { apikey: secretKey, authorization: `Bearer ${secretKey}`, ...elsewhere() };
    const person = bearer(session.access_token);
    for (const id of ['..', '.', '%2e%2e', '..%2f', '%2e%2e%2f', '..%2fusers', '%2e%2e%2f%2e%2e%2fsettings', '%00']) {
      for (const [method, address, headers] of [
        ['GET', `/admin/users/${id}`, admin],
        ['PUT', `/admin/users/${id}`, admin],
        ['DELETE', `/admin/users/${id}`, admin],
        ['GET', `/admin/users/${id}/factors`, admin],
        ['DELETE', `/admin/users/${session.user.id}/factors/${id}`, admin],
        ['DELETE', `/factors/${id}`, person],
        ['POST', `/factors/${id}/challenge`, person],
        ['POST', `/factors/${id}/verify`, person],
        ['PATCH', `/passkeys/${id}`, person],
        ['DELETE', `/passkeys/${id}`, person],
        ['DELETE', `/user/identities/${id}`, person],
      ] as const) {
        const { status, body } = await send(method, address, { headers, body: method === 'GET' ? undefined : {} });
        expect({ method, address, status }).toEqual({ method, address, status: 404 });
        expect(body).not.toHaveProperty('users');
      }
    }
    expect((await administratorOf(server).auth.admin.listUsers()).data.users.length).toBeGreaterThan(0);
  });
});

describe('what time and words tell', () => {
  test('[auth#2223][I-49] an unknown address, one without a password or deactivated costs the same hash as a known one', async () => {
    const known = await anAccount(server);
    const banned = await anAccount(server);
    await server.database.asOwner(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
      banned.id,
    ]);
    const bare = await anAccount(server);
    await server.database.asOwner('update auth.users set encrypted_password = null where id = $1', [bare.id]);
    for (const email of [known.email, 'fantome-2@example.fr', banned.email, bare.email]) {
      for (const password of ['un-mauvais-mot-de-passe', '', 'x'.repeat(200)]) {
        const { made, result } = await hashesMade(() =>
          send('POST', '/token?grant_type=password', { body: { email, password }, headers: elsewhere() }),
        );
        expect({ email, made, code: result.body['code'] }).toEqual({ email, made: 1, code: 'invalid_credentials' });
      }
    }
  });

  test('[user_banned first] without the password nobody learns that the account is barred', async () => {
    const banned = await anAccount(server);
    await server.database.asOwner(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
      banned.id,
    ]);
    const ask = async (password: string): Promise<Reply> =>
      send('POST', '/token?grant_type=password', { body: { email: banned.email, password }, headers: elsewhere() });
    expect((await ask('un-autre-mot-de-passe')).body['code']).toBe('invalid_credentials');
    expect((await ask(PASSWORD)).body['code']).toBe('user_banned');
  });

  test('[recover 429] asking again at once does not tell that the address has an account', async () => {
    // Both are told the seconds that are left (DF-52), which the clock alone moves.
    const twice = async (address: string, email: string) => {
      const answers: string[] = [];
      for (const _ of [1, 2]) {
        const { status, body } = await send('POST', address, { body: { email }, headers: elsewhere() });
        answers.push(`${status} ${JSON.stringify(body).replaceAll(/\d+/gu, '…')}`);
      }
      return answers;
    };
    for (const address of ['/recover', '/otp', '/magiclink']) {
      const { email } = await anAccount(server);
      const [known, unknown] = [await twice(address, email), await twice(address, anEmail())];
      expect({ address, answers: known }).toEqual({ address, answers: unknown });
      expect(known).toEqual(['200 {}', expect.stringMatching(/^429 /u)]);
    }
  });

  test('[constant-time] no secret is compared with ===', async () => {
    const secret = /(?:hash|digest|mac|signature|secret|verifier|challenge|nonce|token|code|otp)$/iu;
    const compared = /([\w.]+(?:\([^()]*\))?)\s*(?:===|!==)\s*([\w.']+(?:\([^()]*\))?)/gu;
    const names = (side: string): boolean =>
      secret.test(
        side
          .replace(/\([^()]*\)$/u, '')
          .split('.')
          .at(-1) ?? '',
      );
    /** A comparison with nothing, or between public words, tells nothing. */
    const isPublic = (side: string): boolean => /^(?:null|undefined|true|false|''|\d+|'.*)$/u.test(side);
    const found: string[] = [];
    const folder = path.join(import.meta.dirname, '..');
    const files = (await readdir(folder, { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    );
    expect(files.length).toBeGreaterThan(50);
    for (const file of files) {
      const text = await readFile(path.join(folder, file), 'utf8');
      for (const [whole] of text.matchAll(/\.equals\(|Buffer\.compare\(|\.localeCompare\(/gu))
        found.push(`${file}: ${whole}`);
      for (const [whole, left = '', right = ''] of text.matchAll(compared)) {
        if (isPublic(left) || isPublic(right)) continue;
        if (names(left) || names(right)) found.push(`${file}: ${whole}`);
      }
    }
    expect(found.filter((one) => !KNOWN_PUBLIC.has(one))).toEqual([]);
  });
});

/** Comparisons of what is no secret, though it is named like one. */
const KNOWN_PUBLIC = new Set([
  // Compares the spelling with the one we give; the signature is compared in constant time.
  "sessions/refresh-token.ts: bytes.toString('base64url') !== token",
  // Compares objects, not their bytes: an account without a password.
  'passwords/password-hash.ts: known !== DUMMY_HASH',
  // Compares the bytes of a document: it is UTF-8.
  'providers/saml/saml-service.ts: .equals(',
]);

function onServer(where: TestServer, link: URL): URL {
  return new URL(link.pathname + link.search, where.url);
}

/** The session of somebody who comes through relays that say these addresses. */
async function sessionFrom(forwarded: string): Promise<string> {
  const { session } = await signedIn(server, await anAccount(server), { 'x-forwarded-for': forwarded });
  const [, payload = ''] = session.access_token.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { session_id: string }).session_id;
}
