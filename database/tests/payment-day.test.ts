import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  asSeen,
  aSale,
  aScale,
  aValidatedSale,
  brokenInvariants,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { outcome } from './world.ts';

// AC-01: what was paid in December and is marked in January is of December, everywhere.

const ASKED = '2025-12-10 15:00';
const APPROVED = '2025-12-22 16:30';
const JANUARY = '2026-01-05 10:00';

let db: TestDatabase;
let admin: Person;
let other: Person;
let commercial: Person;
let scale: { readonly id: string };
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, other] = [await anAdmin(db), await anAdmin(db)];
  commercial = await aCommercial(db);
  scale = await aScale(db, { isDefault: true });
  await db.asOwner(
    `insert into private.company_account (holder, iban_shown, sealed) values ('Lumeo', 'FR76 •••• •••• 0189', '\\x01')`,
  );
});
afterAll(async () => {
  expect(await brokenInvariants(db.asOwner)).toEqual([]);
  await db.drop();
});

/** Runs as somebody, at an instant of France. */
const at = <Row extends object>(instant: string, who: Person, text: string, values: readonly unknown[] = []) =>
  db.become(who, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [`${instant} Europe/Paris`]);
    return run<Row & Record<string, unknown>>(text, [...values]);
  });
/** A client with transfers of these amounts, asked for on 10 December and approved on the 22nd. */
async function approved(...amounts: string[]): Promise<{ client: Person; ids: string[] }> {
  const client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
  const ids: string[] = [];
  for (const amount of amounts) {
    const { id } = only(
      await at<{ id: string }>(
        ASKED,
        client,
        `select id from private.request_payment($1, 'virement', '{"iban": "FR76 •••• •••• 0189"}', '\\x01', sha256('a'))`,
        [amount],
      ),
    );
    await decide(id, 'approved', null, APPROVED);
    ids.push(id);
  }
  return { client, ids };
}
/** A contract of 12 November, of which its commercial has 50 €. */
async function contractOf(earner: Person): Promise<void> {
  const { id } = await aSale(db, { commercial: earner, isReady: true, contractAmount: '1000.00' });
  await at('2025-11-12 10:00', admin, asSeen.validate, [id, scale.id]);
}
const decide = (id: string, status: string, on: string | null, instant = JANUARY) =>
  at(
    instant,
    admin,
    `select d.already from public.payment_requests r,
       private.decide_payment_request(r.id, $2, null, null, r.version, null, p_paid_on => $3) d where r.id = $1`,
    [id, status, on],
  );
const giveBack = (id: string, on: string | null) =>
  at(
    '2026-02-03 09:00',
    admin,
    `select d.already from public.payment_requests r, private.return_payment(r.id, 'Le compte est clos.', r.version, $2) d where r.id = $1`,
    [id, on],
  );
const instant = (column: string) => `to_char(${column} at time zone 'Europe/Paris', 'YYYY-MM-DD HH24:MI')`;
const timesOf = async (id: string) =>
  only(
    await db.asOwner<{ paid: string | null; returned: string | null }>(
      `select ${instant('paid_at')} as paid, ${instant('returned_at')} as returned from public.payment_requests where id = $1`,
      [id],
    ),
  );
/** The acts of the ledger on a request or a month after its asking, by their instants. */
const postedOf = async (source: string) =>
  (
    await db.asOwner<{ said: string }>(
      `select act || ' ' || ${instant('at')} as said from public.ledger_entries where source_id = $1 and act not in ('request') order by id`,
      [source],
    )
  ).map(({ said }) => said);
const paidIn = async (year: number, payee: Person) =>
  (
    await db.become(admin, (run) =>
      run<{ paid: string }>('select paid from public.das2_payees($1, $2)', [year, payee.id]),
    )
  ).map(({ paid }) => paid);

/** A sent batch of two transfers, made on 22 December for the 23rd. */
async function sentBatch() {
  const { client, ids } = await approved('50.00', '30.00');
  const instantOfBatch = '2025-12-22 17:00';
  const { id } = only(
    await at<{ id: string }>(instantOfBatch, admin, 'select private.make_batch($1, $2) as id', [ids, '80.00']),
  );
  await at(instantOfBatch, other, `select private.release_batch($1, 1, 80, '2025-12-23', '09', '\\x01', sha256('x'))`, [
    id,
  ]);
  return { client, batch: id, first: ids[0] ?? '', second: ids[1] ?? '' };
}
const settle = (batch: string, outcomes: readonly object[] | null, on: string | null = null, instantOf = JANUARY) =>
  at(instantOf, admin, 'select * from private.settle_batch($1, $2::jsonb, $3)', [
    batch,
    outcomes === null ? null : JSON.stringify(outcomes),
    on,
  ]);

test('[AC-01] a payment is of the day that is said, in its request, the ledger and the DAS2; of today where none is said', async () => {
  const { client, ids } = await approved('50.00', '30.00', '20.00');
  const [earlier = '', today = '', unsaid = ''] = ids;
  await decide(earlier, 'paid', '2025-12-24');
  await decide(today, 'paid', '2026-01-05');
  await decide(unsaid, 'paid', null);
  expect(await timesOf(earlier)).toEqual({ paid: '2025-12-24 12:00', returned: null });
  expect(await timesOf(today)).toEqual({ paid: JANUARY, returned: null });
  expect(await timesOf(unsaid)).toEqual({ paid: JANUARY, returned: null });
  expect(await postedOf(earlier)).toEqual(['settlement 2025-12-24 12:00']);
  expect([await paidIn(2025, client), await paidIn(2026, client)]).toEqual([['50.00'], ['50.00']]);
  const journal = await at<{ ref: string; total: string }>(
    JANUARY,
    admin,
    `select "PieceRef" as ref, sum("Debit")::text as total from private.accounting_lines('2025-12-01', '2026-01-01')
     where "EcritureLib" like 'Paiement%' group by 1`,
  );
  expect(journal).toEqual([{ ref: `DEM-${earlier.slice(0, 8).toUpperCase()}`, total: '50.00' }]);
});

test('[AC-01] a payment is never before its request, even on the day of it', async () => {
  const { ids } = await approved('50.00');
  await decide(ids[0] ?? '', 'paid', '2025-12-10');
  expect(await timesOf(ids[0] ?? '')).toEqual({ paid: ASKED, returned: null });
});

test('[AC-01] a day to come, or before the request, is refused, and nothing is written', async () => {
  const { ids } = await approved('50.00');
  for (const day of ['2026-01-06', '2025-12-09', '2024-12-24'])
    expect(await outcome(decide(ids[0] ?? '', 'paid', day))).toBe('payment_day_refused');
  expect(await timesOf(ids[0] ?? '')).toEqual({ paid: null, returned: null });
  expect(await postedOf(ids[0] ?? '')).toEqual([]);
});

test('[AC-01] what comes back has its own day too, from that of its payment on', async () => {
  const { client, ids } = await approved('50.00');
  const [id = ''] = ids;
  await decide(id, 'paid', '2025-12-24');
  for (const day of ['2025-12-23', '2026-02-04']) expect(await outcome(giveBack(id, day))).toBe('payment_day_refused');
  await giveBack(id, '2025-12-29');
  expect(await postedOf(id)).toEqual(['settlement 2025-12-24 12:00', 'return 2025-12-29 12:00']);
  expect(await paidIn(2025, client)).toEqual([]);
});

test('[AC-01] a batch is paid on the day that is said; a line on that of the bank’s file, brought between batch and today', async () => {
  const whole = await sentBatch();
  expect(await outcome(settle(whole.batch, null, '2025-12-21'))).toBe('payment_day_refused');
  await settle(whole.batch, null, '2025-12-23');
  expect([await timesOf(whole.first), await timesOf(whole.second)].map(({ paid }) => paid)).toEqual([
    '2025-12-23 12:00',
    '2025-12-23 12:00',
  ]);
  const line = await sentBatch();
  await settle(line.batch, [
    { request_id: line.first, status: 'paid', day: '2025-12-24' },
    { request_id: line.second, status: 'paid', day: '2025-12-01' },
  ]);
  const { paid: settled } = only(
    await db.asOwner<{ paid: string }>(
      `select ${instant('settled_at')} as paid from public.payment_batches where id = $1`,
      [line.batch],
    ),
  );
  expect(settled).toBe('2025-12-24 12:00');
  expect(await timesOf(line.first)).toMatchObject({ paid: '2025-12-24 12:00' });
  expect(await timesOf(line.second)).toMatchObject({ paid: '2025-12-22 17:00' });
  const back = (request_id: string, day: string) => ({ request_id, status: 'returned', reason: 'Clos', day });
  await settle(line.batch, [back(line.first, '2025-12-30'), back(line.second, '2099-01-01')]);
  expect(await timesOf(line.first)).toMatchObject({ returned: '2025-12-30 12:00' });
  expect(await timesOf(line.second)).toMatchObject({ returned: JANUARY });
});

test('[AC-01] the month of a commercial is paid on the day that is said, once that month is over', async () => {
  const earner = await aCommercial(db);
  await contractOf(earner);
  const pay = (on: string | null) =>
    at(JANUARY, admin, `select paid, already from private.pay_periods('2025-11-01', $1::jsonb, $2)`, [
      JSON.stringify([{ payee_id: earner.id, amount: '50.00' }]),
      on,
    ]);
  for (const day of ['2025-11-30', '2026-01-06']) expect(await outcome(pay(day))).toBe('payment_day_refused');
  await pay('2025-12-05');
  const { id } = only(
    await db.asOwner<{ id: string }>('select id from public.paid_periods where payee_id = $1', [earner.id]),
  );
  expect(await postedOf(id)).toEqual(['payroll 2025-12-05 12:00']);
});

test('[AC-01] a month in a batch is paid, and comes back, on the days of the bank’s file', async () => {
  const agent = await aCommercial(db);
  await at(
    ASKED,
    agent,
    `select private.set_payee_details($1, 'agent', 'Noé Petit', '12 rue des Lilas', '35000', 'Rennes', '404833048', null, false, null)`,
    [agent.id],
  );
  await at(
    ASKED,
    agent,
    `select from private.set_bank_account('Noé Petit', 'FR76 •••• •••• 0189', '\\x01', sha256('noé'))`,
  );
  await contractOf(agent);
  const made = '2025-12-22 17:00';
  const months = JSON.stringify([{ payee_id: agent.id, month: '2025-11-01', amount: '50.00' }]);
  const { id } = only(
    await at<{ id: string }>(made, admin, `select private.make_batch('{}', 50, $1::jsonb) as id`, [months]),
  );
  await at(made, other, `select private.release_batch($1, 1, 50, '2025-12-23', '09', '\\x01', sha256('x'))`, [id]);
  const line = only(
    await db.asOwner<{ id: string }>('select id from public.payment_batch_lines where batch_id = $1', [id]),
  ).id;
  await settle(id, [{ request_id: line, status: 'paid', day: '2025-12-24' }]);
  await settle(id, [{ request_id: line, status: 'returned', reason: 'Clos', day: '2025-12-30' }]);
  const period = only(
    await db.asOwner<{ id: string }>('select id from public.paid_periods where line_id = $1', [line]),
  ).id;
  expect(await postedOf(period)).toEqual(['payroll 2025-12-24 12:00', 'return 2025-12-30 12:00']);
});

test('[AC-01] a day that the control has counted is counted again', async () => {
  const { ids } = await approved('50.00');
  const settlements = async () =>
    only(
      await db.become(admin, (run) =>
        run<{ ledger: string; lists: string }>(
          `select ledger::text, lists::text from public.account_control('2025-12-01', '2026-01-01')
           where act = 'settlement' and detail = 'virement'`,
        ),
      ),
    );
  await db.asOwner('select private.count_control()');
  const before = await settlements();
  await decide(ids[0] ?? '', 'paid', '2025-12-28');
  const after = await settlements();
  expect(Number(after.ledger) - Number(before.ledger)).toBe(50);
  expect(after.lists).toBe(after.ledger);
});

test('[AC-01] [PP-02] paid in a quarter whose statement is made, a month stands in the next one, which opens where that one closed', async () => {
  const agent = await aCommercial(db);
  const address = `'12 rue des Lilas', '35000', 'Rennes', '732829320'`;
  await at(ASKED, admin, `select private.set_paper_settings(true, 'Lumeo Habitat', ${address}, null, 15)`);
  await at(
    ASKED,
    agent,
    `select private.set_payee_details($1, 'agent', 'Noé Petit', ${address.replace('732829320', '404833048')}, null, false, null)`,
    [agent.id],
  );
  await contractOf(agent);
  const statement = async (month: string) => {
    await db.asOwner(
      `with later as materialized (select set_config('app.at', $1 || '-01 02:00 Europe/Paris', true) as at)
       select private.make_quarterly_statements(case when at <> '' then 10 end) from later`,
      [month],
    );
    return only(
      await db.asOwner<{ opening: string; closing: string; acts: string[] }>(
        `select content ->> 'opening' as opening, content ->> 'closing' as closing,
           (select array_agg(l ->> 'act' || ' ' || left(l ->> 'at', 10)) from jsonb_array_elements(content -> 'lines') l) as acts
         from public.papers where payee_id = $1 and quarter is not null order by quarter desc limit 1`,
        [agent.id],
      ),
    );
  };
  expect(await statement('2026-01')).toEqual({ opening: '0', closing: '50.00', acts: ['validation 2025-11-12'] });
  await at(JANUARY, admin, `select paid from private.pay_periods('2025-11-01', $1::jsonb, '2025-12-05')`, [
    JSON.stringify([{ payee_id: agent.id, amount: '50.00' }]),
  ]);
  expect(await statement('2026-04')).toEqual({ opening: '50.00', closing: '0.00', acts: ['payroll 2025-12-05'] });
  await at(JANUARY, admin, `select private.set_paper_settings(false, 'Lumeo Habitat', ${address}, null, 15)`);
});

test('[AC-01] a closed month takes no payment', async () => {
  const { ids } = await approved('50.00');
  await at(JANUARY, admin, `select private.close_accounting_months('2025-12-01')`);
  expect(await outcome(decide(ids[0] ?? '', 'paid', '2025-12-31'))).toBe('accounting_month_closed');
  expect(await outcome(decide(ids[0] ?? '', 'paid', '2026-01-02'))).toBe('ok');
});
