import { fromWire, sum } from '@parrain/domain/money';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAdmin,
  aScale,
  aValidatedSale,
  asSeen,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';

// PP-04: what each payee was paid in a calendar year of France.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let [ada, bea, cleo] = [] as unknown as [Person, Person, Person];
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  commercial = await aCommercial(db);
  const scale = await aScale(db, {
    isDefault: true,
    clientType: 'fixed',
    clientAmount: '5000.00',
    commercialType: 'fixed',
    commercialAmount: '5000.00',
  });
  const anEarner = async () => {
    const client = await aClient(db, { commercial });
    await aValidatedSale(db, { commercial, friendReferrer: client, scale, admin });
    return client;
  };
  [ada, bea, cleo] = [await anEarner(), await anEarner(), await anEarner()];
  await pay(ada, '1000.01', 'virement', '2024-06-01T10:00:00Z');
  // Midnight in France: the last second of 2023, and the first of 2024.
  await pay(ada, '10.00', 'virement', '2023-12-31T22:59:59Z');
  await pay(ada, '20.00', 'virement', '2023-12-31T23:00:00Z');
  await pay(bea, '300.00', 'cheque_cadeau', '2024-03-01T10:00:00Z');
  await pay(bea, '40.00', 'remise_societe', '2024-03-02T10:00:00Z');
  await pay(bea, '5.00', 'association', '2024-03-03T10:00:00Z');
  // A returned transfer does not count as paid, whichever year it came back in.
  const returned = await pay(cleo, '900.00', 'virement', '2024-12-30T10:00:00Z');
  await db.become(admin, async (run) => {
    await run(`select set_config('app.at', '2025-01-04T10:00:00Z', true)`);
    await run(
      `select d.already from public.payment_requests r, private.return_payment(r.id, 'Compte clos', r.version) d where r.id = $1`,
      [returned],
    );
  });
  await pay(cleo, '60.00', 'virement', '2024-12-31T22:59:59Z');
});
afterAll(() => db.drop());

async function pay(who: Person, amount: string, method: string, at: string): Promise<string> {
  const details = method === 'association' ? { association_name: 'Les Restos' } : {};
  const { id } = only(
    await db.become(who, (run) =>
      run<{ id: string }>('select id from private.request_payment($1, $2, $3, null)', [
        amount,
        method,
        JSON.stringify(details),
      ]),
    ),
  );
  for (const status of ['approved', 'paid']) {
    await db.become(admin, async (run) => {
      await run(`select set_config('app.at', $1, true)`, [at]);
      await run(asSeen.decide, [id, status, null]);
    });
  }
  return id;
}

type Sums = 'paid' | 'gift_cards' | 'discounts' | 'counted' | 'repaid' | 'repaid_left';
type Row = Readonly<Record<'id' | Sums, string>> & {
  readonly status: string | null;
  readonly is_employee: boolean;
};
const das2 = (year: number | null, who = admin, payee: string | null = null) =>
  db.become(who, (run) =>
    run<Row>('select * from public.das2_payees($1, $2) order by is_employee, counted desc, id', [year, payee]),
  );
const sums = async (year: number, payee: string | null = null) =>
  (await das2(year, admin, payee)).map(({ id, paid, counted }) => [nameOf(id), paid, counted]);
const nameOf = (id: string) => ['ada', 'bea', 'cleo'][[ada.id, bea.id, cleo.id].indexOf(id)];
const set = (giftCards: boolean | null, discounts: boolean | null, who = admin) =>
  db.become(who, (run) => run('select private.set_das2_settings($1, $2)', [giftCards, discounts]));

test('[PP-04] a year has what was paid in it by the days of France and did not come back, the largest sum first', async () => {
  expect(await sums(2024)).toEqual([
    ['ada', '1020.01', '1020.01'],
    ['bea', '345.00', '305.00'],
    ['cleo', '60.00', '60.00'],
  ]);
  expect(await sums(2023)).toEqual([['ada', '10.00', '10.00']]);
  expect(await sums(2022)).toEqual([]);
  expect(await sums(2024, bea.id)).toEqual([['bea', '345.00', '305.00']]);
});

test('[PP-04] the sums of a year are the ledger’s settlements of that year less what came back of them', async () => {
  const { amount } = only(
    await db.asOwner<{ amount: string }>(
      `select sum(e.amount)::text as amount from public.ledger_entries e
       where e.act = 'settlement' and extract(year from e.at at time zone 'Europe/Paris') = 2024
         and not exists (select from public.ledger_entries b where b.source_id = e.source_id and b.act = 'return')`,
    ),
  );
  expect(sum((await das2(2024)).map(({ paid }) => fromWire(paid)))).toBe(fromWire(amount));
});

test('[PP-04] gift cards count and discounts do not, until the company says otherwise; the trail says that it did', async () => {
  const counted = async () => only((await das2(2024)).filter(({ id }) => id === bea.id)).counted;
  expect(await counted()).toBe('305.00');
  await set(false, true);
  expect(await counted()).toBe('45.00');
  await set(false, false);
  expect(await counted()).toBe('5.00');
  await set(false, false);
  await set(true, false);
  const trail = await db.asOwner<{ change: string }>(
    `select concat_ws(' ', after ->> 'das2_gift_cards', after ->> 'das2_discounts') as change from public.audit_entries
     where after ? 'das2_gift_cards' order by id`,
  );
  expect(trail.map(({ change }) => change)).toEqual(['false true', 'false false', 'true false']);
});

test('[PP-04] who is employed is marked, and comes last', async () => {
  await db.asOwner(`insert into private.payee_details (payee_id, status) values ($1, 'salarie')`, [ada.id]);
  expect((await das2(2024)).map(({ id, status, is_employee: isEmployee }) => [nameOf(id), status, isEmployee])).toEqual(
    [
      ['bea', null, false],
      ['cleo', null, false],
      ['ada', 'salarie', true],
    ],
  );
});

test('[PP-04] [PO-05] what a commercial was paid by month counts in the year it was paid, an employee’s is marked', async () => {
  // A month that was paid in the first minute of 2024 by the days of France, and one of the year before.
  for (const [month, amount, at] of [
    ['2023-11-01', '2500.00', '2023-12-31T22:59:59Z'],
    ['2023-12-01', '2600.10', '2023-12-31T23:00:00Z'],
    ['2024-01-01', '100.00', '2024-02-02T10:00:00Z'],
  ]) {
    await db.asOwner(
      `insert into public.paid_periods (payee_id, month, amount, paid_at, paid_by, is_test) values ($1, $2, $3, $4, $5, false)`,
      [commercial.id, month, amount, at, admin.id],
    );
  }
  const theirs = async (year: number) => only((await das2(year)).filter(({ id }) => id === commercial.id));
  expect(await theirs(2024)).toMatchObject({ paid: '2700.10', counted: '2700.10', is_employee: false });
  expect(await theirs(2023)).toMatchObject({ paid: '2500.00' });
  expect(await das2(2024, admin, commercial.id)).toHaveLength(1);
  // A month's transfer that a bank sent back, in whichever year, does not count as paid: its line is of a batch of the last days of 2023.
  const { paid: before } = await theirs(2023);
  await db.asOwner(`alter table public.payment_batch_lines disable trigger user`);
  await db.asOwner(`alter table public.payment_batches disable trigger user`);
  await db.asOwner(
    `with batch as (insert into public.payment_batches (made_by, is_test) values ($2, false) returning id),
     iban as (insert into public.payee_ibans (client_id, mark, usable_from) values ($1, sha256('a'), now()) returning id),
     account as (insert into public.bank_accounts (payee_id, holder, iban, iban_id) select $1, 'Agent', 'FR76 •••• •••• 0189', id from iban returning id)
     insert into public.payment_batch_lines (id, batch_id, payee_id, month, amount, account_id, status, decided_at)
     select gen_random_uuid(), b.id, $1, '2023-10-01', 400, a.id, 'paid', now() from batch b cross join account a`,
    [commercial.id, admin.id],
  );
  await db.asOwner(
    `insert into public.paid_periods (payee_id, month, amount, paid_at, paid_by, is_test, method, line_id)
     select l.payee_id, l.month, l.amount, '2023-12-30T12:00:00Z', $2, false, 'virement', l.id
     from public.payment_batch_lines l where l.payee_id = $1`,
    [commercial.id, admin.id],
  );
  expect(await theirs(2023)).toMatchObject({ paid: '2900.00' });
  await db.asOwner(
    `update public.payment_batch_lines set status = 'returned', reason = 'Compte clos' where payee_id = $1`,
    [commercial.id],
  );
  await db.asOwner(
    `update public.paid_periods set returned_at = now(), return_reason = 'Compte clos' where payee_id = $1 and line_id is not null`,
    [commercial.id],
  );
  expect(await theirs(2023)).toMatchObject({ paid: before });
  const paidOut = await db.asOwner<{ amount: string }>(
    `select sum(amount)::text as amount from public.ledger_entries where act = 'payroll' and payee_id = $1
       and extract(year from at at time zone 'Europe/Paris') = 2024`,
    [commercial.id],
  );
  expect(only(paidOut).amount).toBe('2700.10');
  await db.asOwner(`insert into private.payee_details (payee_id, status) values ($1, 'salarie')`, [commercial.id]);
  expect(await theirs(2024)).toMatchObject({ status: 'salarie', is_employee: true });
});

test('[AC-10] a repaid debt lowers the year it was repaid in, never below zero; what is left over is said, what was taken back never came in', async () => {
  const dan = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: dan, admin });
  await pay(dan, '100.00', 'virement', '2021-06-01T10:00:00Z');
  await pay(dan, '20.00', 'remise_societe', '2021-06-01T10:00:00Z');
  await db.become(admin, (run) =>
    run(`select private.start_adjustment($1, -123.46, 'Contrat annulé', 3.46)`, [dan.id]),
  );
  const repay = async (amount: string, debt: string, at: string) =>
    only(
      await db.become(admin, async (run) => {
        await run(`select set_config('app.at', $1, true)`, [at]);
        return run<{ id: string }>(
          `select (s.act).id from private.settle_debt($1, 'repayment', $2, $3, null, 'virement') s`,
          [dan.id, amount, debt],
        );
      }),
    ).id;
  const theirs = async (year: number) => {
    const keys = ['paid', 'counted', 'repaid', 'repaid_left'] as const;
    return (await das2(year, admin, dan.id)).map((row) => keys.map((key) => row[key]).join(' '));
  };
  await repay('30.00', '120.00', '2021-12-31T22:59:59Z');
  expect([await theirs(2021), await theirs(2022)]).toEqual([['120.00 70.00 30.00 0'], []]);
  const mistaken = await repay('80.00', '90.00', '2021-12-31T22:59:59Z');
  expect(await theirs(2021)).toEqual(['120.00 0 110.00 10.00']);
  await db.become(admin, (run) => run(`select private.annul_debt_act($1, 'Saisi deux fois')`, [mistaken]));
  await repay('40.00', '90.00', '2021-12-31T23:00:00Z');
  expect([await theirs(2021), await theirs(2022)]).toEqual([['120.00 70.00 30.00 0'], ['0 0 40.00 40.00']]);
});

test('[PP-04] it is the admin’s alone, and a year is one', async () => {
  for (const who of [commercial, ada]) {
    await expect(das2(2024, who)).rejects.toThrow('forbidden');
    await expect(das2(2024, who, who.id)).rejects.toThrow('forbidden');
    await expect(set(true, true, who)).rejects.toThrow('forbidden');
    await expect(db.become(who, (run) => run('select private.das2_settings_shown()'))).rejects.toThrow('forbidden');
    await expect(db.become(who, (run) => run('select * from private.das2_settings'))).rejects.toThrow(
      'permission denied',
    );
  }
  for (const year of [null, 0, 1999, 3000, -1]) await expect(das2(year)).rejects.toThrow('invalid_input');
});
