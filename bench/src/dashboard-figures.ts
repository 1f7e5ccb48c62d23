import { verify } from '@parrain/database/verify';
import type { QueryResultRow } from 'pg';

import { ask, requestBytes, signIn } from './company.ts';
import type { Bench, RequestOptions, SignedIn } from './company.ts';
import { figuresOf } from './load.ts';
import { median } from './median.ts';
import { milliseconds } from './report.ts';
import type { Row, Section } from './report.ts';
import { adminEmail, clientEmail, commercialEmail } from '@parrain/database/seed';

const PEOPLE_ASKED = 20;

/** P8: every figure of the three dashboards, and that each is, to the cent, what a scan of all the rows gives. */
export async function dashboardFigures(bench: Bench): Promise<Section> {
  const several = async (email: (number: number) => string, among: number): Promise<SignedIn[]> => {
    const people: SignedIn[] = [];
    for (let n = 0; n < PEOPLE_ASKED; n += 1)
      people.push(await signIn(bench, email(Math.floor((n * among) / PEOPLE_ASKED))));
    return people;
  };
  const dashboards = [
    { name: 'admin', people: [await signIn(bench, adminEmail)], scan: ADMIN_SCAN },
    { name: 'commercial', people: await several(commercialEmail, bench.sizes.commercials), scan: COMMERCIAL_SCAN },
    { name: 'client', people: await several(clientEmail, bench.sizes.clients), scan: CLIENT_SCAN },
  ];
  const rows: Row[] = [];
  let compared = 0;
  for (const { name, people, scan } of dashboards) {
    bench.say(`figures of the ${name}'s dashboard`);
    const call = (who: SignedIn): RequestOptions => ({
      method: 'POST',
      path: `/rest/v1/rpc/${name}_figures`,
      who,
      body: {},
    });
    const outcomes = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      outcomes.push(
        await bench.load.run({
          connections: 1,
          seconds: bench.seconds / 2,
          warmUpSeconds: bench.warmUpSeconds,
          requests: { kind: 'cycle', requests: people.map((who) => requestBytes(bench, call(who))) },
        }),
      );
    }
    const figures = figuresOf(outcomes);
    const scans: number[] = [];
    for (const who of people) {
      const started = performance.now();
      const { rows: counted } = await bench.owner.query<QueryResultRow>({
        name: `scan-${name}`,
        text: scan,
        values: name === 'admin' ? [] : [who.id],
      });
      scans.push(performance.now() - started);
      const answer = await ask(bench, call(who));
      const shown = (Array.isArray(answer) ? answer[0] : answer) as Record<string, number>;
      for (const [figure, value] of Object.entries(counted[0] ?? {})) {
        if (Math.round(Number(shown[figure]) * 100) !== Math.round(Number(value) * 100)) {
          throw new Error(`${name}_figures says ${figure} ${shown[figure]}, the rows say ${String(value)}`);
        }
        compared += 1;
      }
    }
    rows.push({
      what: `${name}: all cards`,
      ours: `p50 ${milliseconds(figures.p50)}, p99 ${milliseconds(figures.p99)}`,
      limit: `scan of the rows: ${milliseconds(median(scans))}`,
      ratio: `${(median(scans) / figures.p50).toFixed(1)} × faster`,
      goal: 'p99 ≤ 5 ms',
    });
  }
  bench.say('every invariant over the whole database');
  const findings = await verify(async (sql) => (await bench.owner.query<QueryResultRow>(sql)).rows);
  const broken = findings.filter(({ violations }) => violations.length > 0);
  if (broken.length > 0)
    throw new Error(
      `Broken invariants: ${JSON.stringify(broken.map(({ invariant, violations }) => [invariant.id, violations[0]]))}`,
    );
  return {
    title: 'Figures of the dashboards',
    rows,
    notes: [
      `${compared} figures compared with a scan of every row, after the validations above: equal to the cent. ${findings.length} invariants of \`npm run verify\` hold.`,
    ],
  };
}

const ADMIN_SCAN = `
  with sales as (
    select count(*) filter (where admin_validated and corrects_sale_id is null) - count(*) filter (where corrects_sale_id is not null) as validated_sales,
      sum(contract_amount) filter (where admin_validated) as revenue,
      sum(client_commission_amount + commercial_commission_amount) filter (where admin_validated) as commissions,
      count(*) filter (where ready_for_validation and not admin_validated) as sales_to_validate
    from public.sales),
  requests as (
    select sum(amount) filter (where status = 'paid') as paid, count(*) filter (where status = 'pending') as requests_to_decide,
      count(*) filter (where status = 'approved') as requests_to_pay
    from public.payment_requests)
  select validated_sales, revenue, sales_to_validate, requests_to_decide, requests_to_pay, greatest(commissions - paid, 0) as pending_commissions,
    (select count(*) from public.profiles where role = 'commercial' and deactivated_at is null) as commercials,
    (select count(*) from public.profiles where role = 'client') as clients,
    (select sum(amount) from public.commission_payments where status = 'paid') as paid_commissions,
    (select sum(greatest(b.earned - b.reversed - b.paid, 0)) from public.balances b join public.profiles p on p.id = b.profile_id
      where p.role = 'client') as commissions_due
  from sales, requests`;

const COMMERCIAL_SCAN = `
  select (select count(*) from public.profiles where commercial_id = $1 and role = 'client') as clients,
    count(*) filter (where corrects_sale_id is null) as referrals,
    count(*) filter (where status = 'validated' and corrects_sale_id is null) - count(*) filter (where corrects_sale_id is not null) as signed_contracts,
    coalesce(sum(contract_amount) filter (where status = 'validated'), 0) as revenue,
    count(*) filter (where admin_validated and corrects_sale_id is null) - count(*) filter (where corrects_sale_id is not null) as validated_contracts,
    coalesce(sum(contract_amount) filter (where admin_validated), 0) as validated_revenue,
    coalesce(sum(commercial_commission_amount) filter (where admin_validated), 0) as commissions_earned,
    coalesce(sum(commercial_commission_amount) filter (where status = 'validated' and not admin_validated), 0) as commissions_pending,
    count(*) filter (where status in ('pending', 'contacted', 'in_negotiation') and not ready_for_validation) as to_follow_up,
    coalesce(sum(commercial_commission_amount) filter (where status = 'pending' and ready_for_validation), 0) as commissions_forecast,
    count(*) filter (where status = 'pending' and ready_for_validation) as transmitted_contracts
  from public.sales where commercial_id = $1`;

const CLIENT_SCAN = `
  with referrals as (
    select count(*) filter (where corrects_sale_id is null) as friends_invited,
      count(*) filter (where status = 'validated' and corrects_sale_id is null) - count(*) filter (where corrects_sale_id is not null) as signed_contracts,
      coalesce(sum(client_commission_amount) filter (where status = 'validated' and not admin_validated), 0) as pending_commissions,
      coalesce(sum(contract_amount) filter (where status = 'validated'), 0) as sales_generated
    from public.sales where friend_referrer_id = $1),
  earned as (select coalesce(sum(amount), 0) as validated_commissions from public.commission_payments where recipient_id = $1 and type = 'client'),
  requests as (
    select coalesce(sum(amount) filter (where status in ('pending', 'approved')), 0) as requests_in_progress,
      count(*) filter (where status in ('pending', 'approved')) as requests_in_progress_count,
      coalesce(sum(amount) filter (where status = 'paid'), 0) as payments_received
    from public.payment_requests where client_id = $1)
  select *, pending_commissions + validated_commissions as total_commissions,
    greatest(validated_commissions - requests_in_progress - payments_received, 0) as available,
    greatest(payments_received - validated_commissions, 0) as debt
  from referrals, earned, requests`;
