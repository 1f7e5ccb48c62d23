import { captureStatements } from './capture.ts';
import { ask, requestBytes, signIn } from './company.ts';
import type { Bench, RequestOptions } from './company.ts';
import type { Limit } from './limit.ts';
import { figuresOf } from './load.ts';
import { median } from './median.ts';
import { milliseconds, perSecond, times } from './report.ts';
import type { Row, Section } from './report.ts';
import { adminEmail, commercialEmail } from './seed.ts';

const COLUMNS =
  'id,created_at,status,referred_contact_name,referred_contact_email,contract_amount,ready_for_validation,admin_validated,' +
  'validated_at,client_commission_amount,commercial_commission_amount,commercial_id,friend_referrer_id';
const NAMES =
  'commercial:profiles!commercial_id(full_name),friend_referrer:profiles!friend_referrer_id(full_name),rate:commission_rates(name)';

/** P1 to P4: the 50 newest sales with the names of their people and scale, through the whole server. */
export async function salesList(bench: Bench, limit: Limit): Promise<Section> {
  const [admin, commercial] = [await signIn(bench, adminEmail), await signIn(bench, commercialEmail(7))];
  const list = `/rest/v1/sales?select=${COLUMNS},${NAMES}&order=created_at.desc&limit=50`;
  const askers: readonly { readonly name: string; readonly request: RequestOptions }[] = [
    { name: 'admin', request: { path: list, who: admin } },
    { name: 'commercial', request: { path: `${list}&commercial_id=eq.${commercial.id}`, who: commercial } },
  ];
  const rows: Row[] = [];
  let bytes = 0;
  for (const { name, request } of askers) {
    const statements = await captureStatements(bench.product, () => ask(bench, request));
    const bytesOut = requestBytes(bench, request);
    for (const connections of [1, 16]) {
      bench.say(`50 newest sales as ${name}, ${connections} connection${connections > 1 ? 's' : ''}`);
      const { ours, ceiling } = await inTurns(bench, async () => ({
        ours: await bench.load.run({
          connections,
          seconds: bench.seconds,
          warmUpSeconds: bench.warmUpSeconds,
          requests: { kind: 'cycle', requests: [bytesOut] },
        }),
        ceiling: await limit.best(statements, connections, bench.seconds),
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
    }
  }
  return {
    title: '50 newest sales with commercial, referrer and scale names',
    rows,
    notes: [
      `One answer is ${(bytes / 1000).toFixed(0)} kB. Limit: ${limit.name} running the server's own statements (identity, row level security, JSON), prepared, one round trip each; for 16 connections the better of 4 and 16.`,
    ],
  };
}

/** Round by round, ours then the limit, so that whatever else the machine does falls on both. */
export async function inTurns<Ours, Ceiling>(
  { rounds }: Pick<Bench, 'rounds'>,
  round: () => Promise<{ readonly ours: Ours; readonly ceiling: Ceiling }>,
): Promise<{ readonly ours: readonly Ours[]; readonly ceiling: readonly Ceiling[] }> {
  const ours: Ours[] = [];
  const ceiling: Ceiling[] = [];
  for (let number = 0; number < rounds; number += 1) {
    const outcome = await round();
    ours.push(outcome.ours);
    ceiling.push(outcome.ceiling);
  }
  return { ours, ceiling };
}
