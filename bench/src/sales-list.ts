import { captureStatements } from './capture.ts';
import { ask, requestBytes, signIn } from './company.ts';
import type { Bench, RequestOptions, SignedIn } from './company.ts';
import type { Limit } from './limit.ts';
import { startPostgraphile } from './postgraphile.ts';
import type { Rival } from './postgraphile.ts';
import { figuresOf } from './load.ts';
import { median } from './median.ts';
import { milliseconds, perSecond, times } from './report.ts';
import type { Row, Section } from './report.ts';
import { adminEmail, commercialEmail } from '@parrain/database/seed';

const COLUMNS =
  'id,created_at,status,referred_contact_name,referred_contact_email,contract_amount,ready_for_validation,admin_validated,' +
  'validated_at,client_commission_amount,commercial_commission_amount,commercial_id,friend_referrer_id';
const NAMES =
  'commercial:profiles!commercial_id(full_name),friend_referrer:profiles!friend_referrer_id(full_name),rate:commission_rates(name)';

/** P1 to P4: the 50 newest sales with the names of their people and scale, through the whole server. */
export async function salesList(bench: Bench, limit: Limit, { postgraphile = false } = {}): Promise<Section> {
  const [admin, commercial] = [await signIn(bench, adminEmail), await signIn(bench, commercialEmail(7))];
  const rival = postgraphile ? await startPostgraphile(bench, { admin, commercial }) : null;
  try {
    return await measured(bench, limit, { admin, commercial }, rival);
  } finally {
    await rival?.stop();
  }
}

/** A server that just started is still being compiled: what is measured is one that has served for a moment. */
const FIRST_WARM_UP_SECONDS = 5;

async function measured(
  bench: Bench,
  limit: Limit,
  { admin, commercial }: { readonly admin: SignedIn; readonly commercial: SignedIn },
  rival: Rival | null,
): Promise<Section> {
  const list = `/rest/v1/sales?select=${COLUMNS},${NAMES}&order=created_at.desc&limit=50`;
  const askers: readonly { readonly name: 'admin' | 'commercial'; readonly request: RequestOptions }[] = [
    { name: 'admin', request: { path: list, who: admin } },
    { name: 'commercial', request: { path: `${list}&commercial_id=eq.${commercial.id}`, who: commercial } },
  ];
  const rows: Row[] = [];
  const rivals: Row[] = [];
  let bytes = 0;
  if (bench.rounds > 1) {
    const requests = askers.map(({ request }) => requestBytes(bench, request));
    await bench.load.run({
      connections: 16,
      seconds: FIRST_WARM_UP_SECONDS,
      warmUpSeconds: 0,
      requests: { kind: 'cycle', requests },
    });
  }
  for (const { name, request } of askers) {
    const statements = await captureStatements(bench.product, () => ask(bench, request));
    const bytesOut = requestBytes(bench, request);
    for (const connections of [1, 16]) {
      bench.say(`50 newest sales as ${name}, ${connections} connection${connections > 1 ? 's' : ''}`);
      const { ours, ceiling, theirs } = await inTurns(bench, async () => ({
        ours: await bench.load.run({
          connections,
          seconds: bench.seconds,
          warmUpSeconds: bench.warmUpSeconds,
          requests: { kind: 'cycle', requests: [bytesOut] },
        }),
        ceiling: await limit.best(statements, connections, bench.seconds),
        theirs: rival === null ? null : await rival.sales(name, connections, bench.seconds),
      }));
      const figures = figuresOf(ours);
      const best = median(ceiling.map((figure) => figure.perSecond));
      bytes = figures.bytes;
      rows.push({
        what: `${name}, ${connections} connection${connections > 1 ? 's' : ''}`,
        ours: `${perSecond(figures.perSecond)}, p50 ${milliseconds(figures.p50)}, p99 ${milliseconds(figures.p99)}`,
        limit: `${perSecond(best)}, mean ${milliseconds(median(ceiling.map(({ mean }) => mean)))}`,
        ratio: times(figures.perSecond / best),
        goal: connections === 1 ? '' : '≥ 0.60 ×, p99 ≤ 20 ms',
      });
      const answers = theirs.filter((outcome) => outcome !== null);
      if (rival === null || answers.length === 0) continue;
      const others = figuresOf(answers);
      rivals.push({
        what: `${name}, ${connections} connection${connections > 1 ? 's' : ''}, beside ${rival.name}`,
        ours: perSecond(figures.perSecond),
        limit: `${perSecond(others.perSecond)}, p50 ${milliseconds(others.p50)}, p99 ${milliseconds(others.p99)}`,
        ratio: times(figures.perSecond / others.perSecond),
        goal: connections === 1 ? '' : '≥ 4 ×',
      });
    }
  }
  return {
    title: '50 newest sales with commercial, referrer and scale names',
    rows: [...rows, ...rivals],
    notes: [
      `One answer is ${(bytes / 1000).toFixed(0)} kB. Limit: ${limit.name} running the server's own statements (identity, row level security, JSON), prepared, one round trip each; for 16 connections the better of 4 and 16.`,
    ],
  };
}

/** Round by round, ours then the others, so that whatever else the machine does falls on all. */
export async function inTurns<Ours, Ceiling, Theirs = null>(
  { rounds }: Pick<Bench, 'rounds'>,
  round: () => Promise<{ readonly ours: Ours; readonly ceiling: Ceiling; readonly theirs?: Theirs }>,
): Promise<{
  readonly ours: readonly Ours[];
  readonly ceiling: readonly Ceiling[];
  readonly theirs: readonly Theirs[];
}> {
  const ours: Ours[] = [];
  const ceiling: Ceiling[] = [];
  const theirs: Theirs[] = [];
  for (let number = 0; number < rounds; number += 1) {
    const outcome = await round();
    ours.push(outcome.ours);
    ceiling.push(outcome.ceiling);
    if (outcome.theirs !== undefined) theirs.push(outcome.theirs);
  }
  return { ours, ceiling, theirs };
}
