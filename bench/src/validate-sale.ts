import { captureStatements } from './capture.ts';
import { ask, requestBytes, signIn } from './company.ts';
import type { Bench, RequestOptions, SignedIn } from './company.ts';
import type { Limit, LimitFigures } from './limit.ts';
import { figuresOf } from './load.ts';
import { median } from './median.ts';
import { makePlainReference } from './plain-sale.ts';
import { grouped, milliseconds, perSecond, times } from './report.ts';
import type { Row, Section } from './report.ts';
import { makeSaleActs } from './sale-acts.ts';
import { inTurns } from './sales-list.ts';
import { writtenBy } from './written.ts';
import { adminEmail } from '@parrain/database/seed';

/** Sales that await the admin, each once, as a screen shows them: the server takes them from the front, the limit from the back. */
const QUEUE = `
  create table bench.queue as
    select row_number() over (order by md5(id::text)) as n, id, version, contract_amount as contract,
      client_commission_amount as client, commercial_commission_amount as commercial
    from public.sales where ready_for_validation and not admin_validated;
  alter table bench.queue add primary key (n);
  grant select on bench.queue to authenticated;
  create sequence bench.taken;
  grant usage on sequence bench.taken to authenticated`;

/**
 * P6: validating a sale (lock, amounts, two commissions, its audit entry, totals), with fsync on; and our function beside plain
 * SQL that does the least of it, both in PostgreSQL alone.
 */
export async function validateSale(bench: Bench, limit: Limit): Promise<Section> {
  const admin = await signIn(bench, adminEmail);
  await bench.owner.query(QUEUE);
  const { rows: queue } = await bench.owner.query<Waiting>(
    'select id, version, contract, client, commercial from bench.queue order by n',
  );
  let next = 0;
  const take = (): Waiting => {
    const sale = queue[next];
    next += 1;
    if (sale === undefined || next > queue.length * 0.6)
      throw new Error('There are no sales left to validate: ask for more with --sales');
    return sale;
  };
  const captured = await captureStatements(bench.product, () => ask(bench, validation(admin, take())));
  const statements = captured.map((statement) =>
    statement.text.includes('private.validate_sale')
      ? {
          // The back of the queue; at its end the same decision again, which is the same answer.
          text: `select to_json(v.sale) as sale, v.already from bench.queue q
            cross join lateral private.validate_sale(q.id, null, q.version, q.contract, q.client, q.commercial) v
            where q.n = (select greatest(${queue.length} - nextval('bench.taken'), 1))`,
          values: [],
        }
      : statement,
  );
  const plain = await makePlainReference(bench.owner, bench.login.user);
  const acts = await makeSaleActs(bench.owner, bench.login.user);
  const written = await writtenBy(bench.owner, () => ask(bench, validation(admin, take())));
  const { rows: settings } = await bench.owner.query<{ fsync: string }>('show fsync');

  const rows: Row[] = [];
  const beside: Row[] = [];
  for (const connections of [1, 16]) {
    bench.say(`validating sales, ${connections} connection${connections > 1 ? 's' : ''}`);
    const { ours, ceiling, theirs } = await inTurns(bench, async () => {
      const from = next;
      const available = queue
        .slice(from, Math.floor(queue.length * 0.6))
        .map((sale) => requestBytes(bench, validation(admin, sale)));
      const outcome = await bench.load.run({
        connections,
        seconds: bench.seconds,
        warmUpSeconds: bench.warmUpSeconds,
        requests: { kind: 'once', requests: available },
      });
      next = Math.min(from + outcome.taken, queue.length);
      if (outcome.answers === 0) throw new Error('There are no sales left to validate: ask for more with --sales');
      return {
        ours: outcome,
        ceiling: await limit.best(statements, connections, bench.seconds),
        theirs: await limit.best(plain.validation, connections, bench.seconds),
      };
    });
    const figures = figuresOf(ours);
    const best = median(ceiling.map((figure) => figure.perSecond));
    rows.push({
      what: `${connections} connection${connections > 1 ? 's' : ''}`,
      ours: `${perSecond(figures.perSecond)}, p50 ${milliseconds(figures.p50)}, p99 ${milliseconds(figures.p99)}`,
      limit: `${perSecond(best)}, mean ${milliseconds(median(ceiling.map(({ mean }) => mean)))}`,
      ratio: times(figures.perSecond / best),
      goal: connections === 1 ? '' : '≥ 0.45 ×, p99 ≤ 25 ms',
    });
    const least = median(theirs.map((figure) => figure.perSecond));
    beside.push({
      what: `the function beside plain SQL, ${connections} connection${connections > 1 ? 's' : ''}`,
      ours: perSecond(best),
      limit: `${perSecond(least)}, mean ${milliseconds(median(theirs.map(({ mean }) => mean)))}`,
      ratio: times(best / least),
      goal: connections === 1 ? '≥ 0.40 ×' : '≥ 0.35 ×',
    });
    for (const act of ['referral', 'statusMove'] as const) {
      bench.say(`${ACT_NAMES[act]}, ${connections} connection${connections > 1 ? 's' : ''}`);
      const { ours: mine, ceiling: others } = await inTurns(bench, async () => ({
        ours: await limit.best(acts[act], connections, bench.seconds),
        ceiling: await limit.best(plain[act], connections, bench.seconds),
      }));
      const own = middle(mine);
      const other = middle(others);
      beside.push({
        what: `${ACT_NAMES[act]} beside plain SQL, ${connections} connection${connections > 1 ? 's' : ''}`,
        ours: `${perSecond(own.perSecond)}, mean ${milliseconds(own.mean)}`,
        limit: `${perSecond(other.perSecond)}, mean ${milliseconds(other.mean)}`,
        ratio: times(own.perSecond / other.perSecond),
        goal: connections === 1 ? '≥ 0.40 ×' : '≥ 0.35 ×',
      });
    }
  }
  return {
    title: 'Validating a sale',
    rows: [...rows, ...beside],
    notes: [
      `One validation writes ${written.rows} rows and ${written.indexEntries} index entries, ${grouped(written.bytes)} bytes of log without page images.`,
      'Plain SQL: identity, lock, update, two commissions and one audit entry over plain tables, six indexes on the sales.',
      `fsync ${settings[0]?.fsync ?? '?'}. Limit: ${limit.name} calling the same function in the same transaction.`,
    ],
  };
}

function middle(figures: readonly LimitFigures[]): LimitFigures {
  return {
    perSecond: median(figures.map((figure) => figure.perSecond)),
    mean: median(figures.map((figure) => figure.mean)),
  };
}

const ACT_NAMES = { referral: 'a new referral', statusMove: 'a status move' } as const;

type Waiting = Readonly<Record<'id' | 'contract' | 'client' | 'commercial', string>> & { readonly version: number };

function validation(who: SignedIn, seen: Waiting): RequestOptions {
  const body = {
    action: 'validate',
    sale_id: seen.id,
    seen_version: seen.version,
    expected_contract_amount: seen.contract,
    expected_client_commission_amount: seen.client,
    expected_commercial_commission_amount: seen.commercial,
  };
  return { method: 'POST', path: '/functions/v1/sales-management', who, body };
}
