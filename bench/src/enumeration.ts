import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';

import { startCatchAll } from './catch-all.ts';
import { passwordHash, someAddress } from './company.ts';
import type { Bench } from './company.ts';
import { median } from './median.ts';
import { startProduct } from './product.ts';
import type { Product } from './product.ts';
import { milliseconds, times } from './report.ts';
import type { Row, Section } from './report.ts';
import { temporaryFolder } from './tidy.ts';

const TRIES = 200;

/** An address and a number: both lead to the same account, or to none. */
type Name = { readonly email: string; readonly phone: string };

const WRONG = 'quatre-grands-chiens-8';
type BodyOf = (name: Name) => Readonly<Record<string, unknown>>;
type Endpoint = {
  readonly what: string;
  readonly path: string;
  readonly body: BodyOf;
  /** Asked before, and not measured. */
  readonly after?: { readonly path: string; readonly body: BodyOf };
};

const ENDPOINTS: readonly Endpoint[] = [
  {
    what: 'signing in, by mail',
    path: '/token?grant_type=password',
    body: ({ email }) => ({ email, password: WRONG }),
  },
  {
    what: 'signing in, by telephone',
    path: '/token?grant_type=password',
    body: ({ phone }) => ({ phone, password: WRONG }),
  },
  { what: 'registering, by mail', path: '/signup', body: ({ email }) => ({ email, password: WRONG }) },
  { what: 'registering, by telephone', path: '/signup', body: ({ phone }) => ({ phone, password: WRONG }) },
  { what: 'another password', path: '/recover', body: ({ email }) => ({ email }) },
  { what: 'a link by mail', path: '/otp', body: ({ email }) => ({ email }) },
  {
    what: 'a link by mail, without a new account',
    path: '/otp',
    body: ({ email }) => ({ email, create_user: false }),
  },
  { what: 'a code by telephone', path: '/otp', body: ({ phone }) => ({ phone }) },
  { what: 'the confirmation again', path: '/resend', body: ({ email }) => ({ type: 'signup', email }) },
  { what: 'the code again', path: '/resend', body: ({ phone }) => ({ type: 'sms', phone }) },
  { what: 'a code of a mail', path: '/verify', body: ({ email }) => ({ type: 'email', email, token: '123456' }) },
  { what: 'a code of a telephone', path: '/verify', body: ({ phone }) => ({ type: 'sms', phone, token: '123456' }) },
  {
    what: 'a code of a mail that was asked for',
    path: '/verify',
    body: ({ email }) => ({ type: 'recovery', email, token: '123456' }),
    after: { path: '/recover', body: ({ email }) => ({ email }) },
  },
  {
    what: 'a code of a telephone that was asked for',
    path: '/verify',
    body: ({ phone }) => ({ type: 'sms', phone, token: '123456' }),
    after: { path: '/otp', body: ({ phone }) => ({ phone }) },
  },
];

/** Timing attack: the same request alternately for a known and an unknown account. */
export async function enumeration({ rounds, say }: Pick<Bench, 'rounds' | 'say'>): Promise<Section> {
  const tries = rounds === 1 ? 20 : TRIES;
  const mailed = await startCatchAll();
  const { folder, remove } = await temporaryFolder();
  try {
    const product = await startProduct(folder, {
      DEMO: '0',
      TRUST_PROXY: '1',
      SIGNUP_CONFIRMATION: '1',
      SMTP_URL: mailed.smtpUrl,
      SMS_URL: mailed.smsUrl,
    });
    const owner = new Client(await product.owner());
    await owner.connect();
    try {
      const known = await knownNames(owner, WARM_UP + tries);
      const rows: Row[] = [];
      for (const endpoint of ENDPOINTS) {
        say(endpoint.what);
        rows.push(await rowOf({ product, owner, known }, endpoint));
      }
      return {
        title: `An address or a number that has an account, and one that has none, ${tries} tries each`,
        rows,
        notes: ['Parrain: the median of the known ones; limit: of the unknown ones, in turns on one connection.'],
      };
    } finally {
      await owner.end();
      await product.stop();
    }
  } finally {
    mailed.close();
    await remove();
  }
}

type Subject = { readonly product: Product; readonly owner: Client; readonly known: readonly Name[] };

async function rowOf({ product, owner, known }: Subject, { what, path, body, after }: Endpoint): Promise<Row> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ofKnown: number[] = [];
  const ofUnknown: number[] = [];
  const unknown = nameless();
  // Clear the resend limits of earlier requests.
  await owner.query(`update auth.users set confirmation_sent_at = null, recovery_sent_at = null;
    delete from auth.one_time_tokens`);
  for (const [index, name] of known.entries()) {
    // By turns first and second: whatever the one leaves to be done in the background, the other leaves as well.
    const pair = [
      [ofKnown, name],
      [ofUnknown, unknown()],
    ] as const;
    for (const [measured, one] of index % 2 === 0 ? pair : pair.toReversed()) {
      if (after !== undefined) {
        await timeOf(agent, product, after.path, after.body(one));
        await idle(owner);
        // Mail clean-up is not measured either.
        await wait(SETTLING_MS);
      }
      await owner.query('delete from private.rate_limits; delete from private.sign_in_failures');
      const taken = await timeOf(agent, product, path, body(one));
      if (index >= WARM_UP) measured.push(taken);
      await idle(owner);
    }
  }
  agent.destroy();
  const [withAccount, without] = [median(ofKnown), median(ofUnknown)];
  return {
    what: `${what}: POST ${path.split('?')[0]}`,
    ours: milliseconds(withAccount),
    limit: milliseconds(without),
    ratio: times(withAccount / without),
    goal: '0.90 – 1.10 ×',
  };
}

const WARM_UP = 10;
const SETTLING_MS = 25;

/** The server works at mails and messages in the background: the next request does not wait behind them. */
async function idle(owner: Client): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    const { rows } = await owner.query<{ count: number }>(
      'select count(*)::int as count from graphile_worker._private_jobs where attempts = 0 or locked_at is not null',
    );
    if (rows[0]?.count === 0) return;
    await wait(5);
  }
}

async function timeOf(
  agent: Agent,
  { port, publishableKey }: Product,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<number> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: `/auth/v1${path}`,
        headers: {
          apikey: publishableKey,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          'x-forwarded-for': someAddress(),
        },
      },
      (response) => {
        response.resume().once('end', () => {
          const { statusCode = 0 } = response;
          if (statusCode < 429) resolve(performance.now() - started);
          else reject(new Error(`POST ${path}: ${statusCode}`));
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(text);
  });
}

async function knownNames(owner: Client, count: number): Promise<Name[]> {
  const hash = await passwordHash();
  const next = nameless();
  const names = Array.from({ length: count }, next);
  for (const { email, phone } of names) {
    const id = randomUUID();
    await owner.query(
      `select from private.create_account(p_id => $1, p_email => $2, p_password_hash => $3, p_role => 'client',
         p_full_name => 'Claire Martin', p_email_confirmed_at => now())`,
      [id, email, hash],
    );
    await owner.query('update auth.users set phone = $2, phone_confirmed_at = now() where id = $1', [id, phone]);
  }
  return names;
}

let lastPhone = 33_600_000_000;

function nameless(): () => Name {
  return () => ({ email: `${randomUUID()}@bench.example`, phone: String((lastPhone += 1)) });
}
