import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aCommercial, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { systemClock } from './clock.ts';
import { bearerOf, resolveIdentity } from './identity.ts';
import { createApiKeys, loadApiKeys } from './keys.ts';
import { loadTokens } from './tokens.ts';

let server: TestServer;
let person: Person;
let publishable: string;
let secret: string;

beforeAll(async () => {
  server = await startTestServer({ jobs: false, doors: [] });
  person = await aCommercial(server.database);
  publishable = server.services.keys.publishableKey;
  secret = server.services.keys.secretKey;
});
afterAll(async () => server.close());

const resolve = async (headers: Record<string, string>) => resolveIdentity(server.services, headers);
const reasonOf = async (headers: Record<string, string>) => {
  const resolved = await resolve(headers);
  return 'refusal' in resolved ? resolved.refusal.reason : resolved.identity.role;
};

describe('[F-17] the key of a request', () => {
  test('is one of two, random, made once for all nodes', async () => {
    expect(publishable).toMatch(/^sb_publishable_[\w-]{32}$/u);
    expect(secret).toMatch(/^sb_secret_[\w-]{32}$/u);
    const again = await loadApiKeys(server.services.db, server.services.secrets, systemClock);
    expect(again).toMatchObject({ publishableKey: publishable, secretKey: secret });
    const stored = await server.database.asOwner(`select encode(value, 'escape') as text from private.secrets`);
    for (const row of stored) expect(String(row['text'])).not.toMatch(/sb_secret_|sb_publishable_/u);
  });

  test.each(['', 'x', 'sb_publishable_', 'SB_PUBLISHABLE_a', `sb_secret_${'a'.repeat(32)}`])('%j is unknown', (key) => {
    const keys = createApiKeys({ publishableKey: 'sb_publishable_a', secretKey: 'sb_secret_b' }, [], systemClock);
    expect(keys.resolve(key)).toBeNull();
  });

  test('says the role where there is no bearer, or the bearer is the key itself', async () => {
    expect(await reasonOf({ apikey: publishable })).toBe('anon');
    expect(await reasonOf({ apikey: publishable, authorization: `Bearer ${publishable}` })).toBe('anon');
    expect(await reasonOf({ apikey: secret })).toBe('service_role');
    expect(await reasonOf({ apikey: secret, authorization: `Bearer ${secret}` })).toBe('service_role');
  });

  test('missing or unknown is refused', async () => {
    expect(await reasonOf({})).toBe('missing_key');
    expect(await reasonOf({ authorization: `Bearer ${await server.tokenOf(person)}` })).toBe('missing_key');
    expect(await reasonOf({ apikey: 'sb_publishable_other' })).toBe('unknown_key');
  });

  test('[P-04] the secret one is refused from a browser', async () => {
    expect(await reasonOf({ apikey: secret, origin: 'https://example.fr' })).toBe('secret_key_in_browser');
    expect(await reasonOf({ apikey: publishable, origin: 'https://example.fr' })).toBe('anon');
  });
});

describe('[P-04][I-41] the bearer of a request', () => {
  test('that is a good access token makes the person', async () => {
    const resolved = await resolve({ apikey: publishable, authorization: `Bearer ${await server.tokenOf(person)}` });
    expect(resolved).toMatchObject({ identity: { role: 'authenticated', claims: { sub: person.id } } });
    expect(await reasonOf({ apikey: publishable, authorization: `bearer ${await server.tokenOf(person)}` })).toBe(
      'authenticated',
    );
  });

  test('of another scheme, or empty, is never a visitor', async () => {
    expect(bearerOf(undefined)).toBeNull();
    for (const authorization of ['Basic abc', 'Bearer', 'Bearer ', 'Bearer a b', 'token']) {
      expect(await reasonOf({ apikey: publishable, authorization })).toBe('bad_bearer');
    }
    // The key in the wrong place is no token either.
    expect(await reasonOf({ apikey: publishable, authorization: `Bearer ${secret}` })).toBe('bad_bearer');
  });

  const cases: Record<string, () => Promise<string>> = {
    'unsigned (alg none)': async () => forge({ alg: 'none', typ: 'JWT' }, await goodClaims(), () => ''),
    'signed with the public key as a secret (HS256)': async () => {
      const [jwk] = (await server.services.tokens.jwks()).keys;
      return forge({ ...(await goodHeader()), alg: 'HS256' }, await goodClaims(), (input) =>
        createHmac('sha256', JSON.stringify(jwk)).update(input).digest('base64url'),
      );
    },
    'signed by another key under our kid': async () => forge(await goodHeader(), await goodClaims(), strangerSignature),
    'signed by a key it brings along (jwk)': async () =>
      forge({ alg: 'ES256', jwk: stranger.publicKey.export({ format: 'jwk' }) }, await goodClaims(), strangerSignature),
    'of an unknown kid': async () => forge({ alg: 'ES256', kid: 'unknown' }, await goodClaims(), strangerSignature),
    'with one bit flipped': async () => {
      const token = await server.tokenOf(person);
      const last = token.at(-2) === 'A' ? 'B' : 'A';
      return token.slice(0, -2) + last + token.slice(-1);
    },
    'with other claims under the same signature': async () => {
      const [header = '', , signature = ''] = (await server.tokenOf(person)).split('.');
      return [header, encode({ ...(await goodClaims()), sub: randomUUID() }), signature].join('.');
    },
    expired: async () => (await server.services.tokens.sign(await baseClaims(), { expiresInSeconds: -60 })).token,
    'from the future': async () => signedAt(new Date(Date.now() + 3_600_000)),
    'of another issuer': async () => {
      const other = await loadTokens(
        server.services.db,
        server.services.secrets,
        server.services.clock,
        () => 'https://evil.example',
      );
      return (await other.sign(await baseClaims())).token;
    },
    'without a session': async () =>
      (await server.services.tokens.sign({ ...(await baseClaims()), session_id: '' })).token,
    'of a role that is not a person’s': async () =>
      (await server.services.tokens.sign({ ...(await baseClaims()), role: 'service_role' })).token,
    'of too many parts': async () => `${await server.tokenOf(person)}.x`,
    'of nonsense': () => Promise.resolve('a.b.c'),
  };

  test.each(Object.keys(cases))('%s is refused', async (name) => {
    const token = (await cases[name]?.()) ?? '';
    expect(await reasonOf({ apikey: publishable, authorization: `Bearer ${token}` })).toBe('bad_bearer');
  });

  test('stays refused once its time is over, however often it was accepted before', async () => {
    let now = new Date();
    const tokens = await loadTokens(
      server.services.db,
      server.services.secrets,
      { now: () => now },
      () => `${server.url}/auth/v1`,
    );
    const { token } = await tokens.sign(await baseClaims());
    await expect(tokens.verify(token)).resolves.toMatchObject({ sub: person.id });
    await expect(tokens.verify(token)).resolves.toMatchObject({ sub: person.id });
    now = new Date(now.getTime() + 3_700_000);
    await expect(tokens.verify(token)).rejects.toMatchObject({ failure: 'expired' });
  });

  test('is verified by every node: they share their signing keys, whose private part is sealed', async () => {
    const node = await loadTokens(
      server.services.db,
      server.services.secrets,
      server.services.clock,
      () => `${server.url}/auth/v1`,
    );
    await expect(node.verify(await server.tokenOf(person))).resolves.toMatchObject({ sub: person.id });
    expect(await node.jwks()).toEqual(await server.services.tokens.jwks());
    for (const key of (await node.jwks()).keys) expect(key).not.toHaveProperty('d');
    const rows = await server.database.asOwner(
      `select encode(private_jwk_sealed, 'escape') as text from auth.signing_keys`,
    );
    expect(rows).toHaveLength(1);
    expect(String(rows[0]?.['text'])).not.toContain('"d"');
  });
});

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function strangerSignature(input: string): string {
  return sign('sha256', Buffer.from(input), { key: stranger.privateKey, dsaEncoding: 'ieee-p1363' }).toString(
    'base64url',
  );
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function forge(header: object, claims: object, signature: (input: string) => string): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${signature(input)}`;
}

async function goodHeader(): Promise<object> {
  return part(await server.tokenOf(person), 0);
}

async function goodClaims(): Promise<object> {
  return part(await server.tokenOf(person), 1);
}

function part(token: string, index: number): object {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString()) as object;
}

async function baseClaims(): Promise<{ sub: string; session_id: string; role: string }> {
  return { sub: person.id, session_id: person.sessionId, role: 'authenticated' };
}

async function signedAt(now: Date): Promise<string> {
  const later = await loadTokens(
    server.services.db,
    server.services.secrets,
    { now: () => now },
    () => `${server.url}/auth/v1`,
  );
  return (await later.sign(await baseClaims())).token;
}
