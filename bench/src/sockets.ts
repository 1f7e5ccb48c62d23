import { setTimeout as wait } from 'node:timers/promises';

import type { Bench } from './company.ts';
import { grouped, mebibytes, milliseconds } from './report.ts';
import type { Row, Section } from './report.ts';
import { adminsOf, authorsOf, faultsOf, openWatchers, quantile, writeEvenly } from './watchers.ts';

const SESSIONS = 10;
const PER_SECOND = 10;

/** P12: from a change to everybody who may know of it, on their sockets, under row level security. */
export async function sockets(bench: Bench): Promise<Section> {
  const rows: Row[] = [];
  const admins = await adminsOf(bench, SESSIONS);
  const authors = await authorsOf(bench, 20, 20);
  const seconds = Math.max(2, bench.seconds * bench.rounds * 2);
  for (const [count, goal] of [
    [100, '≤ 15 ms'],
    [1000, '≤ 50 ms'],
  ] as const) {
    bench.say(`a change to ${count} sockets`);
    const watchers = await openWatchers(
      bench,
      Array.from({ length: count }, (_, place) => admins[place % SESSIONS]?.token ?? ''),
    );
    await writeEvenly(bench, authors, { perSecond: PER_SECOND, seconds: 1 });
    await wait(1000);
    await watchers.report();
    const { written, refusals } = await writeEvenly(bench, authors, { perSecond: PER_SECOND, seconds });
    await wait(1000);
    const report = await watchers.report();
    await watchers.close();
    const { missed, doubled, strange } = faultsOf(report, written, () => true, count);
    const faults = missed + doubled + strange + refusals.length + report.troubles.length;
    rows.push({
      what: `a change to ${grouped(count)} sockets of ${SESSIONS} sessions, p99 since its transaction began`,
      ours: `${milliseconds(quantile(report.latencies, 0.99))}, p50 ${milliseconds(quantile(report.latencies, 0.5))}${faults === 0 ? '' : `, ${faults} FAULTS`}`,
      goal,
    });
  }
  bench.say('5 000 sockets');
  const before = await bench.product.memory();
  const many = await openWatchers(
    bench,
    Array.from({ length: 5000 }, (_, place) => admins[place % SESSIONS]?.token ?? ''),
  );
  await wait(2000);
  const after = await bench.product.memory();
  await many.close();
  rows.push({
    what: 'the server with 5 000 sockets that watch',
    ours: `${mebibytes(after.server)} (${mebibytes(before.server)} before)`,
    goal: '≤ 150 MiB',
  });
  return { title: `Live changes, ${PER_SECOND} a second`, rows };
}
