import { commissionSteps, sumOfSteps } from '@parrain/domain/commission-steps';
import { exactly } from '@parrain/domain/exact-amount';
import { fromWire } from '@parrain/domain/money';
import { saleRow, saleToDomain } from '@parrain/domain/wire';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  aScale,
  aValidatedSale,
  anAdmin,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { aContract as aContractOf, outcome, race, requestPayment } from './world.ts';

// A validated contract that is taken back in part (LG-04, decision 0030): its entries, its debts, its holds, and what counts it.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  commercial = await aCommercial(db);
  await aScale(db, { isDefault: true });
});
afterAll(async () => {
  expect(await broken()).toEqual([]);
  await db.drop();
});

const broken = async (run: Parameters<typeof brokenInvariants>[0] = db.asOwner) =>
  (await brokenInvariants(run)).map(({ invariant }) => invariant.id);

const aContract = (asked: Parameters<typeof aContractOf>[2] = {}) => aContractOf(db, { admin, commercial }, asked);

type Taken = {
  readonly left: string | null;
  readonly client: string;
  readonly commercial?: string;
  readonly seen: string;
};

/** Asks for a correction with what the screen showed. */
const correct = (sale: { id: string }, { left, client, commercial: of = '0', seen }: Taken, who = admin) =>
  outcome(
    db.become(who, (run) =>
      run(`select private.cancel_validation($1, 'Contrat raccourci', 2, $2, $3, $4, $5)`, [
        sale.id,
        client,
        of,
        left,
        seen,
      ]),
    ),
  );

const entries = async (payee: Person) =>
  (
    await db.asOwner<{ entry: string }>(
      `select concat_ws(' ', act, debit, credit, amount) as entry from public.ledger_entries where payee_id = $1 order by id`,
      [payee.id],
    )
  ).map(({ entry }) => entry);

const figures = async (client: Person) =>
  only(
    await db.become(client, (run) =>
      run(`select available::numeric(14, 2), debt::numeric(14, 2), held::numeric(14, 2), validated_commissions::numeric(14, 2) as validated,
        signed_contracts, sales_generated::numeric(14, 2) as revenue from public.client_figures()`),
    ),
  );

test('[LG-04] corrections of one contract never exceed it, and the last one leaves exactly nothing', async () => {
  const { client, sale } = await aContract({ contractAmount: '1000.05' });
  expect(await correct(sale, { left: '1000.05', client: '0', seen: '1000.05' })).toBe('corrected_amount_out_of_range');
  expect(await correct(sale, { left: '-1', client: '0', seen: '1000.05' })).toBe('corrected_amount_out_of_range');
  expect(await correct(sale, { left: '0.001', client: '0', seen: '1000.05' })).toBe('corrected_amount_out_of_range');
  // 100,01 at 10 % of 1 000,05; 33,34 of 333,35; 0 of 0,04: each is the difference of two roundings.
  expect(await correct(sale, { left: '333.35', client: '66.67', seen: '1000.05' })).toBe('ok');
  expect(await correct(sale, { left: '400.00', client: '0', seen: '333.35' })).toBe('corrected_amount_out_of_range');
  expect(await correct(sale, { left: '0.04', client: '33.34', seen: '333.35' })).toBe('ok');
  expect(await correct(sale, { left: null, client: '0.00', commercial: '50', seen: '0.04' })).toBe('ok');
  expect(await correct(sale, { left: '0.01', client: '0', seen: '0.04' })).toBe('sale_not_cancellable');
  expect(
    await db.asOwner(
      `select sum(contract_amount) as contract, sum(client_commission_amount) as client, sum(commercial_commission_amount) as commercial,
         count(*)::integer as rows from public.sales where id = $1 or corrects_sale_id = $1`,
      [sale.id],
    ),
  ).toEqual([{ contract: '0.00', client: '0.00', commercial: '0.00', rows: 4 }]);
  expect(await entries(client)).toEqual([
    'validation charged available 100.01',
    'correction available charged 66.67',
    'correction available charged 33.34',
  ]);
});

test('[LG-04, AD-12] a correction is of what was on screen, says why, and is an admin’s who is no party to the contract', async () => {
  const { client, sale } = await aContract();
  const half = { left: '500.00', client: '50.00', seen: '1000.00' };
  expect(await correct(sale, half, commercial)).toBe('forbidden');
  expect(await correct(sale, half, client)).toBe('forbidden');
  const asked = (reason: string, seen: string | null) =>
    outcome(
      db.become(admin, (run) =>
        run(`select private.cancel_validation($1, $2, 2, 50, 0, 500, $3)`, [sale.id, reason, seen]),
      ),
    );
  expect(await asked(' ', '1000')).toBe('refusal_reason_required');
  expect(await asked('Raccourci', null)).toBe('seen_required');
  expect(await asked('Raccourci', '999.99')).toBe('sale_changed');
  expect(await correct(sale, { ...half, client: '49.99' })).toBe('sale_changed');
  expect(await correct(sale, half)).toBe('ok');
  // Of another admin, who still sees the whole contract.
  expect(await correct(sale, { left: '400.00', client: '60.00', seen: '1000.00' })).toBe('sale_changed');
  // The same again is the same answer, and writes nothing.
  expect(await correct(sale, half)).toBe('ok');
  expect(await entries(client)).toHaveLength(2);
  expect(
    await db.asOwner('select count(*)::integer as n from public.sales where corrects_sale_id = $1', [sale.id]),
  ).toEqual([{ n: 1 }]);
});

test('[LG-04, M-08] what was paid already becomes a debt, which the next commissions pay', async () => {
  const { client, sale } = await aContract();
  const request = await requestPayment(db, client, '100.00');
  for (const [status, version] of [
    ['approved', 1],
    ['paid', 2],
  ])
    await db.become(admin, (run) =>
      run(`select from private.decide_payment_request($1, $2, 'Note', null, $3, 100)`, [request, status, version]),
    );
  expect(await correct(sale, { left: '250.00', client: '75.00', seen: '1000.00' })).toBe('ok');
  expect(await figures(client)).toMatchObject({ available: '0.00', debt: '75.00', validated: '25.00' });
  expect(await outcome(requestPayment(db, client, '1.00'))).toBe('balance_in_debt');
  const scale = await aScale(db, { clientType: 'fixed', clientAmount: '80' });
  await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
  expect(await figures(client)).toMatchObject({ available: '5.00', debt: '0.00', validated: '105.00' });
});

test('[LG-04, LG-03] what is held goes first, and what is left of it is available at its day', async () => {
  const { client, sale } = await aContract({ holdDays: 30 });
  expect(await correct(sale, { left: '600.00', client: '40.00', seen: '1000.00' })).toBe('ok');
  expect(await figures(client)).toMatchObject({ available: '0.00', held: '60.00', validated: '60.00' });
  const release = () =>
    db.become('parrain_service', async (run) => {
      await run(`select set_config('app.at', (now() + interval '31 days')::text, true)`);
      await run('select private.release_holds($1, 10)', [client.id]);
    });
  await release();
  expect(await correct(sale, { left: '500.00', client: '10.00', seen: '600.00' })).toBe('ok');
  expect(await entries(client)).toEqual([
    'validation charged held 100.00',
    'correction held charged 40.00',
    'release held available 60.00',
    'correction available charged 10.00',
  ]);

  const { client: other, sale: whole } = await aContract({ holdDays: 30 });
  expect(await correct(whole, { left: '600.00', client: '40.00', seen: '1000.00' })).toBe('ok');
  expect(await correct(whole, { left: null, client: '60.00', commercial: '50.00', seen: '600.00' })).toBe('ok');
  await db.become('parrain_service', (run) => run('select private.release_holds($1, 10)', [other.id]));
  expect(await entries(other)).toEqual([
    'validation charged held 100.00',
    'correction held charged 40.00',
    'correction held charged 60.00',
  ]);
});

test('[LG-04, M-04, M-05, D-07] a contract that is reduced stays one signed contract, of what is left of it, wherever it is counted', async () => {
  const seller = await aCommercial(db);
  const client = await aClient(db, { commercial: seller });
  const scale = await aScale(db, {
    clientType: 'percentage',
    clientAmount: '10',
    commercialType: 'percentage',
    commercialAmount: '5',
  });
  const sale = await aValidatedSale(db, {
    commercial: seller,
    friendReferrer: client,
    scale,
    admin,
    contractAmount: '1000.00',
  });
  const counted = async () => ({
    client: await figures(client),
    commercial: only(
      await db.become(seller, (run) =>
        run(`select signed_contracts, validated_contracts, cancelled_validations, referrals, validated_revenue::numeric(14, 2) as revenue,
          commissions_earned::numeric(14, 2) as earned from public.commercial_figures()`),
      ),
    ),
    summary: only(
      await db.become(seller, (run) =>
        run(
          `select signed_contracts, revenue_generated as revenue, total_referrals from public.client_summaries where id = $1`,
          [client.id],
        ),
      ),
    ),
    states: await db.become(admin, (run) =>
      run(
        `select state, sales, contract_amount::numeric(14, 2) as amount from public.person_figures($1) order by state`,
        [client.id],
      ),
    ),
    months: only(
      await db.become(seller, (run) =>
        run(`select contracts, revenue::numeric(14, 2) as revenue
          from public.sales_by_month(private.month_of(now()), (private.month_of(now()) + interval '1 month')::date)`),
      ),
    ),
    network: await db.become(seller, (run) =>
      run(
        `select kind, contracts, revenue::numeric(14, 2) as revenue, commissions::numeric(14, 2) as commissions, is_cancelled
        from public.network_branch('commercial', $1) union all
        select kind, contracts, revenue::numeric(14, 2), commissions::numeric(14, 2), is_cancelled
        from public.network_branch('client', $1, $2)`,
        [seller.id, client.id],
      ),
    ),
    rows: only(
      await db.become(admin, (run) =>
        run(
          `select sum(row_count)::integer as n from figures.counted_sales where corrects_sale_id is not null and commercial_id = $1`,
          [seller.id],
        ),
      ),
    ),
  });
  await db.become(admin, (run) =>
    run(`select private.cancel_validation($1, 'Raccourci', 2, 40, 20, 600, 1000)`, [sale.id]),
  );
  expect(await counted()).toEqual({
    client: {
      available: '60.00',
      debt: '0.00',
      held: '0.00',
      validated: '60.00',
      signed_contracts: '1',
      revenue: '600.00',
    },
    commercial: {
      signed_contracts: '1',
      validated_contracts: '1',
      cancelled_validations: '0',
      referrals: '1',
      revenue: '600.00',
      earned: '30.00',
    },
    summary: { signed_contracts: '1', revenue: '600.00', total_referrals: '1' },
    states: [
      { state: 'correction', sales: '0', amount: '-400.00' },
      { state: 'validated', sales: '1', amount: '1000.00' },
    ],
    months: { contracts: '1', revenue: '600.00' },
    network: [
      { kind: 'client', contracts: '1', revenue: '600.00', commissions: '30.00', is_cancelled: null },
      { kind: 'referral', contracts: null, revenue: '600.00', commissions: '30.00', is_cancelled: false },
    ],
    rows: { n: 1 },
  });
  await db.become(admin, (run) =>
    run(`select private.cancel_validation($1, 'Rompu', 2, 60, 30, null, 600)`, [sale.id]),
  );
  expect(await counted()).toMatchObject({
    client: { available: '0.00', validated: '0.00', signed_contracts: '0', revenue: '0.00' },
    commercial: { validated_contracts: '0', cancelled_validations: '1', revenue: '0.00', earned: '0.00' },
    months: { contracts: '0', revenue: '0.00' },
    network: [
      { kind: 'client', contracts: '0', revenue: '0.00' },
      { kind: 'referral', revenue: '0.00', is_cancelled: true },
    ],
    rows: { n: 2 },
  });
  // Counted anew, and by night, it is the same.
  await db.become('parrain_service', async (run) => {
    await run('select private.recount()');
    await run('select private.count_months(1)');
  });
  expect(await broken()).toEqual([]);
});

test('[LG-04, V-16] corrections, a whole annulment and requests at once: each euro goes back once', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { client, sale } = await aContract();
    const outcomes = await race([
      ...['700.00', '400.00', '700.00', '100.00'].map((left) => async () => {
        const code = await correct(sale, { left, client: String((1000 - Number(left)) / 10), seen: '1000.00' });
        if (code !== 'ok') throw Object.assign(new Error(code), { code: 'PR001' });
      }),
      () => requestPayment(db, client, '60.00'),
      () => requestPayment(db, client, '60.00'),
    ]);
    expect(
      Object.keys(outcomes).filter(
        (code) => !['ok', 'sale_changed', 'amount_out_of_range', 'balance_in_debt'].includes(code),
      ),
    ).toEqual([]);
    const acts = (await entries(client)).map((entry) => entry.split(' ')[0]);
    expect(acts.filter((act) => act === 'correction')).toHaveLength(1);
    expect(acts.filter((act) => act === 'request').length).toBeLessThanOrEqual(1);
  }
  expect(await broken()).toEqual([]);
});

test('[LG-04, P-04] whoever writes: a correction takes from what is left, under the terms of its contract', async () => {
  const { sale } = await aContract();
  expect(await correct(sale, { left: '600.00', client: '40.00', seen: '1000.00' })).toBe('ok');
  const columns = `status, referred_contact_name, contract_description, commercial_id, client_referrer_id, friend_referrer_id,
    ready_for_validation, admin_validated, validated_at, validated_by, client_commission_type, client_commission_rate,
    commercial_commission_type, commercial_commission_rate, is_test`;
  const write = (amount: string, left: string | null, client: string, rate = 'commission_rate') =>
    outcome(
      db.asOwner(
        `insert into public.sales (${columns}, commission_rate, contract_amount, contract_left, client_commission_amount,
           commercial_commission_amount, corrects_sale_id, correction_reason)
         select ${columns}, ${rate}, $2, $3, $4, 0, id, 'Erreur' from public.sales where id = $1`,
        [sale.id, amount, left, client],
      ),
    );
  expect(await write('-400.00', '600.00', '-40.00')).toBe('23514');
  expect(await write('-700.00', null, '-70.00')).toBe('23514');
  expect(await write('-100.00', '400.00', '-10.00')).toBe('23514');
  expect(await write('-100.00', '500.00', '-9.99')).toBe('sales_commissions_are_those_of_their_terms');
  expect(
    await write(
      '-100.00',
      '500.00',
      '-10.00',
      '(select r.id from public.commission_rates r where r.id <> commission_rate limit 1)',
    ),
  ).toBe('23514');
});

test('[LG-05] the steps of « Pourquoi ? » add up to what the database records, of any contract and any of its corrections', async () => {
  const cents = fc.bigInt({ min: 1n, max: 999_999_999n });
  const euros = (amount: bigint) => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
  const cases = fc
    .sample(fc.tuple(cents, cents, fc.bigInt({ min: 1n, max: 10_000n }), fc.boolean()), 2000)
    .map(([contract, left, rate, isFixed]) => ({ contract, left: left % contract, rate, isFixed }));
  const recorded = await db.asOwner<{ whole: string; part: string }>(
    `select private.commission(type, rate, contract) as whole,
       private.commission(type, rate, left_) - private.commission(type, rate, contract) as part
     from unnest($1::text[], $2::numeric[], $3::numeric[], $4::numeric[]) with ordinality c (type, rate, contract, left_, place)
     order by place`,
    [
      cases.map(({ isFixed }) => (isFixed ? 'fixed' : 'percentage')),
      cases.map(({ rate }) => euros(rate)),
      cases.map(({ contract }) => euros(contract)),
      cases.map(({ left }) => euros(left)),
    ],
  );
  for (const [index, { contract, left, rate, isFixed }] of cases.entries()) {
    const terms = isFixed
      ? ({ type: 'fixed', amount: rate } as const)
      : ({ type: 'percentage', basisPoints: rate } as const);
    const whole = commissionSteps({ terms, contractAmount: contract, contractLeft: null, hasPayee: true });
    const part = commissionSteps({
      terms,
      contractAmount: left - contract,
      contractLeft: left === 0n ? null : left,
      hasPayee: true,
    });
    expect([sumOfSteps(whole), sumOfSteps(part)]).toEqual([
      exactly(fromWire(recorded[index]?.whole ?? '')),
      exactly(fromWire(recorded[index]?.part ?? '')),
    ]);
  }
  // And of rows that stand there, as the screens read them.
  const { sale: corrected } = await aContract({ contractAmount: '1000.05' });
  expect(await correct(corrected, { left: '333.35', client: '66.67', seen: '1000.05' })).toBe('ok');
  expect(await correct(corrected, { left: null, client: '33.34', commercial: '50', seen: '333.35' })).toBe('ok');
  const rows = await db.asOwner<{ sale: unknown }>(
    `select to_jsonb(s) || '{"commercial": null, "client_referrer": null, "friend_referrer": null}' as sale
     from public.sales s where s.admin_validated`,
  );
  expect(rows.length).toBeGreaterThanOrEqual(3);
  for (const { sale } of rows.map((row) => ({ sale: saleToDomain(saleRow.parse(row.sale)) }))) {
    const steps = (side: 'client' | 'commercial') =>
      commissionSteps({
        terms: sale.scale?.[side] ?? { type: 'fixed', amount: 0n },
        contractAmount: sale.contractAmount ?? 0n,
        contractLeft: sale.contractLeft ?? null,
        hasPayee: side === 'commercial' || sale.friendReferrerId !== null,
      });
    expect([sumOfSteps(steps('client')), sumOfSteps(steps('commercial'))]).toEqual([
      exactly(sale.clientCommissionAmount ?? 0n),
      exactly(sale.commercialCommissionAmount ?? 0n),
    ]);
  }
});
