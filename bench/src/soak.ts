import { setTimeout as wait } from 'node:timers/promises';

import type { Bench } from './company.ts';
import { grouped, mebibytes, milliseconds } from './report.ts';
import type { Section } from './report.ts';
import { adminsOf, authorsOf, faultsOf, openWatchers, quantile, writeEvenly } from './watchers.ts';

const ADMIN_SESSIONS = 5;
const ADMIN_SOCKETS = 100;
const COMMERCIALS = 180;
const SOCKETS = 1000;
const PER_SECOND = 50;
const SALES_OF_EACH = 40;
const WARM_UP_SECONDS = 15;
const LOOK_EVERY_MS = 5000;

/** 1 000 sockets and 50 writes a second, for minutes: nothing is missed, nothing is told twice, memory stays where it is. */
export async function soak(bench: Bench, minutes: number): Promise<Section> {
  const admins = await adminsOf(bench, ADMIN_SESSIONS);
  const authors = await authorsOf(bench, Math.min(COMMERCIALS, bench.sizes.commercials), SALES_OF_EACH);
  /** The first sockets are the admin's, who is told everything; each other one is of a commercial, who is told their own. */
  const authorAt = (place: number): number | null => (place < ADMIN_SOCKETS ? null : place % authors.length);
  const tokens = Array.from({ length: SOCKETS }, (_, place) => {
    const author = authorAt(place);
    return (author === null ? admins[place % admins.length]?.token : authors[author]?.token) ?? '';
  });
  bench.say(`opening ${SOCKETS} sockets`);
  const watchers = await openWatchers(bench, tokens);
  bench.say('warming up');
  await writeEvenly(bench, authors, { perSecond: PER_SECOND, seconds: WARM_UP_SECONDS });
  await wait(1500);
  await watchers.report();

  const sizes: { readonly server: number; readonly postgres: number }[] = [await bench.product.memory()];
  const timer = setInterval(() => {
    void bench.product.memory().then((size) => sizes.push(size));
  }, LOOK_EVERY_MS);
  bench.say(`${PER_SECOND} writes a second for ${minutes} min`);
  const { written, refusals } = await writeEvenly(bench, authors, { perSecond: PER_SECOND, seconds: minutes * 60 });
  clearInterval(timer);
  await wait(2000);
  sizes.push(await bench.product.memory());
  const report = await watchers.report();
  await watchers.close();

  const { expected, missed, doubled, strange, late } = faultsOf(
    report,
    written,
    (place, author) => authorAt(place) === null || authorAt(place) === author,
    SOCKETS,
  );
  const [first, last] = [sizes[0], sizes.at(-1)];
  const greatest = Math.max(...sizes.map(({ server }) => server));
  return {
    title: `${grouped(SOCKETS)} sockets, ${PER_SECOND} writes a second, ${minutes} min`,
    rows: [
      { what: 'changes written', ours: grouped(written.length) },
      { what: 'changes refused', ours: grouped(refusals.length), goal: '0' },
      { what: 'tellings', ours: grouped(expected) },
      { what: 'missed', ours: grouped(missed), goal: '0' },
      { what: 'told twice', ours: grouped(doubled), goal: '0' },
      { what: 'told once the row had changed again, as it then was', ours: grouped(late) },
      { what: 'told to whom it was not for', ours: grouped(strange), goal: '0' },
      { what: 'sockets closed, channels failed', ours: grouped(report.troubles.length), goal: '0' },
      { what: 'p50 since the transaction began', ours: milliseconds(quantile(report.latencies, 0.5)) },
      { what: 'p99', ours: milliseconds(quantile(report.latencies, 0.99)), goal: '≤ 50 ms' },
      {
        what: 'memory of the server, first, greatest, last',
        ours: `${mebibytes(first?.server ?? Number.NaN)}, ${mebibytes(greatest)}, ${mebibytes(last?.server ?? Number.NaN)}`,
        goal: 'flat',
      },
      {
        what: 'memory of PostgreSQL, first, last',
        ours: `${mebibytes(first?.postgres ?? Number.NaN)}, ${mebibytes(last?.postgres ?? Number.NaN)}`,
      },
    ],
    notes: [...new Set([...report.troubles, ...refusals])].slice(0, 5),
  };
}
