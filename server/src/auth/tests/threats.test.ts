import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { neighbourhoodOf } from '#platform/network';

import { anAccount, clientOf, PASSWORD, refreshWith, signedIn } from '../../testing/accounts.ts';
import { hashesMade } from '../../testing/hashes.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { codeIn, elsewhere } from '../../testing/links.ts';
import { ask } from '../../testing/protocol.ts';
import { statementsSent } from '../../testing/statements.ts';

/** Threats to identities and sessions that no single operation holds: rows 41 to 60 without a test elsewhere. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ doors: ['auth', 'rest'], smtp: true, environment: { TRUST_PROXY: '1' } });
});
afterAll(() => server.close());

describe('a list of stolen passwords', () => {
  const from = (ip: string): Record<string, string> => ({ 'x-forwarded-for': ip });
  async function tryIn(ip: string, email: string, password: string): Promise<unknown> {
    const body = { email, password };
    const answer = await ask(server, 'POST', '/token?grant_type=password', { body, headers: from(ip) });
    return answer.status === 200 ? 'in' : answer.body['code'];
  }

  test('[I-47] tried on ten thousand accounts from neighbouring addresses, it is slowed down; a person from elsewhere enters', async () => {
    const account = await anAccount(server);
    // As many as a minute allows, without their hashes.
    await server.database.asOwner(
      `select private.take_token('auth:password-around:203.0.113.0/24', 300, 60) from generate_series(1, 295)`,
    );
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) => tryIn(`203.0.113.${n}`, `compte-${n}@example.fr`, 'faux')),
    );
    expect(outcomes).toContain('invalid_credentials');
    // Five attempts a second come back in the meantime.
    expect(outcomes.filter((outcome) => outcome === 'over_request_rate_limit').length).toBeGreaterThan(10);
    expect(await tryIn('203.0.114.1', account.email, PASSWORD)).toBe('in');
    expect(await tryIn('2001:db8:1:2::1', account.email, PASSWORD)).toBe('in');
  });

  test('[I-47] right passwords, as many as an office building has, are not counted', async () => {
    const bucket = 'auth:password-around:198.51.100.0/24';
    await server.database.asOwner('select private.take_token($1, 300, 60) from generate_series(1, 299)', [bucket]);
    const account = await anAccount(server);
    for (let n = 0; n < 8; n += 1) expect(await tryIn(`198.51.100.${n}`, account.email, PASSWORD)).toBe('in');
  });

  test('[I-47] the neighbourhood is a /24, or a /48', () => {
    expect(neighbourhoodOf('203.0.113.77')).toBe('203.0.113.0/24');
    expect(neighbourhoodOf('::ffff:203.0.113.77')).toBe('203.0.113.0/24');
    expect(neighbourhoodOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1::/48');
    expect(neighbourhoodOf('2001:db8:1:ffff::1')).toBe('2001:db8:1::/48');
    expect(neighbourhoodOf('2001:db8::1')).toBe('2001:db8:0::/48');
  });
});

describe('a session chosen by somebody else', () => {
  test("[I-53] whatever the request proposes, each sign-in opens a new session, and the earlier one stays its owner's", async () => {
    const attacker = await signedIn(server, await anAccount(server), elsewhere());
    const account = await anAccount(server);
    const chosen = claimOf(attacker.session.access_token, 'session_id');
    const proposed = {
      session_id: chosen,
      id: chosen,
      access_token: attacker.session.access_token,
      refresh_token: attacker.session.refresh_token,
    };
    const headers = {
      authorization: `Bearer ${attacker.session.access_token}`,
      cookie: `sb-access-token=${attacker.session.access_token}; session_id=${chosen}`,
    };
    await ask(server, 'POST', '/otp', { body: { email: account.email }, headers: elsewhere() });
    const code = codeIn((await server.mailbox.take(account.email)).text);
    for (const [path, body] of [
      ['/token?grant_type=password', { email: account.email, password: PASSWORD }],
      ['/verify', { type: 'email', email: account.email, token: code }],
    ] as const) {
      const query = `${path.includes('?') ? '&' : '?'}session_id=${chosen}`;
      const answer = await ask(server, 'POST', `${path}${query}`, {
        body: { ...proposed, ...body },
        headers: { ...headers, ...elsewhere() },
      });
      expect(answer.status).toBe(200);
      const token = String(answer.body['access_token']);
      expect(claimOf(token, 'session_id')).not.toBe(chosen);
      expect(claimOf(token, 'sub')).toBe(account.id);
    }
    expect((await attacker.client.auth.getUser()).data.user?.id).toBe(claimOf(attacker.session.access_token, 'sub'));
  });

  test("[I-53] the client that carried another's session forgets it at sign-in", async () => {
    const attacker = await signedIn(server, await anAccount(server), elsewhere());
    const account = await anAccount(server);
    const client = clientOf(server, elsewhere());
    const { access_token, refresh_token } = attacker.session;
    expect((await client.auth.setSession({ access_token, refresh_token })).error).toBeNull();
    const { data, error } = await client.auth.signInWithPassword(account);
    expect(error).toBeNull();
    expect(data.session?.refresh_token).not.toBe(refresh_token);
    expect(claimOf(data.session?.access_token ?? '', 'session_id')).not.toBe(claimOf(access_token, 'session_id'));
    expect((await client.auth.getUser()).data.user?.id).toBe(account.id);
  });
});

describe('addresses', () => {
  const register = async (email: string): Promise<unknown> => {
    const body = { email, password: PASSWORD, data: {} };
    const answer = await ask(server, 'POST', '/signup', { body, headers: elsewhere() });
    return answer.status === 200 ? 'in' : answer.body['code'];
  };

  test('[I-58] capitals and spaces around are the same address; a tag makes another', async () => {
    expect(await register('Jeanne.Dupont@Example.FR')).toBe('in');
    for (const same of ['jeanne.dupont@example.fr', ' JEANNE.DUPONT@EXAMPLE.FR ', 'jeanne.dupont@example.fr\n']) {
      expect({ same, outcome: await register(same) }).toEqual({ same, outcome: 'user_already_exists' });
    }
    expect(await register('jeanne.dupont+parrain@example.fr')).toBe('in');
    const kept = await server.database.asOwner<{ email: string }>(
      `select email from auth.users where email like 'jeanne%'`,
    );
    expect(kept.map(({ email }) => email).toSorted()).toEqual([
      'jeanne.dupont+parrain@example.fr',
      'jeanne.dupont@example.fr',
    ]);
    const { error } = await clientOf(server, elsewhere()).auth.signInWithPassword({
      email: 'JEANNE.dupont@example.fr',
      password: PASSWORD,
    });
    expect(error).toBeNull();
  });

  test('[I-58] an address that looks like another, hides a second one or is none is refused', async () => {
    for (const email of [
      'jеanne.dupont@example.fr', // A Cyrillic е.
      'jeanne\u0000@example.fr',
      'jeanne@example.fr\r\nBcc: pirate@example.fr',
      'jeanne@example.fr,pirate@example.fr',
      'jeanne@example.fr pirate@example.fr',
      'jeanne@example.fr;pirate@example.fr',
      'Jeanne <jeanne@example.fr>',
      '"jeanne"@example.fr',
      'jeanne@[127.0.0.1]',
      'jeanne@localhost',
      'jeanne@@example.fr',
      `${'a'.repeat(308)}@example.fr`,
      '\ud800@example.fr',
      '@example.fr',
      'jeanne@',
    ]) {
      expect({ email, outcome: await register(email) }).toEqual({ email, outcome: 'validation_failed' });
    }
  });

  test('[I-58, DF-30] an address that is written in another way is kept in its one form, which a look-alike shows', async () => {
    for (const [written, kept] of [
      ['jeanne.large＠example.fr', 'jeanne.large@example.fr'],
      ['jeanne.point@example\u3002fr', 'jeanne.point@example.fr'],
      ['jeanne\u200b.vide@example.fr', 'jeanne.vide@example.fr'],
      // A Cyrillic е: another domain, and it reads so.
      ['jeanne.autre@еxample.fr', 'jeanne.autre@xn--xample-2of.fr'],
    ] as const) {
      expect({ written, outcome: await register(written) }).toEqual({ written, outcome: 'in' });
      expect(await server.database.asOwner('select email from auth.users where email = $1', [kept])).toHaveLength(1);
    }
  });

  test('[I-58] twenty simultaneous registrations of one address, written in twenty ways: one account', async () => {
    const email = 'rapide@example.fr';
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        register([...email].map((letter, at) => ((n >> (at % 5)) & 1 ? letter.toUpperCase() : letter)).join('')),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'user_already_exists')).toHaveLength(19);
    expect(await server.database.asOwner('select from auth.users where lower(email) = $1', [email])).toHaveLength(1);
  });
});

describe('what signing in costs', () => {
  test('[AU-02][AU-03][AU-13] a sign-in: one hash and few queries; a refresh, GET /user: no hash', async () => {
    const quiet = await startTestServer({ doors: ['auth'], jobs: false });
    try {
      const account = await anAccount(quiet);
      const { session } = await signedIn(quiet, account);
      async function costOf(work: () => Promise<unknown>): Promise<{ readonly hashes: number; readonly sent: number }> {
        // Connections and plans are made by the first, which every process pays once.
        await work();
        const { result, made } = await hashesMade(() => statementsSent(work, quiet.database.owner.database));
        return { hashes: made, sent: result.sent.length };
      }
      const signIn = (password: string) => (): Promise<unknown> =>
        ask(quiet, 'POST', '/token?grant_type=password', { body: { email: account.email, password } });
      // Begin, identity and commit among them: what was measured when this was written and one more, for a connection that opens.
      for (const [what, hashes, most, work] of [
        ['a right password', 1, 12, signIn(account.password)],
        ['a wrong one', 1, 8, signIn('faux')],
        ['a refresh', 0, 9, () => refreshWith(quiet, session.refresh_token)],
        ['GET /user', 0, 2, () => ask(quiet, 'GET', '/user', { bearer: session.access_token })],
      ] as const) {
        const cost = await costOf(work);
        expect({ what, ...cost }).toEqual({ what, hashes, sent: cost.sent });
        expect({ what, sent: cost.sent, isFew: cost.sent <= most }).toMatchObject({ what, isFew: true });
      }
    } finally {
      await quiet.close();
    }
  });
});

function claimOf(token: string, name: string): string {
  const [, payload = ''] = token.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, string>)[name] ?? '';
}
