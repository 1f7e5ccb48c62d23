import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { administratorOf, anAccount, endCooldowns, PASSWORD, signedIn } from '../../testing/accounts.ts';
import { startTestServer } from '../../testing/index.ts';
import type { TestServer } from '../../testing/index.ts';
import { elsewhere } from '../../testing/links.ts';
import { ask } from '../../testing/protocol.ts';
import { startSmsSink } from '../../testing/sms-sink.ts';
import type { SmsSink } from '../../testing/sms-sink.ts';
import { statementsSent } from '../../testing/statements.ts';
import { jobsAreDone } from '../../testing/waiting.ts';

/**
 * Protection against enumeration: requests about an address or a number get the same status, headers and body whether it has an account or
 * not, and whatever that account may do. Times are measured by `npm run bench -- --only enumeration`.
 */

let sink: SmsSink;
/** Servers where accounts are confirmed by mail, and where they confirm themselves. */
let confirming: TestServer;
let quick: TestServer;
beforeAll(async () => {
  sink = await startSmsSink();
  const environment = { TRUST_PROXY: '1', SMS_URL: sink.url };
  confirming = await startTestServer({
    doors: ['auth', 'functions'],
    smtp: true,
    environment: { ...environment, SIGNUP_CONFIRMATION: '1' },
  });
  quick = await startTestServer({ doors: ['auth', 'functions'], smtp: true, environment });
});
afterAll(async () => {
  await confirming.close();
  await quick.close();
  await sink.close();
});

/** An address and a number, and the sort of account that both lead to. */
type Name = { readonly email: string; readonly phone: string };
type Sort = 'unknown' | 'known' | 'unconfirmed' | 'banned' | 'deactivated' | 'invited' | 'without a password' | 'SSO';

const SORTS: readonly Sort[] = [
  'unknown',
  'known',
  'unconfirmed',
  'banned',
  'deactivated',
  'invited',
  'without a password',
  'SSO',
];

let lastPhone = 33_612_000_000;

async function someone(server: TestServer, sort: Sort): Promise<Name> {
  const phone = String((lastPhone += 1));
  if (sort === 'unknown') return { email: `${randomUUID()}@example.fr`, phone };
  if (sort === 'invited') {
    const email = `${randomUUID()}@example.fr`;
    const { data, error } = await administratorOf(server).auth.admin.inviteUserByEmail(email);
    if (error !== null) throw error;
    // A while ago: how often messages leave is not what is looked at here.
    await server.database.asOwner(
      `update auth.users set phone = $2, confirmation_sent_at = now() - interval '2 minutes' where id = $1`,
      [data.user.id, phone],
    );
    return { email, phone };
  }
  const { id, email } = await anAccount(server, {
    isConfirmed: sort !== 'unconfirmed',
    fullName: 'Secrète Personne',
    role: 'commercial',
  });
  await server.database.asOwner(
    'update auth.users set phone = $2, phone_confirmed_at = case when $3 then now() end where id = $1',
    [id, phone, sort !== 'unconfirmed'],
  );
  const changes: Partial<Record<Sort, string>> = {
    banned: `update auth.users set banned_until = now() + interval '1 day' where id = $1`,
    deactivated: 'update public.profiles set deactivated_at = now() where id = $1',
    'without a password': 'update auth.users set encrypted_password = null where id = $1',
    SSO: 'update auth.users set is_sso_user = true, phone = null, phone_confirmed_at = null where id = $1',
  };
  const change = changes[sort];
  if (change !== undefined) await server.database.asOwner(change, [id]);
  return { email, phone };
}

type Endpoint = {
  readonly path: string;
  readonly body: (name: Name) => Readonly<Record<string, unknown>>;
  /** The sorts that the protocol itself tells apart there, and why. */
  readonly except?: Readonly<Partial<Record<Sort, string>>>;
};

const OTHER_PASSWORD = 'quatre-grands-chiens-8';
const ENDPOINTS: readonly Endpoint[] = [
  { path: '/token?grant_type=password', body: ({ email }) => ({ email, password: OTHER_PASSWORD }) },
  { path: '/token?grant_type=password', body: ({ phone }) => ({ phone, password: OTHER_PASSWORD }) },
  { path: '/token?grant_type=password', body: ({ email }) => ({ email, password: 'x'.repeat(100) }) },
  {
    path: '/signup',
    body: ({ email }) => ({ email, password: OTHER_PASSWORD, data: { full_name: 'Curieuse', ville: 'Lyon' } }),
  },
  { path: '/signup', body: ({ phone }) => ({ phone, password: OTHER_PASSWORD, data: { full_name: 'Curieuse' } }) },
  { path: '/recover', body: ({ email }) => ({ email }) },
  { path: '/otp', body: ({ email }) => ({ email }) },
  { path: '/magiclink', body: ({ email }) => ({ email }) },
  { path: '/otp', body: ({ email }) => ({ email, create_user: false }) },
  { path: '/otp', body: ({ phone }) => ({ phone, create_user: false }) },
  { path: '/otp', body: ({ phone }) => ({ phone }) },
  { path: '/resend', body: ({ email }) => ({ type: 'signup', email }) },
  { path: '/resend', body: ({ email }) => ({ type: 'email_change', email }) },
  { path: '/resend', body: ({ phone }) => ({ type: 'sms', phone }) },
  { path: '/resend', body: ({ phone }) => ({ type: 'phone_change', phone }) },
  ...['signup', 'recovery', 'magiclink', 'email', 'email_change', 'invite'].map((type) => ({
    path: '/verify',
    body: ({ email }: Name) => ({ type, email, token: '123456' }),
  })),
  ...['sms', 'phone_change'].map((type) => ({
    path: '/verify',
    body: ({ phone }: Name) => ({ type, phone, token: '123456' }),
  })),
  { path: '/passkeys/authentication/options', body: ({ email }) => ({ email }) },
  { path: '/sso', body: ({ email }) => ({ domain: email.split('@')[1] }) },
];

/** Replaces the values that differ in each answer, such as times and identifiers, by a name of their form. */
function shapeOf(value: unknown, { email, phone }: Name): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, one: unknown) => {
      if (key === 'expires_at' && typeof one === 'number')
        return Math.abs(one - Date.now() / 1000) < 600 ? '(soon)' : one;
      if (typeof one !== 'string') return one;
      if (/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/u.test(one)) {
        const age = Date.now() - Date.parse(one);
        return age >= -1000 && age < 60_000 ? '(now)' : one;
      }
      if (/^[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u.test(one)) return '(uuid)';
      if (/^[\w-]{43}$/u.test(one)) return '(random)';
      return one
        .replaceAll(email, '(email)')
        .replaceAll(phone, '(phone)')
        .replace(/after \d+ seconds/u, 'after (some) seconds');
    }),
  ) as unknown;
}

async function answerTo(server: TestServer, { path, body }: Endpoint, name: Name): Promise<unknown> {
  const { status, headers, body: said } = await ask(server, 'POST', path, { body: body(name), headers: elsewhere() });
  const named = [...headers.keys()].filter((key) => !['date', 'x-request-id'].includes(key)).toSorted();
  return { status, named, order: JSON.stringify(shapeOf(said, name)) };
}

describe('[I-49] what an address or a number is answered', () => {
  test.each(
    ENDPOINTS.map(
      (endpoint) => [endpoint.path, JSON.stringify(endpoint.body({ email: 'E', phone: 'N' })), endpoint] as const,
    ),
  )('[I-49] POST %s %s: the same answer, twice in a row, whatever the account', async (_path, _body, endpoint) => {
    const answers: Record<string, unknown> = {};
    for (const sort of SORTS) {
      const name = await someone(confirming, sort);
      answers[sort] = [await answerTo(confirming, endpoint, name), await answerTo(confirming, endpoint, name)];
    }
    const { unknown, ...others } = answers;
    for (const [sort, answer] of Object.entries(others)) expect({ sort, answer }).toEqual({ sort, answer: unknown });
  });

  test('[I-49] two registrations in a row: the same id, whether the address has an account or not', async () => {
    for (const sort of SORTS) {
      const name = await someone(confirming, sort);
      const ids = new Set<unknown>();
      for (const body of [{ email: name.email }, { email: name.email.toUpperCase() }]) {
        const answer = await ask(confirming, 'POST', '/signup', {
          body: { ...body, password: OTHER_PASSWORD },
          headers: elsewhere(),
        });
        expect(answer.body['user_metadata']).toMatchObject({ sub: answer.body['id'], email: name.email });
        ids.add(answer.body['id']);
      }
      expect({ sort, ids: ids.size }).toEqual({ sort, ids: 1 });
    }
  });

  test('[DF-25, I-49] where accounts confirm themselves, the registration alone tells it', async () => {
    const { email } = await someone(quick, 'known');
    // The protocol's own words, which its clients wait for; the screens need them (F-02).
    const registered = await ask(quick, 'POST', '/signup', {
      body: { email, password: OTHER_PASSWORD },
      headers: elsewhere(),
    });
    expect([registered.status, registered.body['code']]).toEqual([422, 'user_already_exists']);
    for (const endpoint of ENDPOINTS) {
      if (endpoint.path === '/signup') continue;
      const known = await someone(quick, 'known');
      const unknown = await someone(quick, 'unknown');
      expect(await answerTo(quick, endpoint, known)).toEqual(await answerTo(quick, endpoint, unknown));
    }
  });

  test("[I-49] registering with another's address tells them, and them alone, that an account exists", async () => {
    const known = await someone(confirming, 'known');
    await ask(confirming, 'POST', '/signup', {
      body: { email: known.email, password: OTHER_PASSWORD, data: { full_name: '<b>Pirate</b>' } },
      headers: elsewhere(),
    });
    const { text, subject } = await confirming.mailbox.take(known.email);
    expect(subject).toBe('Vous avez déjà un compte – Mon Entreprise');
    expect(text).toContain('/auth/login');
    expect(text).not.toContain('Pirate');
    const silent = [await someone(confirming, 'banned'), await someone(confirming, 'deactivated')];
    for (const { email } of silent) {
      await ask(confirming, 'POST', '/signup', { body: { email, password: OTHER_PASSWORD }, headers: elsewhere() });
    }
    await jobsAreDone(confirming);
    const recipients = confirming.mailbox.mails.flatMap((mail) => mail.recipients);
    for (const { email } of silent) expect(recipients).not.toContain(email);
  });

  test('[I-49] the functions of sign-in and registration say no more', async () => {
    for (const [name, body] of [
      ['auth-signin', { password: OTHER_PASSWORD }],
      ['auth-signup', { password: OTHER_PASSWORD, full_name: 'Curieuse', fullName: 'Curieuse' }],
    ] as const) {
      const answers: unknown[] = [];
      for (const sort of SORTS) {
        const { email } = await someone(confirming, sort);
        const response = await confirming.fetch(`/functions/v1/${name}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...elsewhere() },
          body: JSON.stringify({ email, ...body }),
        });
        answers.push({ status: response.status, body: shapeOf(await response.json(), { email, phone: '-' }) });
      }
      for (const answer of answers) expect({ name, answer }).toEqual({ name, answer: answers[0] });
    }
  });

  test('[I-49] with a session, /reauthenticate and /user speak of oneself alone', async () => {
    const { session } = await signedIn(confirming, await anAccount(confirming), elsewhere());
    for (const sort of ['unknown', 'unconfirmed', 'invited'] as const) {
      const { email } = await someone(confirming, sort);
      const answer = await ask(confirming, 'GET', `/reauthenticate?email=${email}`, {
        bearer: session.access_token,
        headers: elsewhere(),
      });
      expect([200, 429]).toContain(answer.status);
      expect(JSON.stringify(answer.body)).not.toContain(email);
    }
  });
});

test('[I-49] the right password alone tells that an address waits for its confirmation or that an account is barred', async () => {
  for (const [sort, code] of [
    ['unconfirmed', 'email_not_confirmed'],
    ['banned', 'user_banned'],
    ['deactivated', 'user_banned'],
    ['SSO', 'invalid_credentials'],
  ] as const) {
    const { email } = await someone(confirming, sort);
    const answer = await ask(confirming, 'POST', '/token?grant_type=password', {
      body: { email, password: PASSWORD },
      headers: elsewhere(),
    });
    expect({ sort, code: answer.body['code'] }).toEqual({ sort, code });
  }
});

test('[I-49][auth#2223] the database does for an address without an account what it does for one with an account', async () => {
  // Its jobs wait: only what the request itself asks of the database is counted.
  const still = await startTestServer({
    doors: ['auth'],
    jobs: false,
    smtp: 'smtp://127.0.0.1:9',
    environment: { TRUST_PROXY: '1', SIGNUP_CONFIRMATION: '1' },
  });
  try {
    const known = await someone(still, 'known');
    const unknown = await someone(still, 'unknown');
    const waiting = await someone(still, 'known');
    const { error } = await administratorOf(still).auth.admin.generateLink({ type: 'recovery', email: waiting.email });
    expect(error).toBeNull();
    const wrong = { type: 'recovery', token: '123456' };
    for (const [path, body, names] of [
      ['/token?grant_type=password', { password: OTHER_PASSWORD }, [known, unknown]],
      ['/recover', {}, [known, unknown]],
      ['/otp', {}, [known, unknown]],
      ['/otp', { create_user: false }, [known, unknown]],
      ['/resend', { type: 'signup' }, [known, unknown]],
      ['/verify', wrong, [known, unknown, waiting]],
    ] as const) {
      const sentFor = async ({ email }: Name): Promise<number> => {
        const { sent } = await statementsSent(
          () => ask(still, 'POST', path, { body: { ...body, email }, headers: elsewhere() }),
          still.database.owner.database,
        );
        return sent.length;
      };
      const counts: number[] = [];
      // Of three, the least: a connection that opens has things of its own to say.
      for (const name of names) {
        let least = Infinity;
        for (let time = 0; time < 3; time += 1) {
          await endCooldowns(still);
          least = Math.min(least, await sentFor(name));
        }
        counts.push(least);
      }
      expect({ path, counts }).toEqual({ path, counts: names.map(() => counts[0]) });
    }
  } finally {
    await still.close();
  }
});
