import type { Balance } from '@parrain/domain/balance';
import { correctionOf } from '@parrain/domain/commission';
import { correctedBalance } from '@parrain/domain/corrected-balance';
import { fromWire, toWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import { balanceRow, balanceToDomain, saleRow, saleToDomain } from '@parrain/domain/wire';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  aSale,
  aScale,
  anAdmin,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { aContract as aContractOf, outcome, race, requestPayment } from './world.ts';

// « Corriger le contrat » (UI-11): a validated contract's new amount, below or above, its entries, its holds and what counts it.

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

const broken = async () => (await brokenInvariants(db.asOwner)).map(({ invariant }) => invariant.id);

async function aContract({
  seller = commercial,
  ...asked
}: Parameters<typeof aContractOf>[2] & { seller?: Person } = {}) {
  const { client, sale } = await aContractOf(db, { admin, commercial: seller }, asked);
  return { client, id: sale.id };
}

type Asked = {
  readonly from: string;
  readonly to: string;
  readonly client: string;
  readonly made?: number;
  readonly reason?: string;
  readonly of?: string;
};

/** Asks for a correction with what the screen showed: the contract, how often it was corrected, and what the scale gives for its new amount. */
const ask = (id: string, { from, to, client, made = 0, reason = 'Avenant', of = '50' }: Asked, who = admin) =>
  db.become(who, (run) =>
    run<{ already: boolean }>('select already from private.correct_contract($1, $2, 2, $3, $4, $5, $6, $7)', [
      id,
      reason,
      made,
      from,
      to,
      client,
      of,
    ]),
  );
const correct = (id: string, asked: Asked, who = admin) => outcome(ask(id, asked, who));

const entries = async (payee: Person) =>
  (
    await db.asOwner<{ entry: string }>(
      `select concat_ws(' ', act, debit, credit, amount) as entry from public.ledger_entries where payee_id = $1 order by id`,
      [payee.id],
    )
  ).map(({ entry }) => entry);
const balanceOf = async (payee: Person) =>
  balanceToDomain(
    balanceRow.parse(
      (await db.asOwner('select * from public.balances where profile_id = $1', [payee.id]))[0] ?? {
        profile_id: payee.id,
        earned: 0,
        reversed: 0,
        held: 0,
        reserved: 0,
        paid: 0,
      },
    ),
  );
const leftOf = async (id: string) =>
  only(await db.asOwner<{ left: string }>('select private.left_of_contract($1) as left', [id])).left;

test('[UI-11, LG-04] a contract goes down, up and back; each correction is one more entry, and the whole annulment leaves nothing', async () => {
  const { client, id } = await aContract({ contractAmount: '1000.05' });
  const before = await db.asOwner('select to_jsonb(s) from public.sales s where id = $1', [id]);
  // 10 % of 1 000,05 is 100,005: 100,01. Of 1 250,04, 125,00.
  expect(await correct(id, { from: '1000.05', to: '1250.04', client: '125.00' })).toBe('ok');
  expect(await correct(id, { from: '1250.04', to: '333.35', client: '33.34', made: 1 })).toBe('ok');
  // An amount that it had before.
  expect(await correct(id, { from: '333.35', to: '1250.04', client: '125.00', made: 2 })).toBe('ok');
  expect(await entries(client)).toEqual([
    'validation charged available 100.01',
    'validation charged available 24.99',
    'correction available charged 91.66',
    'validation charged available 91.66',
  ]);
  expect(await leftOf(id)).toBe('1250.04');
  expect(
    await outcome(
      db.become(admin, (run) => run(`select private.cancel_validation($1, 'Rompu', 2, 125, 50, null, 1250.04)`, [id])),
    ),
  ).toBe('ok');
  expect(
    await db.asOwner(
      `select sum(contract_amount) as contract, sum(client_commission_amount) as client,
         sum(commercial_commission_amount) as commercial, count(*)::integer as rows
       from public.sales where id = $1 or corrects_sale_id = $1`,
      [id],
    ),
  ).toEqual([{ contract: '0.00', client: '0.00', commercial: '0.00', rows: 5 }]);
  expect(await correct(id, { from: '0', to: '10.00', client: '1.00', made: 4 })).toBe('contract_not_correctable');
  // The validated sale was never rewritten.
  expect(await db.asOwner('select to_jsonb(s) from public.sales s where id = $1', [id])).toEqual(before);
});

test('[UI-11] a repeated request is one correction, also where the amount came back; what another admin saw before is refused', async () => {
  const { client, id } = await aContract();
  const up = { from: '1000.00', to: '1200.00', client: '120.00' };
  expect(await ask(id, up)).toEqual([{ already: false }]);
  expect(await ask(id, up)).toEqual([{ already: true }]);
  expect(await correct(id, { ...up, to: '1300.00', client: '130.00' })).toBe('sale_changed');
  expect(await correct(id, { from: '1200.00', to: '1000.00', client: '100.00', made: 1 })).toBe('ok');
  // The amount is the first one's again: the first request, once more, would be a third correction.
  expect(await correct(id, up)).toBe('sale_changed');
  expect(await entries(client)).toHaveLength(3);
});

test('[UI-11, AD-12] a correction says why, is of what was on screen, and is an admin’s who is no party to the contract', async () => {
  const { client, id } = await aContract();
  const up = { from: '1000.00', to: '1200.00', client: '120.00' };
  expect(await correct(id, up, commercial)).toBe('forbidden');
  expect(await correct(id, up, client)).toBe('forbidden');
  expect(await correct(id, { ...up, reason: ' ' })).toBe('refusal_reason_required');
  expect(await correct(id, { ...up, client: '119.99' })).toBe('sale_changed');
  expect(await correct(id, { ...up, of: '51' })).toBe('sale_changed');
  expect(await correct(id, { ...up, from: '999.99' })).toBe('sale_changed');
  for (const to of ['0', '-1', '1000.00', '1200.001', '10000000', 'NaN'])
    expect(await correct(id, { ...up, to, client: '0' })).toBe('corrected_amount_invalid');
  expect(await entries(client)).toHaveLength(1);
});

test('[UI-11, M-08] what was paid already becomes a debt, and an increase pays it back', async () => {
  const { client, id } = await aContract();
  const request = await requestPayment(db, client, '100.00');
  for (const [status, version] of [
    ['approved', 1],
    ['paid', 2],
  ])
    await db.become(admin, (run) =>
      run(`select from private.decide_payment_request($1, $2, 'Note', null, $3, 100)`, [request, status, version]),
    );
  const paid = await db.asOwner(`select * from public.ledger_entries where payee_id = $1 order by id`, [client.id]);
  expect(await correct(id, { from: '1000.00', to: '250.00', client: '25.00' })).toBe('ok');
  expect(await outcome(requestPayment(db, client, '1.00'))).toBe('balance_in_debt');
  expect(await correct(id, { from: '250.00', to: '1300.00', client: '130.00', made: 1 })).toBe('ok');
  expect(await outcome(requestPayment(db, client, '30.00'))).toBe('ok');
  expect(
    (await db.asOwner(`select * from public.ledger_entries where payee_id = $1 order by id`, [client.id])).slice(0, 3),
  ).toEqual(paid);
});

test('[UI-11, LG-03] what is added is kept as long as what it is added to; what is taken goes first from there', async () => {
  const release = (client: Person) =>
    db.become('parrain_service', async (run) => {
      await run(`select set_config('app.at', (now() + interval '31 days')::text, true)`);
      await run('select private.release_holds($1, 10)', [client.id]);
    });
  const { client, id } = await aContract({ holdDays: 30 });
  expect(await correct(id, { from: '1000.00', to: '2000.00', client: '200.00' })).toBe('ok');
  // More than the contract had at first.
  expect(await correct(id, { from: '2000.00', to: '500.00', client: '50.00', made: 1 })).toBe('ok');
  expect(await correct(id, { from: '500.00', to: '600.00', client: '60.00', made: 2 })).toBe('ok');
  expect(await balanceOf(client)).toMatchObject({ held: 6000n });
  await release(client);
  expect(await correct(id, { from: '600.00', to: '700.00', client: '70.00', made: 3 })).toBe('ok');
  expect(await entries(client)).toEqual([
    'validation charged held 100.00',
    'validation charged held 100.00',
    'correction held charged 150.00',
    'validation charged held 10.00',
    'release held available 60.00',
    'validation charged available 10.00',
  ]);

  const { client: other, id: whole } = await aContract({ holdDays: 30 });
  expect(await correct(whole, { from: '1000.00', to: '1500.00', client: '150.00' })).toBe('ok');
  await db.become(admin, (run) =>
    run(`select private.cancel_validation($1, 'Rompu', 2, 150, 50, null, 1500)`, [whole]),
  );
  await release(other);
  expect(await entries(other)).toEqual([
    'validation charged held 100.00',
    'validation charged held 50.00',
    'correction held charged 150.00',
  ]);

  // A commission that was wholly taken back is kept no longer: what came back would be free before its day.
  const { id: spent } = await aContract({ holdDays: 30 });
  expect(await correct(spent, { from: '1000.00', to: '0.01', client: '0.00' })).toBe('ok');
  expect(await correct(spent, { from: '0.01', to: '1000.00', client: '100.00', made: 1 })).toBe('contract_cannot_grow');
});

test('[UI-11, FD-01] what is added to a doubtful contract is kept with it; where its money is free already nothing is added', async () => {
  const doubt = (id: string) =>
    db.asOwner(
      `insert into public.doubtful_cases (sale_id, payee_id) select s.id, s.friend_referrer_id from public.sales s where s.id = $1`,
      [id],
    );
  await db.asOwner('update public.company_settings set hold_doubtful = true');
  const { id: free } = await aContract();
  await doubt(free);
  expect(await correct(free, { from: '1000.00', to: '1200.00', client: '120.00' })).toBe('contract_cannot_grow');
  // Nothing is added to the commercial's fixed amount, less is left to the client.
  expect(await correct(free, { from: '1000.00', to: '800.00', client: '80.00' })).toBe('ok');
  const client = await aClient(db, { commercial });
  const scale = await aScale(db, {
    clientType: 'percentage',
    clientAmount: '10',
    commercialType: 'fixed',
    commercialAmount: '50',
  });
  const { id: kept } = await aSale(db, {
    commercial,
    friendReferrer: client,
    scale,
    contractAmount: '1000.00',
    isReady: true,
  });
  await doubt(kept);
  await db.become(admin, (run) => run(`select private.validate_sale($1, $2, 1, 1000, 100, 50)`, [kept, scale.id]));
  expect(await correct(kept, { from: '1000.00', to: '1200.00', client: '120.00' })).toBe('ok');
  expect(await balanceOf(client)).toMatchObject({ earned: 12_000n, held: 12_000n });
  await db.asOwner('update public.company_settings set hold_doubtful = false');
  expect(await correct(free, { from: '800.00', to: '900.00', client: '90.00', made: 1 })).toBe('ok');
});

test('[UI-11] what the dialog shows is what is written: commissions and balances, of any contract and any corrections', async () => {
  const cents = fc.bigInt({ min: 1n, max: 2_000_000n });
  const plays = fc.sample(
    fc.record({
      contract: cents,
      rate: fc.bigInt({ min: 1n, max: 10_000n }),
      holdDays: fc.constantFrom(0, 30),
      steps: fc.array(cents, { minLength: 1, maxLength: 4 }),
    }),
    12,
  );
  for (const { contract, rate, holdDays, steps } of plays) {
    const seller = await aCommercial(db);
    const { client, id } = await aContract({
      contractAmount: toWire(contract),
      clientAmount: toWire(rate),
      isOfShares: true,
      holdDays,
      seller,
    });
    const [{ sale: row }] = (await db.asOwner<{ sale: unknown }>(
      `select to_jsonb(s) || '{"commercial": null, "client_referrer": null, "friend_referrer": null}' as sale
       from public.sales s where s.id = $1`,
      [id],
    )) as [{ sale: unknown }];
    const sale = saleToDomain(saleRow.parse(row));
    let before: Cents = contract;
    let made = 0;
    for (const after of steps) {
      if (after === before) continue;
      const shown = correctionOf(sale, { before, after }, sale.scale ?? never());
      const expected: Balance[] = [];
      for (const [payee, type] of [
        [client, 'client'],
        [seller, 'commercial'],
      ] as const) {
        const [kept] = await db.asOwner<{ amount: string }>(
          `select h.amount from public.commission_holds h join public.commission_payments p on p.id = h.commission_id
           where p.sale_id = $1 and p.type = $2 and h.ended_at is null`,
          [id, type],
        );
        const change = shown.after[type] - shown.before[type];
        expected.push(correctedBalance(await balanceOf(payee), change, fromWire(kept?.amount ?? 0)));
      }
      const code = await correct(id, {
        from: toWire(before),
        to: toWire(after),
        client: toWire(shown.after.client),
        of: toWire(shown.after.commercial),
        made,
      });
      // A commission of nothing is kept nowhere: what is added to it is not either.
      if (code === 'contract_cannot_grow') break;
      expect(code).toBe('ok');
      expect([await balanceOf(client), await balanceOf(seller)]).toEqual(expected);
      before = after;
      made += 1;
    }
  }
  expect(await broken()).toEqual([]);
});

function never(): never {
  throw new Error('A validated sale keeps its scale');
}

test('[UI-11, D-07] a contract that is increased stays one signed contract, of its new amount, wherever it is counted', async () => {
  const seller = await aCommercial(db);
  const { client, id } = await aContract({ seller });
  const counted = async () => ({
    commercial: only(
      await db.become(seller, (run) =>
        run(`select signed_contracts, validated_contracts, cancelled_validations, validated_revenue::numeric(14, 2) as revenue
             from public.commercial_figures()`),
      ),
    ),
    summary: only(
      await db.become(seller, (run) =>
        run('select signed_contracts, revenue_generated as revenue from public.client_summaries where id = $1', [
          client.id,
        ]),
      ),
    ),
    month: only(
      await db.become(seller, (run) =>
        run(`select contracts, revenue::numeric(14, 2) as revenue
          from public.sales_by_month(private.month_of(now()), (private.month_of(now()) + interval '1 month')::date)`),
      ),
    ),
  });
  expect(await correct(id, { from: '1000.00', to: '1500.00', client: '150.00' })).toBe('ok');
  const expected = {
    commercial: { signed_contracts: '1', validated_contracts: '1', cancelled_validations: '0', revenue: '1500.00' },
    summary: { signed_contracts: '1', revenue: '1500.00' },
    month: { contracts: '1', revenue: '1500.00' },
  };
  expect(await counted()).toEqual(expected);
  await db.become('parrain_service', async (run) => {
    await run('select private.recount()');
    await run('select private.count_months(1)');
  });
  expect(await counted()).toEqual(expected);
});

test('[UI-11, V-16] corrections both ways, a whole annulment and requests at once: one correction, and the ledger adds up', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { client, id } = await aContract();
    const outcomes = await race([
      ...['700.00', '1400.00', '700.00', '1100.00'].map(
        (to) => () => ask(id, { from: '1000.00', to, client: String(Number(to) / 10) }),
      ),
      () =>
        db.become(admin, (run) => run(`select private.cancel_validation($1, 'Rompu', 2, 100, 50, null, 1000)`, [id])),
      () => requestPayment(db, client, '60.00'),
    ]);
    expect(
      Object.keys(outcomes).filter(
        (code) =>
          !['ok', 'sale_changed', 'contract_not_correctable', 'amount_out_of_range', 'balance_in_debt'].includes(code),
      ),
    ).toEqual([]);
    expect(
      await db.asOwner('select count(*)::integer as n from public.sales where corrects_sale_id = $1', [id]),
    ).toEqual([{ n: 1 }]);
  }
  expect(await broken()).toEqual([]);
});
