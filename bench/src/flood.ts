import { clientEmail, commercialEmail } from '@parrain/database/seed';

import { ask, requestBytes, signIn } from './company.ts';
import type { Bench } from './company.ts';
import { figuresOf, startLoad } from './load.ts';
import type { Outcome } from './load-worker.ts';
import { grouped, milliseconds, times } from './report.ts';
import type { Section } from './report.ts';

const FLOOD_PER_SECOND = 500;
const FLOOD_CONNECTIONS = 50;
/** Enough to be read in a second round, too few to be a load of their own. */
const CALM_PER_SECOND = 40;

type Calm = { readonly visitor: Outcome; readonly user: Outcome };

/**
 * CS-01: one network sends the public form 500 times a second, while visitors of other networks open the page and somebody
 * signed in reads a list: what each waits, with the flood and without, in turns.
 */
export async function flood(bench: Bench): Promise<Section> {
  const { product, rounds, say } = bench;
  const client = await signIn(bench, clientEmail(1));
  const commercial = await signIn(bench, commercialEmail(1));
  const link = (await ask(bench, {
    method: 'POST',
    path: '/functions/v1/personal-link?action=get',
    who: client,
    body: {},
  })) as {
    readonly data: { readonly url: string };
  };
  const path = new URL(link.data.url).pathname;
  const form = 'name=Robot&email=robot%40exemple.fr&stamp=a.b.c&work=1';
  const robot = Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${product.port}\r\nx-forwarded-for: 203.0.113.7\r\n` +
      `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n\r\n${form}`,
  );
  // Each network opens the page less often than its limit.
  const visits = Array.from({ length: 4000 }, (_, index) =>
    requestBytes(bench, { path, headers: { 'x-forwarded-for': `198.18.${index >> 8}.${index & 255}` } }),
  );
  const list = requestBytes(bench, {
    path: '/rest/v1/sales?select=id,referred_contact_name,status,created_at&order=created_at.desc,id&limit=20',
    who: commercial,
  });
  const pace = { warmUpSeconds: bench.warmUpSeconds, seconds: bench.seconds };
  const loads = [startLoad('127.0.0.1', product.port), startLoad('127.0.0.1', product.port), bench.load] as const;
  const [visitors, users, robots] = loads;
  const flooding = {
    connections: FLOOD_CONNECTIONS,
    perSecond: FLOOD_PER_SECOND,
    isFlood: true,
    requests: { kind: 'cycle', requests: [robot] },
  } as const;
  const calm = async (): Promise<Calm> => {
    const others = { ...pace, connections: 2, perSecond: CALM_PER_SECOND };
    const [visitor, user] = await Promise.all([
      visitors.run({ ...others, requests: { kind: 'cycle', requests: visits } }),
      users.run({ ...others, requests: { kind: 'cycle', requests: [list] } }),
    ]);
    return { visitor, user };
  };
  const [without, under]: [Calm[], Calm[]] = [[], []];
  const floods: Outcome[] = [];
  let share = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      say('nobody floods');
      without.push(await calm());
      say(`one network floods the form, ${FLOOD_PER_SECOND} times a second`);
      const [flooded, seen] = await Promise.all([
        robots.run({ ...flooding, warmUpSeconds: 0, seconds: pace.warmUpSeconds + pace.seconds }),
        calm(),
      ]);
      floods.push(flooded);
      under.push(seen);
    }
    // Alone: what else the machine does changes how long an answer takes, and hardly what it costs.
    const alone = await product.cpuSeconds();
    const only = await robots.run({ ...flooding, warmUpSeconds: 0, seconds: bench.seconds });
    share = ((await product.cpuSeconds()) - alone) / only.seconds;
  } finally {
    visitors.stop();
    users.stop();
  }
  const rows = (['visitor', 'user'] as const).flatMap((who) => {
    const [before, now] = [without, under].map((rounds_) => figuresOf(rounds_.map((round) => round[who])));
    if (before === undefined || now === undefined) return [];
    const what =
      who === 'visitor' ? 'a visitor of another network opens the page' : 'a commercial reads twenty of their sales';
    return (['p50', 'p99'] as const).map((figure) => ({
      what: `${what}, ${figure}`,
      ours: milliseconds(now[figure]),
      limit: milliseconds(before[figure]),
      ratio: times(now[figure] / before[figure]),
      ...(figure === 'p50' ? { goal: '< 1.50 ×' } : {}),
    }));
  });
  const refusals = figuresOf(floods);
  return {
    title: `${FLOOD_PER_SECOND} forms a second from one network`,
    rows: [
      ...rows,
      {
        what: `the flood itself: ${grouped(refusals.perSecond)} answers a second, ${statusesOf(floods)}`,
        ours: `${milliseconds(refusals.p50)}, ${(share * 100).toFixed(0)} % of a core`,
        goal: '< 25 % of a core',
      },
    ],
    notes: [
      'Parrain: with the flood; limit: without it, in turns. Flood, visitors and user are processes of this machine too.',
    ],
  };
}

function statusesOf(outcomes: readonly Outcome[]): string {
  const sums = new Map<string, number>();
  for (const { statuses } of outcomes)
    for (const [status, number] of Object.entries(statuses)) sums.set(status, (sums.get(status) ?? 0) + number);
  return [...sums].map(([status, number]) => `${number} × ${status}`).join(', ');
}
