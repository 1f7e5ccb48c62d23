import { adminEmail } from '@parrain/database/seed';

import { signIn } from './company.ts';
import type { Bench } from './company.ts';
import { median } from './median.ts';
import { milliseconds, times } from './report.ts';
import type { Row, Section } from './report.ts';

/** Validations of each scale that are measured, and those before them that warm the plans up. */
const MEASURED = 200;
const WARM_UP = 20;

const RULES = JSON.stringify({
  steps: [
    { from: 1_000_000, value: 400 },
    { from: 2_500_000, value: 500 },
  ],
  cap_period: 20_000_000,
});

type Waiting = { readonly id: string; readonly version: number; readonly contract: string };

/**
 * SC-02: a validation by a scale with two steps and a yearly cap on both sides, beside one by a plain scale: in turns, over the
 * same payees, one connection, in PostgreSQL alone, from the call to the end of its transaction.
 */
export async function scaleSteps(bench: Bench): Promise<Section> {
  const { owner, say } = bench;
  const admin = await signIn(bench, adminEmail);
  const scale = async (name: string, rules: string | null): Promise<string> => {
    const { rows } = await owner.query<{ id: string }>(
      `insert into public.commission_rates (name, client_commission_type, client_commission_amount, commercial_commission_type,
         commercial_commission_amount, client_rules, commercial_rules)
       values ($1, 'percentage', 3, 'percentage', 2, $2, $2) returning id`,
      [name, rules],
    );
    return rows[0]?.id ?? '';
  };
  const plain = await scale('Sans paliers', null);
  const steps = await scale('Avec paliers', RULES);
  const { rows: waiting } = await owner.query<Waiting>(
    `select id, version, contract_amount::text as contract from public.sales
     where ready_for_validation and not admin_validated and commercial_id is not null
       and coalesce(friend_referrer_id, client_referrer_id) is not null
     order by md5(id::text) limit $1`,
    [2 * (MEASURED + WARM_UP)],
  );
  say(`validating ${waiting.length} sales, with steps and without`);

  /** Milliseconds of one validation. */
  async function validated(sale: Waiting, scaleId: string): Promise<number> {
    await owner.query('begin');
    await owner.query(`select set_config('app.user_id', $1, true), set_config('app.user_role', 'admin', true)`, [
      admin.id,
    ]);
    const { rows } = await owner.query<{ client: string; commercial: string }>(
      `select max(amount) filter (where side = 'client') as client, max(amount) filter (where side = 'commercial') as commercial
       from private.preview_commissions(array[$1::uuid], null, $2, null)`,
      [sale.id, scaleId],
    );
    const from = performance.now();
    await owner.query('select from private.validate_sale($1, $2, $3, $4, $5, $6)', [
      sale.id,
      scaleId,
      sale.version,
      sale.contract,
      rows[0]?.client,
      rows[0]?.commercial,
    ]);
    await owner.query('commit');
    return performance.now() - from;
  }

  const took = { plain: [] as number[], steps: [] as number[] };
  for (const [turn, sale] of waiting.entries()) {
    // Neither is always the first of a pair.
    const isStepped = turn % 4 === 0 || turn % 4 === 3;
    const ms = await validated(sale, isStepped ? steps : plain);
    if (turn >= 2 * WARM_UP) took[isStepped ? 'steps' : 'plain'].push(ms);
  }
  const [ours, limit] = [median(took.steps), median(took.plain)];
  const row: Row = {
    what: 'a validation with steps and a yearly cap, beside one without',
    ours: milliseconds(ours),
    limit: milliseconds(limit),
    ratio: times(ours / limit),
    goal: '≤ 1.15 ×',
  };
  const { rows: windows } = await owner.query<{ contracts: number }>(
    `select (percentile_cont(0.5) within group (order by (select count(*) from public.sales o where o.commercial_id = s.commercial_id
       and o.admin_validated and o.validated_at >= date_trunc('year', now()))))::int as contracts
     from public.sales s where s.commission_rate = $1`,
    [steps],
  );
  return {
    title: 'Scales with steps',
    rows: [row],
    notes: [
      `Medians of ${took.steps.length} each; half of the commercials had at least ${windows[0]?.contracts ?? 0} contracts in the year that is summed.`,
    ],
  };
}
