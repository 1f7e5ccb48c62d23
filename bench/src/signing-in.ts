import { availableParallelism } from 'node:os';

import { Client } from 'pg';

import { hashPassword, requestBytes, signIn, someAddress } from './company.ts';
import type { Bench, SignedIn } from './company.ts';
import { figuresOf } from './load.ts';
import type { Requests } from './load-worker.ts';
import { median } from './median.ts';
import { milliseconds, perSecond, times } from './report.ts';
import type { Row, Section } from './report.ts';
import { inTurns } from './sales-list.ts';
import { clientEmail, PASSWORD } from '@parrain/database/seed';

const CONNECTIONS = 8;
/** As many as the server makes at once: one core is left to everybody else. */
const HASHES_AT_ONCE = Math.max(1, availableParallelism() - 1);

/** P7: sign-ins beside bare hashes of passwords; refreshes and GET /user beside a bare `select 1`. */
export async function signingIn(bench: Bench): Promise<Section> {
  const people: SignedIn[] = [];
  for (let n = 0; n < CONNECTIONS * bench.rounds; n += 1) people.push(await signIn(bench, clientEmail(n)));
  const [someone] = people;
  if (someone === undefined) throw new Error('Nobody signed in');

  const signIns = Array.from({ length: 500 }, (_, n) =>
    requestBytes(bench, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      headers: { 'x-forwarded-for': someAddress() },
      body: { email: clientEmail(100 + (n % (bench.sizes.clients - 100))), password: PASSWORD },
    }),
  );
  const [refreshHead = ''] = requestBytes(bench, {
    method: 'POST',
    path: '/auth/v1/token?grant_type=refresh_token',
    headers: { 'content-type': 'application/json', 'content-length': '{length}' },
  })
    .toString()
    .split('\r\n\r\n');
  const getUser = requestBytes(bench, { path: '/auth/v1/user', who: someone });
  let round = 0;

  const measures: readonly {
    readonly what: string;
    readonly requests: () => Requests;
    readonly ceiling: () => Promise<number>;
    readonly ceilingName: string;
    readonly goal: string;
  }[] = [
    {
      what: 'signing in with a password',
      requests: () => ({ kind: 'cycle', requests: signIns }),
      ceiling: () => each(bench.seconds, HASHES_AT_ONCE, () => hashPassword()),
      ceilingName: `argon2id alone, ${HASHES_AT_ONCE} at a time`,
      goal: '≥ 0.80 ×',
    },
    {
      what: 'refreshing a session',
      requests: () => ({
        kind: 'refresh',
        head: `${refreshHead}\r\n\r\n`,
        tokens: people.slice((round - 1) * CONNECTIONS, round * CONNECTIONS).map(({ refreshToken }) => refreshToken),
      }),
      ceiling: () => selectOne(bench),
      ceilingName: '`select 1`',
      goal: '',
    },
    {
      what: 'GET /user',
      requests: () => ({ kind: 'cycle', requests: [getUser] }),
      ceiling: () => selectOne(bench),
      ceilingName: '`select 1`',
      goal: '',
    },
  ];

  const rows: Row[] = [];
  for (const { what, requests, ceiling, ceilingName, goal } of measures) {
    bench.say(what);
    round = 0;
    const outcome = await inTurns(bench, async () => {
      round += 1;
      // Refreshes are limited per session and per network, which here are few and stand for many.
      const relief = setInterval(() => void bench.owner.query('delete from private.rate_limits'), 200);
      try {
        const ours = await bench.load.run({
          connections: CONNECTIONS,
          seconds: bench.seconds,
          warmUpSeconds: 0,
          requests: requests(),
        });
        return { ours, ceiling: await ceiling() };
      } finally {
        clearInterval(relief);
      }
    });
    const figures = figuresOf(outcome.ours);
    const best = median(outcome.ceiling);
    rows.push({
      what,
      ours: `${perSecond(figures.perSecond)}, p50 ${milliseconds(figures.p50)}, p99 ${milliseconds(figures.p99)}`,
      limit: `${ceilingName}: ${perSecond(best)}`,
      ratio: times(figures.perSecond / best),
      goal,
    });
  }
  return { title: `Signing in, ${CONNECTIONS} connections`, rows };
}

/** Throughput per second at a given concurrency. */
async function each(seconds: number, atOnce: number, work: (lane: number) => Promise<unknown>): Promise<number> {
  let done = 0;
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(
    Array.from({ length: atOnce }, async (_, lane) => {
      while (performance.now() < until) {
        await work(lane);
        done += 1;
      }
    }),
  );
  return (done / (performance.now() - started)) * 1000;
}

async function selectOne(bench: Bench): Promise<number> {
  const clients = Array.from({ length: CONNECTIONS }, () => new Client(bench.login));
  await Promise.all(clients.map((client) => client.connect()));
  const figure = await each(bench.seconds, CONNECTIONS, async (lane) =>
    clients[lane]?.query({ name: 'one', text: 'select 1' }),
  );
  await Promise.all(clients.map((client) => client.end()));
  return figure;
}
