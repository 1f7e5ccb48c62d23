// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, clientOf, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { enrolTotp, passTotp } from '../../testing/factors.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere } from '../../testing/links.ts';
import { ask } from '../../testing/protocol.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth'],
    smtp: true,
    environment: { TRUST_PROXY: '1', ANONYMOUS_SIGN_IN: '1' },
  });
});
afterAll(() => server.close());

type Claims = Readonly<Record<string, unknown>>;

function claimsIn(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
}

/** The access token as it is now in the client's hands. */
async function claimsOf(client: ReturnType<typeof clientOf>): Promise<Claims> {
  const { data } = await client.auth.getSession();
  return claimsIn(data.session?.access_token ?? '');
}

function methodsIn(claims: Claims): unknown[] {
  return (claims['amr'] as { method: unknown }[]).map(({ method }) => method);
}

describe('what an access token says', () => {
  test('[AU-02][AU-18] exactly the claims of the contract, integers where they must be', async () => {
    const { session } = await signedIn(server, await anAccount(server), elsewhere());
    const claims = claimsIn(session.access_token);
    expect(Object.keys(claims).toSorted()).toEqual([
      'aal',
      'amr',
      'app_metadata',
      'aud',
      'email',
      'exp',
      'iat',
      'is_anonymous',
      'iss',
      'phone',
      'role',
      'session_id',
      'sub',
      'user_metadata',
    ]);
    expect(claims['aud']).toBe('authenticated');
    expect(Number.isInteger(claims['exp']) && Number.isInteger(claims['iat'])).toBe(true);
    expect(claims['exp']).toBe(session.expires_at);
    const [header = ''] = session.access_token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'ES256',
      kid: expect.any(String),
      typ: 'JWT',
    });
  });

  test('[AU-22] the way in is written, the most recent first, and the refresh keeps it', async () => {
    const account = await anAccount(server);
    const { client } = await signedIn(server, account, elsewhere());
    expect(methodsIn(await claimsOf(client))).toEqual(['password']);
    await passTotp(client, await enrolTotp(client));
    expect(await claimsOf(client)).toMatchObject({ aal: 'aal2' });
    expect(methodsIn(await claimsOf(client))).toEqual(['totp', 'password']);
    await client.auth.refreshSession();
    expect(await claimsOf(client)).toMatchObject({ aal: 'aal2' });
    expect(methodsIn(await claimsOf(client))).toEqual(['totp', 'password']);

    const nobody = clientOf(server, elsewhere());
    await nobody.auth.signInAnonymously();
    expect(await claimsOf(nobody)).toMatchObject({ is_anonymous: true, email: '', phone: '', aal: 'aal1' });
    expect(methodsIn(await claimsOf(nobody))).toEqual(['anonymous']);

    const fresh = clientOf(server, elsewhere());
    await fresh.auth.signUp({ email: `jeton-${randomUUID().slice(0, 8)}@example.fr`, password: PASSWORD });
    expect(methodsIn(await claimsOf(fresh))).toEqual(['password']);
  });

  test.each(['signup', 'invite', 'magiclink', 'recovery'] as const)(
    '[AU-08][AU-20] a token of type %s, outside an exchange of codes, says « otp »',
    async (type) => {
      const email =
        type === 'signup' || type === 'invite'
          ? `jeton-${randomUUID().slice(0, 8)}@example.fr`
          : (await anAccount(server)).email;
      const { data } = await administratorOf(server).auth.admin.generateLink(
        type === 'signup' ? { type, email, password: PASSWORD } : { type, email },
      );
      const client = clientOf(server, elsewhere());
      const { error } = await client.auth.verifyOtp({ type, token_hash: data.properties?.hashed_token ?? '' });
      expect(error).toBeNull();
      expect(methodsIn(await claimsOf(client))).toEqual(['otp']);
    },
  );
});

describe('what an access token must say', () => {
  test('[I-41][AU-22][UI-15] a token of our own hand that lacks a person, or only reads: refused, never a failure', async () => {
    const { session } = await signedIn(server, await anAccount(server), elsewhere());
    const other = await signedIn(server, await anAccount(server), elsewhere());
    const claims = claimsIn(session.access_token);
    const made = async (more: Claims): Promise<string> =>
      (await server.services.tokens.sign({ ...claims, ...more } as never)).token;
    for (const [what, more, statuses, code] of [
      ['no sub', { sub: undefined }, [403], 'bad_jwt'],
      ['an empty sub', { sub: '' }, [400, 403], 'bad_jwt'],
      ['a sub that is no id', { sub: 'moi' }, [400, 403], 'bad_jwt'],
      ['no session', { session_id: undefined }, [403], 'bad_jwt'],
      ['a session that is no id', { session_id: 'moi' }, [400, 403], 'bad_jwt'],
      ['nobody', { sub: randomUUID() }, [403], 'user_not_found'],
      ['a session that never was', { session_id: randomUUID() }, [403], 'session_not_found'],
      [
        'somebody else’s session',
        { session_id: claimsIn(other.session.access_token)['session_id'] },
        [403],
        'session_not_found',
      ],
      ['a view of another’s screen', { act: { sub: other.session.user.id } }, [403], 'view_reads'],
    ] as const) {
      const answer = await ask(server, 'GET', '/user', { bearer: await made(more) });
      expect([what, answer.body['code']]).toEqual([what, code]);
      expect(statuses).toContain(answer.status);
    }
  });
});

test('[AU-22] from another origin the browser may send and read all that the client needs', async () => {
  const sent = [
    'authorization',
    'apikey',
    'content-type',
    'x-client-info',
    'x-supabase-api-version',
    'x-retry-count',
    'traceparent',
    'tracestate',
    'baggage',
  ];
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const preflight = await fetch(`${server.url}/auth/v1/user`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.fr',
        'access-control-request-method': method,
        'access-control-request-headers': sent.join(', '),
      },
    });
    expect(preflight.status).toBeLessThan(300);
    expect(preflight.headers.get('access-control-allow-methods')).toContain(method);
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    expect(sent.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  }
});
