import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import fc from 'fast-check';

import {
  adminFigures,
  availableBalance,
  clientFigures,
  commercialFigures,
  debt,
  referralFigures,
  revenueOf,
} from '@parrain/domain/balance';
import { fromWire } from '@parrain/domain/money';
import { saleState } from '@parrain/domain/sale';
import {
  balanceRow,
  balanceToDomain,
  commissionPaymentToDomain,
  commissionPaymentRow,
  paymentRequestRow,
  paymentRequestToDomain,
  saleRow,
  saleToDomain,
} from '@parrain/domain/wire';

import { demoAccounts } from '../src/demo.ts';
import { asSeen, brokenInvariants, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { loadTestDemo } from '../src/testing-demo.ts';
import { outcome } from './world.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await loadTestDemo(db.owner);
  await db.asOwner(
    `insert into auth.sessions (id, user_id, refresh_key_sealed) select id, id, '\\x00' from auth.users`,
  );
});
afterAll(() => db.drop());

test('[FX-01] [PO-01] [PO-02] the demo company has paid a batch, of which the bank rejected a line, and gathers the next one', async () => {
  const batches = await db.asOwner<{ status: string; rejected: number; is_paid: boolean; has_file: boolean }>(
    `select b.status, b.rejected, b.paid > 0 as is_paid, exists (select from private.batch_files f where f.batch_id = b.id) as has_file
     from public.batch_summaries b order by b.created_at`,
  );
  expect(batches).toEqual([
    { status: 'settled', rejected: 1, is_paid: true, has_file: true },
    { status: 'draft', rejected: 0, is_paid: false, has_file: false },
  ]);
  expect(
    await db.asOwner(
      `select r.status, l.reason_code from public.payment_batch_lines l join public.payment_requests r on r.id = l.request_id
       where l.status = 'rejected'`,
    ),
  ).toEqual([{ status: 'rejected', reason_code: 'AC04' }]);
  expect(
    only(await db.asOwner('select count(*)::int as transfers from public.transfers_to_make'))['transfers'],
  ).toBeGreaterThan(1);
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
});

test('[FX-01] [FD-01] the demo company has doubtful cases to decide, and one decided each way', async () => {
  const cases = await db.asOwner<{ status: string; reasons: string }>(
    `select c.status, string_agg(r.rule, ', ' order by r.rule, r.compared) as reasons
     from public.doubtful_cases c join public.doubt_reasons r on r.case_id = c.id group by c.id order by c.created_at`,
  );
  expect(cases).toEqual([
    { status: 'confirmed', reasons: 'self_referral, self_referral' },
    { status: 'cleared', reasons: 'known_friend' },
    { status: 'open', reasons: 'known_friend' },
    { status: 'open', reasons: 'self_referral, self_referral' },
  ]);
});

const people = async (role: Person['role']): Promise<Person[]> =>
  (
    await db.asOwner<{ id: string; email: string; full_name: string }>(
      'select id, email, full_name from public.profiles where role = $1 order by created_at',
      [role],
    )
  ).map((row) => ({ id: row.id, role, email: row.email, fullName: row.full_name, sessionId: row.id }));
const json = async (sql: string, values: readonly unknown[] = []) =>
  only(await db.asOwner<{ rows: unknown[] }>(`select coalesce(json_agg(r), '[]') as rows from (${sql}) r`, values))
    .rows;
const salesWhere = async (where: string, values: readonly unknown[] = []) =>
  (await json(`select * from public.sales where ${where}`, values)).map((row) => saleToDomain(saleRow.parse(row)));
const requestsWhere = async (where: string, values: readonly unknown[] = []) =>
  (await json(`select * from public.payment_requests where ${where}`, values)).map((row) =>
    paymentRequestToDomain(paymentRequestRow.parse(row)),
  );
const paymentsWhere = async (where: string, values: readonly unknown[] = []) =>
  (await json(`select * from public.commission_payments where ${where}`, values)).map((row) =>
    commissionPaymentToDomain(commissionPaymentRow.parse(row)),
  );
const ask = async (who: Person, fn: string) =>
  only(await db.become(who, (run) => run<Record<string, string>>(`select * from public.${fn}()`)));

/** Every total a dashboard shows, against the same total recomputed from all the rows. */
async function expectFiguresToAgree() {
  for (const admin of await people('admin')) {
    const shown = await ask(admin, 'admin_figures');
    const expected = adminFigures(await salesWhere('true'), await paymentsWhere('true'), await requestsWhere('true'));
    expect(Number(shown['validated_sales'])).toBe(expected.validatedSalesCount);
    expect(fromWire(shown['revenue'] ?? '')).toBe(expected.totalRevenue);
    expect(fromWire(shown['pending_commissions'] ?? '')).toBe(expected.pendingCommissions);
    expect(fromWire(shown['paid_commissions'] ?? '')).toBe(expected.paidCommissions);
    const [said] = await db.asOwner<Record<string, string | null>>(`
      select (select count(*) from public.sales where corrects_sale_id is not null) as cancelled_validations,
        (select coalesce(sum(amount), 0) from public.payment_requests where status = 'paid') as payments_made,
        w.amount as to_validate_amount, w.oldest as oldest_to_validate, d.amount as to_decide_amount, d.oldest as oldest_to_decide,
        p.amount as to_pay_amount, p.oldest as oldest_to_pay
      from (select coalesce(sum(contract_amount), 0) as amount, min(created_at) as oldest from public.sales
          where ready_for_validation and not admin_validated) w,
        (select coalesce(sum(amount), 0) as amount, min(created_at) as oldest from public.payment_requests where status = 'pending') d,
        (select coalesce(sum(amount), 0) as amount, min(created_at) as oldest from public.payment_requests where status = 'approved') p`);
    expect(inCents(shown)).toMatchObject(inCents(said ?? {}));
  }
  for (const commercial of await people('commercial')) {
    const shown = await ask(commercial, 'commercial_figures');
    const sales = await salesWhere('commercial_id = $1', [commercial.id]);
    const expected = commercialFigures(sales);
    const referrals = referralFigures(sales);
    expect(Number(shown['referrals'])).toBe(referrals.referralsCount);
    expect(Number(shown['signed_contracts'])).toBe(referrals.signedContractsCount);
    expect(fromWire(shown['revenue'] ?? '')).toBe(referrals.revenue);
    expect(Number(shown['validated_contracts'])).toBe(expected.signedContractsCount);
    expect(fromWire(shown['validated_revenue'] ?? '')).toBe(expected.revenue);
    expect(fromWire(shown['commissions_earned'] ?? '')).toBe(expected.earnedCommissions);
    expect(fromWire(shown['commissions_pending'] ?? '')).toBe(expected.pendingCommissions);
    expect(fromWire(shown['commissions_forecast'] ?? '')).toBe(expected.forecastCommissions);
    expect(Number(shown['transmitted_contracts'])).toBe(expected.transmittedContractsCount);
  }
  for (const client of await people('client')) {
    const shown = await ask(client, 'client_figures');
    const requests = await requestsWhere('client_id = $1', [client.id]);
    const expected = clientFigures(await salesWhere('friend_referrer_id = $1', [client.id]), requests);
    expect(Number(shown['friends_invited'])).toBe(expected.friendsInvitedCount);
    expect(Number(shown['signed_contracts'])).toBe(expected.signedContractsCount);
    expect(fromWire(shown['total_commissions'] ?? '')).toBe(expected.totalCommissions);
    expect(fromWire(shown['validated_commissions'] ?? '')).toBe(expected.validatedCommissions);
    expect(fromWire(shown['pending_commissions'] ?? '')).toBe(expected.pendingCommissions);
    expect(fromWire(shown['requests_in_progress'] ?? '')).toBe(expected.openRequestsAmount);
    expect(fromWire(shown['payments_received'] ?? '')).toBe(expected.paidRequestsAmount);
    const kept = (await json('select * from public.balances where profile_id = $1', [client.id])).map((row) =>
      balanceToDomain(balanceRow.parse(row)),
    )[0];
    const balance = kept ?? { earned: 0n, reversed: 0n, held: 0n, reserved: 0n, paid: 0n };
    expect(fromWire(shown['available'] ?? '')).toBe(availableBalance(balance));
    expect(fromWire(shown['debt'] ?? '')).toBe(debt(balance));
    expect(availableBalance(balance)).toBe(expected.available);
    const sales = await salesWhere('friend_referrer_id = $1', [client.id]);
    const toValidate = sales.filter((sale) => saleState(sale) === 'awaiting_admin_validation');
    expect(Number(shown['contracts_to_validate'])).toBe(toValidate.length);
    expect(fromWire(shown['sales_to_validate_amount'] ?? '')).toBe(revenueOf(toValidate));
    await expectStatementToAddUp(client, balance);
  }
  const summaries = await db.asOwner<Record<string, string>>('select * from public.client_summaries');
  for (const summary of summaries) {
    const expected = referralFigures(await salesWhere('friend_referrer_id = $1', [summary['id']]));
    expect([
      Number(summary['total_referrals']),
      Number(summary['signed_contracts']),
      fromWire(summary['revenue_generated'] ?? ''),
    ]).toEqual([expected.referralsCount, expected.signedContractsCount, expected.revenue]);
  }
  for (const admin of await people('admin')) await expectPeopleAndScalesToAgree(admin);
}

/** Compares the lists and panels of people and scales with the same figures from all the rows (NV-02, PI-03). */
async function expectPeopleAndScalesToAgree(admin: Person) {
  const seen = (sql: string) => db.become(admin, (run) => run<Record<string, string | null>>(sql));
  const counted = await db.asOwner<Record<string, string | null>>(`
    select p.id, (select count(*) from public.profiles c where c.commercial_id = p.id) as clients,
      count(s.id) filter (where s.corrects_sale_id is null) as referrals, coalesce(sum(sign(s.contract_amount)) filter (where s.admin_validated), 0)::bigint as contracts,
      coalesce(sum(s.contract_amount) filter (where s.admin_validated), 0) as revenue,
      coalesce(sum(s.commercial_commission_amount) filter (where s.admin_validated), 0) as commissions
    from public.profiles p left join public.sales s on s.commercial_id = p.id where p.role = 'commercial' group by p.id order by p.id`);
  const commercials = await seen('select * from public.commercial_summaries order by id');
  expect(
    commercials.map(({ id, clients, referrals, contracts, revenue, commissions }) => ({
      id,
      ...inCents({ clients, referrals, contracts, revenue, commissions }),
    })),
  ).toEqual(counted.map(({ id, ...row }) => ({ id, ...inCents(row) })));
  for (const row of commercials)
    expect(row['conversion']).toBe(
      row['referrals'] === '0' ? null : (Number(row['contracts']) / Number(row['referrals'])).toFixed(4),
    );
  const summaries = await seen('select * from public.client_summaries order by id');
  expect(await seen('select * from public.client_rankings order by id')).toEqual(summaries);
  const balances = await db.asOwner<{ id: string; earned: string }>(
    `select p.id, coalesce(b.earned - b.reversed, 0)::numeric(14, 2) as earned
     from public.profiles p left join public.balances b on b.profile_id = p.id where p.role = 'client' order by p.id`,
  );
  expect(summaries.map(({ id, earned }) => ({ id, earned }))).toEqual(balances);
  const [client] = await people('client');
  const [commercial] = await people('commercial');
  for (const [id, where] of [
    [client?.id, 'coalesce(friend_referrer_id, client_referrer_id) = $1'],
    [commercial?.id, 'commercial_id = $1'],
  ] as const) {
    const sales = await salesWhere(where, [id]);
    const figures = await seen(`select * from public.person_figures('${id}')`);
    expect(figures.reduce((sum, row) => sum + Number(row['sales']), 0)).toBe(sales.length);
    for (const row of figures) {
      const ofState = sales.filter((sale) => saleState(sale) === row['state']);
      expect([Number(row['sales']), fromWire(row['contract_amount'] ?? '')]).toEqual([
        ofState.length,
        ofState.reduce((sum, sale) => sum + (sale.contractAmount ?? 0n), 0n),
      ]);
    }
  }
  const ofScales = await db.asOwner<Record<string, string>>(`
    select s.commission_rate as id, sum(sign(s.contract_amount))::bigint as contracts, sum(s.contract_amount) as revenue,
      sum(s.client_commission_amount) as client_commissions, sum(s.commercial_commission_amount) as commercial_commissions
    from public.sales s where s.admin_validated group by 1 order by 1`);
  expect(await seen(`select * from public.scale_figures('2000-01-01', '2100-01-01') order by id`)).toEqual(ofScales);
  expect(
    await seen(`select commission_rate as id, sum(contracts)::bigint as contracts, sum(revenue) as revenue,
      sum(client_commissions) as client_commissions, sum(commercial_commissions) as commercial_commissions
      from public.scale_months group by 1 order by 1`),
  ).toEqual(ofScales);
  const months = await seen(`
    select r.id, m.* from public.commission_rates r, public.scale_by_month(r.id, '2000-01-01', '2100-01-01') m order by 1, 2`);
  expect(months).toEqual(
    await seen(`select commission_rate as id, month, sum(contracts)::bigint as contracts, sum(revenue) as revenue,
      sum(client_commissions) as client_commissions, sum(commercial_commissions) as commercial_commissions
      from public.scale_months group by 1, 2 order by 1, 2`),
  );
  expect(months.length).toBeGreaterThan(ofScales.length);
}

/** « 0 » and « 0.00 » are the same amount. */
function inCents(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? fromWire(value) : value]),
  );
}

/** Each line of the account moves the balance by its amount, up to what the kept balance says. */
async function expectStatementToAddUp(client: Person, kept: Parameters<typeof availableBalance>[0]) {
  const lines = await db.become(client, (run) =>
    run<{ change: string; available: string }>(
      'select change, available from public.account_lines where payee_id = $1 order by entry_id',
      [client.id],
    ),
  );
  let balance = 0n;
  for (const line of lines) {
    balance += fromWire(line.change);
    expect(fromWire(line.available)).toBe(balance);
  }
  expect(balance).toBe(kept.earned - kept.reversed - kept.held - kept.reserved - kept.paid);
}

type Part = { step: string; number: string | null; amount: string };
const partsOf = async (who: Person) => {
  const rows = await db.become(who, (run) => run<Part>('select step, number, amount::text from public.due_soon()'));
  const amount = (step: string) => fromWire(rows.find((row) => row.step === step)?.amount ?? '');
  const owed = rows.filter(({ step }) => step !== 'adjusted' && step !== 'forecast');
  return { rows, amount, total: owed.reduce((all, row) => all + fromWire(row.amount), 0n) };
};
const sumOf = async (sql: string) =>
  fromWire(only(await db.asOwner<{ sum: string }>(`select coalesce((${sql}), 0)::numeric(14,2)::text as sum`))['sum']);
/** Of the ledger alone: all that was earned, less what was taken back and paid. */
const ledgerSum = `select sum(case when e.debit in ('charged', 'adjusted') then e.amount else 0 end
    - case when e.credit in ('charged', 'adjusted') then e.amount else 0 end
    - case when e.credit = 'paid' then e.amount when e.debit = 'paid' then -e.amount else 0 end)
  from public.ledger_entries e`;
const available = 'b.earned - b.reversed - b.held - b.reserved - b.paid';
const ofRole = (role: string) =>
  `from public.balances b join public.profiles p on p.id = b.profile_id where p.role = '${role}'`;

async function expectPartsOfLedger(admin: Person) {
  const { amount, total, rows } = await partsOf(admin);
  expect(total).toBe(await sumOf(ledgerSum));
  expect(amount('to_decide')).toBe(
    await sumOf(`select sum(amount) from public.payment_requests where status = 'pending'`),
  );
  expect(amount('to_pay') + amount('to_decide') + amount('in_batch')).toBe(
    (await sumOf(`select sum(reserved) from public.balances`)) +
      (await sumOf(`select sum(amount) from public.payment_batch_lines where status = 'queued' and month is not null`)),
  );
  expect(amount('held') + amount('checked')).toBe(await sumOf('select sum(held) from public.balances'));
  expect(amount('available')).toBe(await sumOf(`select sum(greatest(${available}, 0)) ${ofRole('client')}`));
  expect(amount('months_due')).toBe(
    await sumOf(`select sum(m.due) from public.months_to_pay m where not m.is_in_batch`),
  );
  const cards = await ask(admin, 'admin_figures');
  expect(total).toBe(fromWire(cards['pending_commissions'] ?? '') + amount('adjusted'));
  return rows;
}

// Before the acts below, which may pay all that is due.
test('[UI-08] its parts add up to the ledger and to « Commissions en attente », to the cent; nobody but an admin reads them', async () => {
  const [admin] = await people('admin');
  const [commercial] = await people('commercial');
  const [client] = await people('client');
  if (admin === undefined || commercial === undefined || client === undefined) throw new Error('nobody');
  const rows = await expectPartsOfLedger(admin);
  const shown = rows.filter(({ amount }) => fromWire(amount) > 0n).map(({ step }) => step);
  expect(shown).toEqual(expect.arrayContaining(['to_pay', 'to_decide', 'in_batch', 'months_due', 'available']));
  const [ofThisMonth] = await db.asOwner<{ earned: boolean }>(
    `select exists (select from public.sales where admin_validated and commercial_commission_amount > 0
       and validated_at at time zone 'Europe/Paris' >= date_trunc('month', now() at time zone 'Europe/Paris')) as earned`,
  );
  expect(shown.includes('month_open')).toBe(ofThisMonth?.earned);
  for (const who of [commercial, client]) expect((await partsOf(who)).rows).toEqual([]);
});

describe('the figures of the dashboards', () => {
  test('[FX-73] a client’s forecast is the fixed amount of the scale in force, and nothing where it is a percentage', async () => {
    const [client] = await people('client');
    if (client === undefined) throw new Error('The demo company has no client');
    const asked = async () => (await ask(client, 'client_figures'))['forecast_commission'];
    const [before] = await db.asOwner<{ id: string }>('select id from public.commission_rates where is_default');
    const [fixed] = await db.asOwner<{ id: string }>(
      `insert into public.commission_rates (name, client_commission_type, client_commission_amount,
         commercial_commission_type, commercial_commission_amount, is_test) values ('Fixe', 'fixed', 80, 'percentage', 5, true) returning id`,
    );
    const promote = async (id: string | undefined) => {
      await db.asOwner('update public.commission_rates set is_default = false where is_default');
      await db.asOwner('update public.commission_rates set is_default = true where id = $1', [id]);
    };
    expect(await asked()).toBeNull();
    await promote(fixed?.id);
    expect(await asked()).toBe('80.00');
    await promote(before?.id);
    expect(await asked()).toBeNull();
  });

  test('[A-02] the demo company has its accounts, a year of history, every status, and keeps its invariants', async () => {
    const roles = await db.asOwner<{ email: string; role: string }>(
      'select email, role from public.profiles where email = any ($1)',
      [demoAccounts.map((a) => a.email)],
    );
    expect(Object.fromEntries(roles.map((row) => [row.role, row.email]))).toEqual({
      admin: 'admin@demo.example',
      commercial: 'commercial@demo.example',
      client: 'client@demo.example',
    });
    const [counts] = await db.asOwner<Record<string, number>>(`select
      (select count(*)::int from public.profiles where role = 'commercial') as commercials, (select count(*)::int from public.profiles where role = 'client') as clients,
      (select count(distinct (status, ready_for_validation, admin_validated))::int from public.sales) as states,
      (select count(distinct status)::int from public.payment_requests) as requests, (select count(distinct payment_method)::int from public.payment_requests) as methods,
      (select (max(created_at)::date - min(created_at)::date) from public.sales) as days,
      (select count(*)::int from public.sales where created_at > now()) as future`);
    expect(counts).toMatchObject({ commercials: 6, clients: 56, states: 7, requests: 4, methods: 4, future: 0 });
    expect(counts?.['days']).toBeGreaterThan(250);
    expect(await brokenInvariants(db.asOwner)).toEqual([]);
    const [notTest] = await db.asOwner<{
      n: number;
    }>(`select (select count(*) from public.profiles where not is_test)::int + (select count(*) from public.sales where not is_test)::int
      + (select count(*) from public.payment_requests where not is_test)::int + (select count(*) from public.commission_rates where not is_test)::int as n`);
    expect(notTest?.n).toBe(0);
  });

  test(
    '[M-04, M-05, M-06, M-07, M-08, M-09, M-10, D-07, AD-03] every total is what the rows give, to the cent',
    expectFiguresToAgree,
  );

  test('[M-10, V-16] after hundreds of random acts, several at once, everything still agrees to the cent', async () => {
    const [admins, commercials, clients] = [await people('admin'), await people('commercial'), await people('client')];
    const as = (who: Person | undefined, sql: string, values: readonly unknown[] = []) =>
      who === undefined ? Promise.resolve() : db.become(who, (run) => run(sql, values));
    const someone = <T>(list: readonly T[], n: number) => list[n % list.length];
    const act = fc.record({
      kind: fc.integer({ min: 0, max: 8 }),
      n: fc.nat(100_000),
      cents: fc.integer({ min: 1, max: 500_000 }),
    });
    const acts = fc.sample(act, { numRuns: 600, seed: 42 });
    const aSaleId = async (where: string, n: number) =>
      (
        await db.asOwner<{ id: string; commercial_id: string }>(
          `select id, commercial_id from public.sales where ${where} order by id offset $1 % greatest((select count(*) from public.sales where ${where}), 1) limit 1`,
          [n],
        )
      )[0];
    const aRequestId = async (where: string, n: number) =>
      (
        await db.asOwner<{ id: string }>(
          `select id from public.payment_requests where ${where} order by id offset $1 % greatest((select count(*) from public.payment_requests where ${where}), 1) limit 1`,
          [n],
        )
      )[0];
    const counts: Record<string, number> = {};
    const perform = async ({ kind, n, cents }: (typeof acts)[number]): Promise<unknown> => {
      const amount = (cents / 100).toFixed(2);
      switch (kind) {
        case 0:
          return as(someone(clients, n), `select private.invite_friend('Ami', $1, null, null)`, [
            `ami${n}@exemple.example`,
          ]);
        case 1:
        case 2: {
          const sale = await aSaleId('true', n);
          const choice = someone(
            ['contacted', 'in_negotiation', 'pending_validation', 'validated', 'pending', 'pending_final_validation'],
            n,
          );
          return as(
            commercials.find((c) => c.id === sale?.commercial_id),
            `select private.update_sale_status($1, $2, $3, 'Contrat', null)`,
            [sale?.id, choice, amount],
          );
        }
        case 3:
        case 4:
          return as(someone(admins, n), asSeen.validate, [
            (await aSaleId('ready_for_validation and not admin_validated', n))?.id,
            null,
          ]);
        case 5:
          return n % 3 === 0
            ? as(someone(admins, n), asSeen.cancel, [
                (await aSaleId('admin_validated and corrects_sale_id is null', n))?.id,
                'Erreur',
              ])
            : as(someone(admins, n), asSeen.refuse, [(await aSaleId('ready_for_validation', n))?.id, 'Motif']);
        case 6:
          return as(someone(clients, n), `select private.request_payment($1, 'virement', '{}', null)`, [
            (cents / 2500 + 1).toFixed(2),
          ]);
        case 7:
          return as(someone(admins, n), asSeen.decide, [
            (await aRequestId(`status = 'pending'`, n))?.id,
            n % 4 === 0 ? 'rejected' : 'approved',
            'Motif',
          ]);
        default:
          return n % 4 === 0
            ? as(someone(admins, n), asSeen.annulApproval, [(await aRequestId(`status = 'approved'`, n))?.id, 'Motif'])
            : as(someone(admins, n), asSeen.decide, [(await aRequestId(`status = 'approved'`, n))?.id, 'paid', null]);
      }
    };
    const queue = [...acts];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const code = await outcome(perform(next));
          counts[code] = (counts[code] ?? 0) + 1;
        }
      }),
    );
    // Only the product's own refusals; no deadlock, no constraint met by surprise.
    const known = new Set([
      'ok',
      'friend_already_invited',
      'sale_not_editable',
      'sale_not_found',
      'sale_already_decided',
      'sale_not_ready',
      'sale_not_cancellable',
      'amount_out_of_range',
      'balance_in_debt',
      'request_changed',
      'request_illegal_move',
      // The demo company gathers a batch.
      'request_in_batch',
      'sale_changed',
    ]);
    expect(Object.keys(counts).filter((code) => !known.has(code))).toEqual([]);
    expect(counts['ok']).toBeGreaterThan(200);
    expect(await brokenInvariants(db.asOwner)).toEqual([]);
    await expectFiguresToAgree();
  });

  test('[PI-03] who referred somebody once and nobody in six months is asleep, counted by night or not', async () => {
    const [admin] = await people('admin');
    if (admin === undefined) throw new Error('no admin');
    const expected = await db.asOwner<{ id: string; commercial_id: string }>(`
      select p.id, p.commercial_id from public.profiles p
      join public.sales s on coalesce(s.friend_referrer_id, s.client_referrer_id) = p.id and s.corrects_sale_id is null
      where p.role = 'client' and p.deactivated_at is null
      group by p.id having max(s.created_at) < now() - interval '6 months' order by p.id`);
    expect(expected.length).toBeGreaterThan(0);
    const asleep = async (who: Person) =>
      (await db.become(who, (run) => run<{ id: string }>('select id from public.sleeping_referrers order by id'))).map(
        ({ id }) => id,
      );
    const ids = expected.map(({ id }) => id);
    const expectAsleep = async (all: readonly string[]) => {
      expect(await asleep(admin)).toEqual(all);
      for (const commercial of await people('commercial')) {
        const own = new Set(expected.filter(({ commercial_id: of }) => of === commercial.id).map(({ id }) => id));
        expect(await asleep(commercial)).toEqual(all.filter((id) => own.has(id)));
      }
    };
    await expectAsleep(ids);
    const asService = (sql: string) => db.become('parrain_service', (run) => run(sql));
    await asService('select private.count_months(1)');
    const [kept] = await db.asOwner<{ n: number }>('select count(*)::int as n from figures.last_referrals');
    expect(kept?.n).toBeGreaterThan(ids.length);
    await expectAsleep(ids);

    // One wakes up after the night's count.
    const [first, ...others] = ids;
    const woken = (await people('client')).find(({ id }) => id === first);
    if (woken === undefined) throw new Error('The sleeper is no client');
    await db.become(woken, (run) =>
      run(`select private.invite_friend('Ami Réveillé', 'ami.reveille@exemple.example', null, null)`),
    );
    await expectAsleep(others);
    // The counts are cleared with the months.
    await asService('select private.count_months(1000000)');
    expect(await db.asOwner('select * from figures.last_referrals')).toEqual([]);
    await expectAsleep(others);
  });

  test('[AU-17] an admin is told who has a second factor, and nobody else is', async () => {
    const [[admin], [commercial], [client]] = [
      await people('admin'),
      await people('commercial'),
      await people('client'),
    ];
    if (!admin || !commercial || !client) throw new Error('The demo company lacks somebody');
    const [factor] = await db.asOwner<{ id: string }>(
      `insert into auth.factors (user_id, factor_type, status, secret_sealed) values ($1, 'totp', 'verified', '\\x00') returning id`,
      [client.id],
    );
    const ids = [admin.id, commercial.id, client.id];
    const asked = (who: Person) =>
      db.become(who, (run) => run('select id from public.people_with_second_factor($1)', [ids]));
    expect(await asked(admin)).toEqual([{ id: client.id }]);
    expect(await outcome(asked(commercial))).toBe('forbidden');
    await db.asOwner('delete from auth.factors where id = $1', [factor?.id]);
  });

  test('[M-10] a dashboard read during validations always shows one consistent instant', async () => {
    const [admin] = await people('admin');
    if (admin === undefined) throw new Error('no admin');
    const waiting = await db.asOwner<{ id: string }>(
      'select id from public.sales where ready_for_validation and not admin_validated',
    );
    const reads: Record<string, string>[] = [];
    await Promise.all([
      ...waiting.map(({ id }) => outcome(db.become(admin, (run) => run(asSeen.validate, [id, null])))),
      ...Array.from({ length: 30 }, async () =>
        reads.push(
          only(
            await db.become(admin, (run) =>
              run<Record<string, string>>(
                `select (select sum(amount) from public.commission_payments) as payments,
           (select sum(client_commission_amount + commercial_commission_amount) from public.sales where admin_validated) as commissions`,
              ),
            ),
          ),
        ),
      ),
    ]);
    expect(reads.filter((read) => read['payments'] !== read['commissions'])).toEqual([]);
  });
});

describe('the figures behind the charts', () => {
  const ever = ['2000-01-01', '2100-01-01'];
  const chart = async (who: Person, fn: string, months: readonly string[] = ever) =>
    db.become(who, (run) => run<Record<string, string | null>>(`select * from public.${fn}($1, $2)`, months));
  const total = (rows: readonly Record<string, string | null>[], column: string) =>
    rows.reduce((all, row) => all + fromWire(row[column] ?? '0'), 0n);
  const everything = async (admin: Person) =>
    Promise.all(
      ['sales_by_month', 'best_commercials', 'best_referrers', 'referral_funnel', 'referral_delays'].map((fn) =>
        chart(admin, fn),
      ),
    );

  test('[PI-01] every chart agrees with the cards to the cent, counted by night or read from the sales', async () => {
    const [admin] = await people('admin');
    if (admin === undefined) throw new Error('no admin');
    const cards = await ask(admin, 'admin_figures');
    const read = await everything(admin);
    const [months = [], commercials = [], , states = []] = read;
    expect(total(months, 'revenue')).toBe(fromWire(cards['revenue'] ?? ''));
    expect(total(months, 'client_commissions') + total(months, 'commercial_commissions')).toBe(
      fromWire(cards['paid_commissions'] ?? ''),
    );
    expect(months.reduce((all, row) => all + Number(row['contracts']), 0)).toBe(Number(cards['validated_sales']));
    const validated = states.find(({ state }) => state === 'validated');
    expect(Number(validated?.['referrals'])).toBe(Number(cards['validated_sales']));
    const [median] = await db.asOwner<{ days: number }>(`
      select percentile_disc(0.5) within group (order by floor(extract(epoch from s.validated_at - s.created_at) / 86400))::int as days
      from public.sales s where s.admin_validated and s.corrects_sale_id is null
        and not exists (select from public.sales c where c.corrects_sale_id = s.id)`);
    expect(validated?.['median_days']).toBe(median?.days);
    const [best] = await db.asOwner<{ revenue: string; commercial_id: string }>(
      `select commercial_id, sum(contract_amount) as revenue from public.sales where admin_validated group by 1 order by 2 desc limit 1`,
    );
    expect([commercials[0]?.['id'], commercials[0]?.['revenue']]).toEqual([best?.commercial_id, best?.revenue]);
    await db.asOwner('select private.count_months(1)');
    const withoutNight = (charts: typeof read) =>
      charts.map((rows) => rows.map((row) => ({ ...row, counted_at: null })).toSorted(byText));
    expect(withoutNight(await everything(admin))).toEqual(withoutNight(read));
    expect(await brokenInvariants(db.asOwner)).toEqual([]);
    // The night's count is what is read: a row more in it shows.
    await db.asOwner(
      `update figures.validated_months set revenue = revenue + 1 where ctid = (select ctid from figures.validated_months limit 1)`,
    );
    expect(total(await chart(admin, 'sales_by_month'), 'revenue')).toBe(fromWire(cards['revenue'] ?? '') + 100n);
    expect(await brokenInvariants(db.asOwner)).toHaveLength(1);
    await db.asOwner('select private.count_months(1)');
  });

  test('[PI-01] what is validated after the night’s count is added to it; a small company is not counted', async () => {
    const [admin] = await people('admin');
    if (admin === undefined) throw new Error('no admin');
    await db.asOwner('select private.count_months(1)');
    const before = total(await chart(admin, 'sales_by_month'), 'revenue');
    const [waiting] = await db.asOwner<{ id: string; contract_amount: string }>(
      `insert into public.sales (referred_contact_name, commercial_id, contract_amount, contract_description, ready_for_validation)
       select 'Après minuit', id, 100, 'Contrat', true from public.profiles where role = 'commercial' limit 1 returning id, contract_amount`,
    );
    await db.become(admin, (run) => run(asSeen.validate, [waiting?.id, null]));
    expect(total(await chart(admin, 'sales_by_month'), 'revenue')).toBe(before + 10_000n);
    await db.asOwner('select private.count_months(1000000)');
    expect(await db.asOwner('select * from figures.counted_until')).toEqual([]);
    expect(total(await chart(admin, 'sales_by_month'), 'revenue')).toBe(before + 10_000n);
  });

  test('[PI-01] a commercial reads the months of their own sales alone, a client none', async () => {
    const [commercial] = await people('commercial');
    const [client] = await people('client');
    if (commercial === undefined || client === undefined) throw new Error('nobody');
    for (const least of [1, 1_000_000]) {
      await db.asOwner('select private.count_months($1)', [least]);
      const cards = await ask(commercial, 'commercial_figures');
      const months = await chart(commercial, 'sales_by_month');
      expect(total(months, 'revenue')).toBe(fromWire(cards['validated_revenue'] ?? ''));
      expect(total(months, 'commercial_commissions')).toBe(fromWire(cards['commissions_earned'] ?? ''));
      expect(await chart(client, 'sales_by_month')).toEqual([]);
      for (const fn of ['best_commercials', 'best_referrers', 'referral_funnel', 'referral_delays'])
        expect([await chart(commercial, fn), await chart(client, fn)]).toEqual([[], []]);
    }
  });

  test('[PI-02] a commercial’s open referrals by age add up to what is to follow up; a client’s months to what they earned', async () => {
    const ages = (who: Person) =>
      db.become(who, (run) =>
        run<{ from_days: number; referrals: string }>('select * from public.open_referrals_by_age()'),
      );
    const [admin] = await people('admin');
    const clients = await people('client');
    for (const commercial of await people('commercial')) {
      const found = await ages(commercial);
      const sales = await salesWhere(
        `commercial_id = $1 and status in ('pending', 'contacted', 'in_negotiation') and not ready_for_validation`,
        [commercial.id],
      );
      const older = (days: number) =>
        sales.filter((sale) => Date.now() - Date.parse(sale.createdAt) >= days * 86_400_000).length;
      expect(found.map(({ referrals }) => Number(referrals))).toEqual([
        older(0) - older(7),
        older(7) - older(14),
        older(14) - older(30),
        older(30),
      ]);
    }
    for (const client of clients) {
      const months = await db.become(client, (run) => run<{ earned: string }>('select * from public.client_months()'));
      const cards = await ask(client, 'client_figures');
      expect(total(months, 'earned')).toBe(fromWire(cards['validated_commissions'] ?? ''));
    }
    for (const who of [admin, clients[0]]) if (who !== undefined) expect(await ages(who)).toEqual([]);
  });
});

describe('what the company owes', () => {
  test('[UI-08] acts at once move money between parts and in and out of the sum, which is the ledger’s at every instant', async () => {
    const [admin] = await people('admin');
    if (admin === undefined) throw new Error('no admin');
    const waiting = await db.asOwner<{ id: string }>(
      `insert into public.sales (referred_contact_name, commercial_id, friend_referrer_id, contract_amount, contract_description, ready_for_validation)
       select 'Ami ' || c.id, c.commercial_id, c.id, 900, 'Contrat', true
       from public.profiles c where c.role = 'client' and c.commercial_id is not null limit 8 returning id`,
    );
    const approved = await db.asOwner<{ id: string }>(
      `select r.id from public.payment_requests r where r.status = 'approved' and r.payment_method <> 'virement'
       or r.status = 'pending'`,
    );
    // A client's paid commission is taken back: it becomes their debt, and takes nothing off what others may ask for.
    const takenBack = await db.asOwner<{ id: string }>(
      `select distinct on (b.profile_id) s.id from public.sales s join public.balances b on b.profile_id = s.friend_referrer_id
       where s.admin_validated and s.corrects_sale_id is null and ${available} < s.client_commission_amount
         and not exists (select from public.sales c where c.corrects_sale_id = s.id) limit 5`,
    );
    const before = await partsOf(admin);
    const reads: { parts: string; ledger: string }[] = [];
    const acts = await Promise.all([
      ...waiting.map(({ id }) => outcome(db.become(admin, (run) => run(asSeen.validate, [id, null])))),
      ...approved.map(({ id }) => outcome(db.become(admin, (run) => run(asSeen.decide, [id, 'approved', null])))),
      ...takenBack.map(({ id }) => outcome(db.become(admin, (run) => run(asSeen.cancel, [id, 'Annulé'])))),
      ...Array.from({ length: 20 }, async () =>
        reads.push(
          only(
            await db.become(admin, (run) =>
              run<{ parts: string; ledger: string }>(
                `select (select sum(amount) from public.due_soon() where step not in ('adjusted', 'forecast'))::text as parts,
                   (${ledgerSum})::text as ledger`,
              ),
            ),
          ),
        ),
      ),
    ]);
    expect(acts.filter((act) => act === 'ok').length).toBeGreaterThan(8);
    expect(reads.filter(({ parts, ledger }) => parts !== ledger)).toEqual([]);
    await expectPartsOfLedger(admin);
    const after = await partsOf(admin);
    expect(after.amount('overpaid')).toBeLessThan(before.amount('overpaid'));
    expect(after.amount('to_decide')).toBeLessThan(before.amount('to_decide'));
  });
});

test('[UI-08] a month is compared with as many days of the one before, on its last days with all of it', async () => {
  const [admin] = await people('admin');
  const [client] = await people('client');
  if (admin === undefined || client === undefined) throw new Error('nobody');
  const trendsAt = async (at: string) => {
    const rows = await db.become(admin, async (run) => {
      await run(`select set_config('app.at', $1, true)`, [at]);
      return run<{ what: string; this_month: string; month_before: string }>('select * from public.month_trends()');
    });
    return Object.fromEntries(rows.map((row) => [row.what, [Number(row['this_month']), Number(row['month_before'])]]));
  };
  const counted = async (from: string, to: string) =>
    only(
      await db.asOwner<{ contracts: number; revenue: number; clients: number }>(
        `select coalesce(sum(case when s.contract_left is null then sign(s.contract_amount) else 0 end), 0)::int as contracts,
           coalesce(sum(s.contract_amount), 0)::float as revenue,
           (select count(*)::int from public.profiles p where p.role = 'client' and p.created_at >= $1 and p.created_at < $2) as clients
         from public.commission_payments c join public.sales s on s.id = c.sale_id
         where c.type = 'commercial' and c.created_at >= $1 and c.created_at < $2`,
        [from, to],
      ),
    );
  const expectTrends = async (at: string, before: readonly [string, string], now: readonly [string, string]) => {
    const [was, is] = [await counted(...before), await counted(...now)];
    expect(await trendsAt(at)).toEqual({
      contracts: [is.contracts, was.contracts],
      revenue: [is.revenue, was.revenue],
      clients: [is.clients, was.clients],
    });
    return { was, is };
  };
  // Two months of the year of history that the demo company has.
  const monthsAgo = (months: number) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
  };
  const paris = (month: string, day: string) => `${month}-${day} 00:00 Europe/Paris`;
  const [former, latter] = [monthsAgo(3), monthsAgo(2)];
  const { was, is } = await expectTrends(
    paris(latter, '20'),
    [paris(former, '01'), paris(former, '20')],
    [paris(latter, '01'), paris(latter, '20')],
  );
  expect(was.contracts).toBeGreaterThan(0);
  expect(is.contracts).toBeGreaterThan(0);
  // February is over before March has had as many days; the clocks change on its 29th.
  await expectTrends(
    paris('2026-03', '30'),
    [paris('2026-02', '01'), paris('2026-03', '01')],
    [paris('2026-03', '01'), paris('2026-03', '30')],
  );
  expect(await db.become(client, (run) => run('select * from public.month_trends()'))).toEqual([]);
});

test('[UI-02] a client reads what a friend’s contract gives them, by the scales in force, and nothing of the commercials’ side', async () => {
  const rewards = (who: Person) => db.become(who, (run) => run('select * from public.client_rewards()'));
  const [admin] = await people('admin');
  const [commercial] = await people('commercial');
  const [client] = await people('client');
  if (admin === undefined || commercial === undefined || client === undefined) throw new Error('nobody');
  const inForce = await db.become(admin, (run) =>
    run<{ from: string | null; type: string; amount: string }>(
      `select from_contract_amount as from, client_commission_type as type, client_commission_amount as amount
       from public.commission_rates where archived_at is null and (is_default or from_contract_amount is not null)
       order by from_contract_amount nulls first`,
    ),
  );
  expect(inForce.length).toBeGreaterThan(1);
  expect(await rewards(client)).toEqual(
    inForce.map(({ from, type, amount }) => ({ from_contract_amount: from, type, amount })),
  );
  expect(await rewards(admin)).toEqual([]);
  expect(await rewards(commercial)).toEqual([]);
});

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

// Last: thousands of people who did nothing come with it.
describe('the rows that the lists of people read', () => {
  test('[NV-02][PI-03][LG-02] a page of people reads its own rows, the figures of scales no sale that was counted, the control none of a validation', async () => {
    const [admin] = await people('admin');
    if (admin === undefined) throw new Error('no admin');
    await db.asOwner(
      `insert into auth.users (id, email) select gen_random_uuid(), 'dormeur' || n || '@exemple.example' from generate_series(1, 3000) n`,
    );
    await db.asOwner(
      `insert into public.profiles (id, full_name, email, role, is_test, created_at)
       select u.id, 'Dormeur', u.email, 'client', true, now() - row_number() over () * interval '1 minute' from auth.users u where u.email like 'dormeur%'`,
    );
    await db.become('parrain_service', (run) => run('select private.count_months(1)'));
    await db.asOwner('vacuum analyze');
    type Plan = {
      readonly 'Relation Name'?: string;
      readonly 'Actual Rows': number;
      readonly 'Actual Loops': number;
      readonly Plans?: readonly Plan[];
    };
    const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
    const read = async (sql: string, relation: string) => {
      const {
        'QUERY PLAN': [{ Plan: plan }],
      } = only(
        await db.become(admin, (run) =>
          run<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${sql}`),
        ),
      );
      return nodesOf(plan)
        .filter((node) => node['Relation Name'] === relation)
        .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    };
    for (const order of ['created_at desc, id', 'full_name, id', 'full_name desc, id desc']) {
      const page = `select * from public.client_summaries order by ${order} limit 26`;
      // A page's rows, and as many of the index as share its last key.
      expect([order, (await read(page, 'profiles')) <= 60]).toEqual([order, true]);
      expect(await read(page, 'sales')).toBe(0);
    }
    // Of the control page: the sale of a correction says what it takes back, that of a validation nothing.
    expect(await read(`select sum(amount) from figures.expected_ledger where act = 'validation'`, 'sales')).toBe(0);
    expect(await read('select row_count from figures.counted_payee_accounts', 'profiles')).toBe(0);
    const since = only(
      await db.asOwner<{ n: number }>(
        'select count(*)::int as n from public.sales s, figures.counted_until c where s.created_at >= c.at or s.validated_at >= c.at',
      ),
    ).n;
    for (const sql of [
      'select * from public.commercial_summaries order by revenue desc, id limit 26',
      'select * from public.client_rankings order by revenue_generated desc, id limit 26',
      `select v.commission_rate, sum(v.revenue) from private.validated_in('2000-01-01', '2100-01-01') v group by 1`,
      'select count(*) from public.sleeping_referrers',
    ])
      expect([sql, (await read(sql, 'sales')) <= since]).toEqual([sql, true]);
  });
});
