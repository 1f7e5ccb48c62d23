import { fork } from 'node:child_process';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { ask, signIn } from './company.ts';
import type { Bench, SignedIn } from './company.ts';
import { adminEmail, commercialEmail } from '@parrain/database/seed';
import type { WatcherAnswer, WatcherJob, WatcherReport } from './watcher-worker.ts';

/** People on their sockets, in a process of their own. */
export type Watchers = { readonly report: () => Promise<WatcherReport>; readonly close: () => Promise<void> };

export async function openWatchers({ product }: Pick<Bench, 'product'>, tokens: readonly string[]): Promise<Watchers> {
  const child = fork(path.join(import.meta.dirname, 'watcher-worker.ts'), { serialization: 'advanced' });
  const asked = async (job: WatcherJob): Promise<WatcherAnswer> => {
    const answer = await new Promise<WatcherAnswer>((resolve, reject) => {
      const onExit = (code: number | null): void => reject(new Error(`The sockets' process ended (${code})`));
      child.once('exit', onExit);
      child.once('message', (message: WatcherAnswer) => {
        child.off('exit', onExit);
        resolve(message);
      });
      child.send(job);
    });
    if ('error' in answer) throw new Error(`The sockets: ${answer.error}`);
    return answer;
  };
  await asked({ kind: 'open', host: '127.0.0.1', port: product.port, key: product.publishableKey, tokens });
  return {
    async report() {
      const answer = await asked({ kind: 'report' });
      if (!('report' in answer)) throw new Error('The sockets gave no report');
      return answer.report;
    },
    async close() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await exited;
    },
  };
}

/** A commercial with sales under way. */
export type Author = SignedIn & { readonly sales: readonly string[] };

/** Commercials who rewrite their sales, each of them seldom: two changes of one row may be told as one. */
export async function authorsOf(bench: Bench, count: number, salesOfEach: number): Promise<Author[]> {
  const authors: Author[] = [];
  for (let n = 0; n < count; n += 1) {
    const person = await signIn(bench, commercialEmail(n));
    const { rows } = await bench.owner.query<{ id: string }>(
      `select id from public.sales where commercial_id = $1 and status in ('contacted', 'in_negotiation') limit $2`,
      [person.id, salesOfEach],
    );
    authors.push({ ...person, sales: rows.map(({ id }) => id) });
  }
  return authors.filter(({ sales }) => sales.length > 0);
}

/** So many sessions of the admin, who sees everything. */
export async function adminsOf(bench: Bench, count: number): Promise<SignedIn[]> {
  const admins: SignedIn[] = [];
  for (let n = 0; n < count; n += 1) admins.push(await signIn(bench, adminEmail));
  return admins;
}

/** A change that the server said is kept. */
export type Written = { readonly sale: string; readonly version: number; readonly author: number };

export type Writing = { readonly written: readonly Written[]; readonly refusals: readonly string[] };

/** Writes so many times a second for so long, at even times whatever the answers take, through the product's own door. */
export async function writeEvenly(
  bench: Bench,
  authors: readonly Author[],
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Writing> {
  const written: Written[] = [];
  const refusals: string[] = [];
  const underWay = new Set<Promise<unknown>>();
  const from = performance.now();
  const total = Math.round(perSecond * seconds);
  for (let n = 0; n < total; n += 1) {
    const author = n % authors.length;
    const who = authors[author];
    if (who === undefined) break;
    const round = Math.floor(n / authors.length);
    const sale = who.sales[round % who.sales.length] ?? '';
    const early = from + (n / perSecond) * 1000 - performance.now();
    if (early > 0) await wait(early);
    const call = ask(bench, {
      method: 'POST',
      path: '/functions/v1/sales-management',
      who,
      body: {
        action: 'update_status',
        sale_id: sale,
        status: 'in_negotiation',
        contract_amount: (100_000 + (n % 1_000_000)) / 100,
        contract_description: `Modification ${n}`,
      },
    }).then(
      (answer) => written.push({ sale, version: versionIn(answer), author }),
      (error: unknown) => refusals.push(error instanceof Error ? error.message : String(error)),
    );
    underWay.add(call);
    void call.finally(() => underWay.delete(call));
  }
  await Promise.all(underWay);
  return { written, refusals };
}

function versionIn(answer: unknown): number {
  const version = /"version":(\d+)/u.exec(JSON.stringify(answer))?.[1];
  if (version === undefined) throw new Error(`The answer names no version: ${JSON.stringify(answer).slice(0, 300)}`);
  return Number(version);
}

/** The latency that so large a part of the tellings did not exceed, in milliseconds. */
export function quantile(latencies: Uint32Array, part: number): number {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [tenth, count] of latencies.entries()) {
    seen += count;
    if (seen >= total * part && seen > 0) return tenth / 10;
  }
  return Number.NaN;
}

/** Delivery errors: missed, duplicated and unexpected changes. */
export type Faults = {
  readonly expected: number;
  readonly missed: number;
  readonly doubled: number;
  readonly strange: number;
  /** Told so late that the row had changed again: told as it then was, as often as it changed. */
  readonly late: number;
};

export function faultsOf(
  { told }: WatcherReport,
  written: readonly Written[],
  mayKnow: (place: number, author: number) => boolean,
  places: number,
): Faults {
  const faults = { expected: 0, missed: 0, doubled: 0, strange: 0, late: 0 };
  const bySale = new Map<string, { readonly author: number; readonly versions: number[] }>();
  for (const { sale, author, version } of written) {
    const known = bySale.get(sale) ?? { author, versions: [] };
    known.versions.push(version);
    bySale.set(sale, known);
  }
  const names = new Set<string>();
  for (const [sale, { author, versions }] of bySale) {
    versions.sort((one, other) => one - other);
    const counts = versions.map((version) => told.get(`${sale} ${version}`));
    for (const version of versions) names.add(`${sale} ${version}`);
    for (let place = 0; place < places; place += 1) {
      const times = counts.map((of) => of?.[place] ?? 0);
      const extra = times.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
      if (!mayKnow(place, author)) {
        faults.strange += times.reduce((sum, count) => sum + count, 0);
        continue;
      }
      const missing = times.filter((count) => count === 0).length;
      faults.expected += versions.length;
      if (missing === extra && (times.at(-1) ?? 0) > 0) faults.late += missing;
      else {
        faults.missed += missing;
        faults.doubled += extra;
      }
    }
  }
  for (const name of told.keys()) if (!names.has(name)) faults.strange += 1;
  return faults;
}
