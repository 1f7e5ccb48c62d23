import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { Client } from 'pg';

import {
  adminFigures,
  availableBalance,
  clientFigures,
  commercialFigures,
  debt,
  referralFigures,
} from '@parrain/domain/balance';
import { fromWire } from '@parrain/domain/money';
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

import { demoAccounts, loadDemo } from '../src/demo.ts';
import { asSeen, createTestDatabase, only } from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { outcome } from './world.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  const client = new Client(db.owner);
  await client.connect();
  await loadDemo(client, {
    passwordHash: 'x',
    sealDetails: (details) => Buffer.from(JSON.stringify(details)),
    today: new Date(),
  });
  await client.end();
  await db.asOwner(
    `insert into auth.sessions (id, user_id, refresh_key_sealed) select id, id, '\\x00' from auth.users`,
  );
});
afterAll(() => db.drop());

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
    const balance = kept ?? { earned: 0n, reversed: 0n, reserved: 0n, paid: 0n };
    expect(fromWire(shown['available'] ?? '')).toBe(availableBalance(balance));
    expect(fromWire(shown['debt'] ?? '')).toBe(debt(balance));
    expect(availableBalance(balance)).toBe(expected.available);
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
}

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

  test('[A-02] la société de démonstration a ses comptes, une année d’histoire, tous les statuts, et tient ses invariants', async () => {
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
    expect((await verify((sql) => db.asOwner(sql))).filter((f) => f.violations.length > 0)).toEqual([]);
    const [notTest] = await db.asOwner<{
      n: number;
    }>(`select (select count(*) from public.profiles where not is_test)::int + (select count(*) from public.sales where not is_test)::int
      + (select count(*) from public.payment_requests where not is_test)::int + (select count(*) from public.commission_rates where not is_test)::int as n`);
    expect(notTest?.n).toBe(0);
  });

  test(
    '[M-04, M-05, M-06, M-07, M-08, M-09, M-10, D-07, AD-03] chaque total est celui que donnent les lignes, au centime',
    expectFiguresToAgree,
  );

  test('[M-10, V-16] après des centaines d’actes au hasard, à plusieurs à la fois, tout tient encore au centime', async () => {
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
      'sale_changed',
    ]);
    expect(Object.keys(counts).filter((code) => !known.has(code))).toEqual([]);
    expect(counts['ok']).toBeGreaterThan(200);
    expect((await verify((sql) => db.asOwner(sql))).filter((f) => f.violations.length > 0)).toEqual([]);
    await expectFiguresToAgree();
  });

  test('[M-10] un tableau lu pendant des validations montre toujours un instant cohérent', async () => {
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
