import { base64url, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { anAccount, clientOf, refreshWith, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { makeRefreshToken, parseRefreshToken } from '../sessions/refresh-token.ts';

let server: TestServer;
/** Another node on the same database. */
let second: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth', 'rest'], jobs: false });
  second = await startTestServer({
    doors: ['auth'],
    jobs: false,
    database: server.database,
    environment: { PUBLIC_URL: server.url },
  });
});
afterAll(async () => {
  await second.close();
  await server.close();
});

/** Makes the last refresh of a session look so many seconds old. */
async function age(accessToken: string, seconds: number): Promise<void> {
  const { session_id: id } = claimsIn(accessToken);
  await server.database.asOwner(
    'update auth.sessions set refreshed_at = refreshed_at - make_interval(secs => $2) where id = $1',
    [id, seconds],
  );
}

function claimsIn(token: string): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(base64url.decode(token.split('.')[1] ?? ''))) as Record<string, unknown>;
}

describe('refresh', () => {
  test('[AU-03] the official client gets a new token of each kind, for the same session', async () => {
    const { client, session } = await signedIn(server, await anAccount(server));
    const events: string[] = [];
    client.auth.onAuthStateChange((event) => events.push(event));
    const { data, error } = await client.auth.refreshSession();
    expect(error).toBeNull();
    expect(data.session?.refresh_token).not.toBe(session.refresh_token);
    expect(claimsIn(data.session?.access_token ?? '')['session_id']).toBe(claimsIn(session.access_token)['session_id']);
    expect((await client.auth.getUser()).error).toBeNull();
    expect(events).toContain('TOKEN_REFRESHED');
  });

  test('[AU-03][I-43] fifty simultaneous refreshes, on two nodes, never sign out: a single successor', async () => {
    const { session } = await signedIn(server, await anAccount(server));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => refreshWith(index % 2 === 0 ? server : second, session.refresh_token)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 50 }, () => 200));
    const successors = new Set(answers.map((answer) => String(answer.body['refresh_token'])));
    expect(successors.size).toBe(1);
    const [successor = ''] = successors;
    expect((await refreshWith(server, successor)).status).toBe(200);
  });

  test('[I-43] a replaced token is good for ten more seconds, and gives the same successor', async () => {
    const { session } = await signedIn(server, await anAccount(server));
    const first = await refreshWith(server, session.refresh_token);
    const next = await refreshWith(server, String(first.body['refresh_token']));
    const late = await refreshWith(server, session.refresh_token);
    expect(late.status).toBe(200);
    expect(late.body['refresh_token']).toBe(next.body['refresh_token']);
  });

  test('[AU-03][I-43] reused after ten seconds, it ends the whole session, last descendant included', async () => {
    const account = await anAccount(server);
    const other = await signedIn(server, account);
    const { session } = await signedIn(server, account);
    const first = await refreshWith(server, session.refresh_token);
    const newest = await refreshWith(server, String(first.body['refresh_token']));
    await age(session.access_token, 11);
    const reused = await refreshWith(server, session.refresh_token);
    expect(reused).toMatchObject({ status: 400, body: { code: 'refresh_token_already_used' } });
    // Committed: the newest token and the access token are dead, the person's other session is not.
    expect(await refreshWith(server, String(newest.body['refresh_token']))).toMatchObject({
      status: 400,
      body: { code: 'refresh_token_not_found' },
    });
    const user = await clientOf(server).auth.getUser(String(newest.body['access_token']));
    expect(user.error).toMatchObject({ name: 'AuthSessionMissingError' });
    expect((await other.client.auth.getUser()).error).toBeNull();
    const trail = await server.database.asOwner(
      `select from auth.audit_entries where user_id = $1 and action = 'refresh_token_reused'`,
      [account.id],
    );
    expect(trail).toHaveLength(1);
  });

  test('[AU-03] malformed, unknown or forged tokens: 400, and the session they name lives', async () => {
    const { client, session } = await signedIn(server, await anAccount(server));
    const parsed = parseRefreshToken(session.refresh_token);
    const sessionId = parsed?.sessionId ?? '';
    for (const [token, code] of [
      ['', 'validation_failed'],
      ['abcdefghijkl', 'validation_failed'],
      ['x'.repeat(5000), 'validation_failed'],
      [session.access_token, 'validation_failed'],
      [`${session.refresh_token}A`, 'validation_failed'],
      [makeRefreshToken(sessionId, 0, Buffer.alloc(32)), 'validation_failed'],
      [makeRefreshToken(sessionId, 7, Buffer.alloc(32)), 'validation_failed'],
      [makeRefreshToken(crypto.randomUUID(), 0, Buffer.alloc(32)), 'refresh_token_not_found'],
    ] as const) {
      expect(await refreshWith(server, token)).toMatchObject({ status: 400, body: { code } });
    }
    const { error } = await clientOf(server).auth.refreshSession({ refresh_token: 'nonsense' });
    expect(error?.message).toContain('Invalid Refresh Token');
    expect((await client.auth.refreshSession()).error).toBeNull();
  });

  test('[I-42] banned or deactivated, nobody refreshes any more', async () => {
    const account = await anAccount(server);
    const { session } = await signedIn(server, account);
    await server.database.asOwner('update public.profiles set deactivated_at = now() where id = $1', [account.id]);
    expect(await refreshWith(server, session.refresh_token)).toMatchObject({
      status: 400,
      body: { code: 'user_banned' },
    });
    const { error } = await clientOf(server).auth.getUser(session.access_token);
    expect(error).toMatchObject({ status: 403, code: 'user_banned' });
  });

  test('[AU-03] the key of the session cannot be read in the database', async () => {
    const { session } = await signedIn(server, await anAccount(server));
    const [row] = await server.database.asOwner<{ sealed: Buffer }>(
      'select refresh_key_sealed as sealed from auth.sessions where id = $1',
      [claimsIn(session.access_token)['session_id']],
    );
    expect(row?.sealed.length).toBeGreaterThan(32);
    expect(parseRefreshToken(session.refresh_token)?.isSignedWith(row?.sealed ?? Buffer.alloc(0))).toBe(false);
  });
});

describe('access tokens', () => {
  test('[I-41][JWT confusion] without algorithm, confused, forged, altered or expired: refused everywhere', async () => {
    const account = await anAccount(server);
    const { client, session } = await signedIn(server, account);
    const token = session.access_token;
    const [header = '', payload = '', signature = ''] = token.split('.');
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const decoded = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, unknown>;
    const claims = claimsIn(token);
    const [jwk] = (await server.services.tokens.jwks()).keys;
    const foreign = await generateKeyPair('ES256', { extractable: true });
    const foreignJwk = await exportJWK(foreign.publicKey);

    const hs = (key: string): string => {
      const signed = `${encode({ ...decoded, alg: 'HS256' })}.${payload}`;
      return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
    };
    const sign = (more: Record<string, unknown>, by: Record<string, unknown> = {}): Promise<string> =>
      new SignJWT({ ...claims, ...more })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: String(decoded['kid']), ...by })
        .sign(foreign.privateKey);
    const flipped = Buffer.from(signature, 'base64url');
    flipped[10] = (flipped[10] ?? 0) ^ 1;

    const ours = async (more: Record<string, unknown>, seconds = 3600): Promise<string> => {
      const { sub, session_id } = claims as { sub: string; session_id: string };
      return (await server.services.tokens.sign({ ...claims, sub, session_id, ...more }, { expiresInSeconds: seconds }))
        .token;
    };

    const forged: Record<string, string> = {
      'alg none': `${encode({ ...decoded, alg: 'none' })}.${payload}.`,
      'alg none with a signature': `${encode({ ...decoded, alg: 'None' })}.${payload}.${signature}`,
      'HS256 with the public key': hs(JSON.stringify(jwk)),
      'HS256 with its x': hs(String(jwk?.x)),
      'HS256 with an empty key': hs(''),
      'another key, our kid': await sign({}),
      'another kid': await sign({}, { kid: 'autre' }),
      'no kid': await sign({}, { kid: undefined }),
      'its own key in the header': await sign({}, { jwk: foreignJwk }),
      jku: await sign({}, { jku: 'https://evil.example/jwks.json' }),
      'one bit of the signature': `${header}.${payload}.${flipped.toString('base64url')}`,
      'another payload': `${header}.${encode({ ...claims, app_metadata: { role: 'admin' } })}.${signature}`,
      'no signature': `${header}.${payload}.`,
      'two parts': `${header}.${payload}`,
      expired: await ours({}, -120),
      'not yet valid': await ours({ nbf: Math.floor(Date.now() / 1000) + 3600 }),
      'another role': await ours({ role: 'service_role' }),
      'a refresh token': session.refresh_token,
    };
    for (const [name, bad] of Object.entries(forged)) {
      const { error } = await clientOf(server).auth.getUser(bad);
      expect({ name, status: error?.status, code: error?.code }).toEqual({ name, status: 403, code: 'bad_jwt' });
      expect(error?.message).toMatch(/^invalid JWT.*unable to parse or verify signature/u);
      const rest = await server.fetch('/rest/v1/profiles?select=id', { headers: { authorization: `Bearer ${bad}` } });
      expect({ name, status: rest.status }).toEqual({ name, status: 401 });
    }
    expect((await client.auth.getUser()).error).toBeNull();
  });

  test('[I-41][AU-22] the official client itself refuses an altered token: invalid_jwt', async () => {
    const { client, session } = await signedIn(server, await anAccount(server));
    const [header = '', payload = '', signature = ''] = session.access_token.split('.');
    const flipped = Buffer.from(signature, 'base64url');
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    const { error } = await client.auth.getClaims(`${header}.${payload}.${flipped.toString('base64url')}`);
    expect(error).toMatchObject({ name: 'AuthInvalidJwtError', code: 'invalid_jwt' });
  });
});

describe('refresh tokens', () => {
  test('[AU-03] a token reads back as it was, and any other writing is refused', () => {
    const key = Buffer.alloc(32, 7);
    const sessionId = '0189d5a8-7f4e-4c1e-9a53-2f6f2e1d9b00';
    for (const counter of [0, 1, 127, 128, 300, 2 ** 21, 2 ** 40]) {
      const token = makeRefreshToken(sessionId, counter, key);
      const parsed = parseRefreshToken(token);
      expect(parsed).toMatchObject({ sessionId, counter });
      expect(parsed?.isSignedWith(key)).toBe(true);
      expect(parsed?.isSignedWith(Buffer.alloc(32, 8))).toBe(false);
      expect(parseRefreshToken(`${token}=`)).toBeNull();
    }
    expect(parseRefreshToken('A'.repeat(45))).toBeNull();
  });
});
