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
import { verify } from '../src/verify.ts';
import { outcome } from './world.ts';

// PP-02, PP-05: what is paid beside a commission to who charges VAT and gave the mandate of self-billing.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let scale: { readonly id: string };
beforeAll(async () => {
  db = await createTestDatabase();
  admin = await anAdmin(db);
  commercial = await aCommercial(db);
  scale = await aScale(db, {
    isDefault: true,
    clientType: 'fixed',
    clientAmount: '5000.00',
    commercialType: 'fixed',
    commercialAmount: '5000.00',
  });
  await db.asOwner(
    `insert into private.paper_settings (issues_papers, legal_name, street, postal_code, city, siren)
     values (true, 'Lumeo', '1 rue', '35000', 'Rennes', '732829320')`,
  );
});
afterAll(async () => {
  const findings = await verify((sql) => db.asOwner(sql));
  expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  await db.drop();
});

const details = (who: Person, chargesVat: boolean, postalCode = '35000'): Promise<unknown> =>
  db.become(who, (run) =>
    run('select private.set_payee_details($1, $2, $3, $4, $5, $6, $7, null, $8, $9)', [
      who.id,
      'societe',
      'Sarl',
      '1 rue',
      postalCode,
      'Ville',
      '552100554',
      chargesVat,
      chargesVat ? 'FR96552100554' : null,
    ]),
  );
const accept = (who: Person): Promise<unknown> =>
  db.become(who, (run) => run('select private.accept_mandate($1, $2)', ['2026-11', 'm'.repeat(200)]));

const acceptVat = (who: Person, by = admin, number = 'FR96552100554'): Promise<unknown> =>
  db.become(by, (run) => run('select private.accept_vat($1, $2)', [who.id, number]));

/** A client with 5 000 €, who charges VAT, with the mandate, accepted by an admin. */
async function aTaxed(): Promise<Person> {
  const client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, admin, scale });
  await details(client, true);
  await accept(client);
  await acceptVat(client);
  return client;
}

type Asked = { readonly id: string; readonly vat_rate: string | null; readonly vat_amount: string | null };
const ask = async (who: Person, amount: string, method = 'virement'): Promise<Asked> =>
  only(
    await db.become(who, (run) =>
      run<Asked>('select id, vat_rate, vat_amount from private.request_payment($1, $2, $3, null)', [
        amount,
        method,
        '{}',
      ]),
    ),
  );
const decide = (id: string, status: string): Promise<unknown> =>
  db.become(admin, (run) => run(asSeen.decide, [id, status, null]));

test('[PP-02] a transfer that is asked for under a mandate with VAT has its VAT from then on; any other request has none', async () => {
  const client = await aTaxed();
  expect(await ask(client, '100.03')).toMatchObject({ vat_rate: '20.00', vat_amount: '20.01' });
  expect(await ask(client, '10', 'cheque_cadeau')).toMatchObject({ vat_rate: null, vat_amount: null });
  await db.become(client, (run) => run('select private.revoke_mandate()'));
  expect(await ask(client, '10')).toMatchObject({ vat_amount: null });
  // VAT ends: so does its mandate, and the one of the franchise is another.
  await accept(client);
  await details(client, false);
  expect(await ask(client, '10')).toMatchObject({ vat_amount: null });
  await accept(client);
  expect(await ask(client, '10')).toMatchObject({ vat_amount: null });
});

test('[DF-23] VAT that nobody has accepted is not paid: neither asked for, nor in a transfer, nor on a paper', async () => {
  const client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, admin, scale });
  await details(client, true);
  await accept(client);
  const first = await ask(client, '100');
  expect(first).toMatchObject({ vat_rate: null, vat_amount: null });
  for (const who of [client, commercial]) expect(await outcome(acceptVat(client, who))).toBe('forbidden');
  expect(await outcome(acceptVat(client, admin, 'FR33732829320'))).toBe('vat_changed');
  await acceptVat(client);
  await acceptVat(client);
  const second = await ask(client, '100');
  expect(second).toMatchObject({ vat_rate: '20.00', vat_amount: '20.00' });
  // A request made without VAT is paid without it, and its paper is a receipt.
  for (const { id } of [first, second]) {
    await decide(id, 'approved');
    await decide(id, 'paid');
  }
  const papers = await db.asOwner(
    `select left(series, 1) as kind, amount from public.papers where request_id = any ($1) order by amount`,
    [[first.id, second.id]],
  );
  expect(papers).toEqual([
    { kind: 'R', amount: '100.00' },
    { kind: 'F', amount: '120.00' },
  ]);
  const told = await db.asOwner(
    `select after from public.audit_entries where entity_id = $1 and after ? 'vat_accepted' order by id`,
    [client.id],
  );
  expect(told).toEqual([{ after: { vat_accepted: 'FR96552100554' } }]);
  // Another seller under the same number has to be accepted again; another street has not.
  await details(client, true, '75001');
  expect(await ask(client, '10')).toMatchObject({ vat_amount: '2.00' });
  await db.become(client, (run) =>
    run(
      `select private.set_payee_details($1, 'micro', 'Sarl', '1 rue', '35000', 'Ville', '552100554', null, true, 'FR96552100554')`,
      [client.id],
    ),
  );
  expect(await ask(client, '10')).toMatchObject({ vat_amount: null });
});

test('[DF-23] a decision echoes the total that leaves, VAT included', async () => {
  const { id } = await ask(await aTaxed(), '100');
  const say = (status: string, amount: string | null) =>
    db.become(admin, (run) =>
      run('select already from private.decide_payment_request($1, $2, null, null, null, $3)', [id, status, amount]),
    );
  expect(await outcome(say('approved', '100'))).toBe('request_changed');
  expect(await say('approved', '120')).toEqual([{ already: false }]);
  expect(await outcome(say('paid', '100.00'))).toBe('request_changed');
  expect(await say('paid', '120.00')).toEqual([{ already: false }]);
});

test('[PP-02] overseas, where another rate is due, no mandate with VAT is offered', async () => {
  const client = await aTaxed();
  await details(client, true, '97400');
  expect(await ask(client, '10')).toMatchObject({ vat_amount: null });
  expect(await outcome(accept(client))).toBe('mandate_not_offered');
  await details(client, true, '20000');
  expect(await ask(client, '10')).toMatchObject({ vat_amount: '2.00' });
});

test('[PP-02] the VAT of a request is that of its rate and never changes, whoever writes', async () => {
  const { id } = await ask(await aTaxed(), '100');
  for (const change of [
    'vat_amount = 19.99',
    'vat_rate = 10',
    'vat_rate = 10, vat_amount = 10',
    'vat_mandate_id = null',
  ]) {
    await expect(db.asOwner(`update public.payment_requests set ${change} where id = $1`, [id])).rejects.toThrow();
  }
});

test('[PP-02, PP-04, LG-01] what was asked for is paid with its VAT whatever its payee declares since; balances stay before tax', async () => {
  const client = await aTaxed();
  const { id } = await ask(client, '1000');
  await details(client, false);
  await decide(id, 'approved');
  const transfer = await db.become(admin, (run) =>
    run('select amount from public.transfers_to_make where id = $1', [id]),
  );
  expect(transfer).toEqual([{ amount: '1200.00' }]);
  await decide(id, 'paid');
  const balance = await db.asOwner('select reserved, paid from public.balances where profile_id = $1', [client.id]);
  expect(balance).toEqual([{ reserved: '0.00', paid: '1000.00' }]);
  const posted = await db.asOwner(
    `select act, debit, credit, amount, detail from public.ledger_entries where source_id = $1 order by id`,
    [id],
  );
  expect(posted.slice(1)).toEqual([
    { act: 'settlement', debit: 'reserved', credit: 'paid', amount: '1000.00', detail: 'virement' },
    { act: 'vat', debit: 'vat', credit: 'vat_paid', amount: '200.00', detail: 'virement' },
  ]);
  const seen = await db.become(admin, (run) =>
    run(
      `select m.amount, m.vat_amount, d.paid::numeric(12, 2), d.counted::numeric(12, 2)
       from public.payments_made m, public.das2_payees(extract(year from now())::integer, $1) d where m.payee_id = $1`,
      [client.id],
    ),
  );
  expect(seen).toEqual([{ amount: '1000.00', vat_amount: '200.00', paid: '1200.00', counted: '1200.00' }]);
  const papers = await db.asOwner(
    `select left(series, 1) as kind, amount, content #>> '{payee,vat_number}' as number from public.papers where request_id = $1`,
    [id],
  );
  expect(papers).toEqual([{ kind: 'F', amount: '1200.00', number: 'FR96552100554' }]);
});

test('[PP-02, PO-01] a batch is of the totals, VAT included, and each line says the VAT that it holds', async () => {
  const client = await aTaxed();
  const asked = [await ask(client, '100.03'), await ask(client, '50')];
  for (const { id } of asked) await decide(id, 'approved');
  const ids = asked.map(({ id }) => id);
  const make = (total: string) =>
    db.become(admin, (run) => run<{ id: string }>('select private.make_batch($1, $2) as id', [ids, total]));
  expect(await outcome(make('150.03'))).toBe('request_changed');
  const { id } = only(await make('180.04'));
  const seen = await db.become(admin, (run) =>
    run(
      `select b.total, (select string_agg(l.amount || ' with ' || l.vat_amount, ', ' order by l.amount) from public.batch_lines l where l.batch_id = b.id) as lines
       from public.batch_summaries b where b.id = $1`,
      [id],
    ),
  );
  expect(seen).toEqual([{ total: '180.04', lines: '60.00 with 10.00, 120.04 with 20.01' }]);
});

test('[PP-02, PO-01, PO-05] a month in a batch keeps the VAT that it was gathered with, whatever became of the mandate', async () => {
  const seller = await aCommercial(db);
  await details(seller, true);
  await accept(seller);
  await acceptVat(seller);
  await db.become(seller, (run) =>
    run(`select id from private.set_bank_account('Sarl', 'FR76 •••• •••• 0189', '\\x01', sha256('sarl'))`),
  );
  await aValidatedSale(db, { commercial: seller, admin, scale });
  await db.become(admin, async (run) => {
    await run(
      `select set_config('app.at', (private.month_start((private.month_of(now()) + interval '1 month')::date) + interval '2 days')::text, true)`,
    );
    const { id, month, amount } = only(
      await run<{ id: string; month: string; amount: string }>(
        'select id, month::text, amount from public.transfers_to_make where id = $1',
        [seller.id],
      ),
    );
    expect(amount).toBe('6000.00');
    const make = (seen: string) =>
      run<{ id: string }>(`select private.make_batch('{}', $1, $2::jsonb) as id`, [
        seen,
        JSON.stringify([{ payee_id: id, month, amount: seen }]),
      ]);
    await run('savepoint seen');
    expect(await outcome(make('5000.00'))).toBe('period_changed');
    await run('rollback to savepoint seen');
    const batch = only(await make('6000.00')).id;
    expect(
      await run(
        'select due, vat_amount, status from public.commission_periods where payee_id = $1 order by month limit 1',
        [id],
      ),
    ).toEqual([{ due: '5000.00', vat_amount: '1000.00', status: 'in_batch' }]);
    expect(
      await run('select amount, vat_rate, vat_amount from public.batch_lines where batch_id = $1', [batch]),
    ).toEqual([{ amount: '6000.00', vat_rate: '20.00', vat_amount: '1000.00' }]);
    await run(`select set_config('role', 'parrain_service', true)`);
    // The account is closed meanwhile: the invoice names its seller as the mandate does.
    await run('update private.mandates set revoked_at = private.now() where payee_id = $1', [id]);
    await run(
      `update public.payment_batches set status = 'released', execution_on = private.today(), format = '09', released_at = private.now()
       where id = $1`,
      [batch],
    );
    await run(`insert into private.batch_files (batch_id, sealed, sha256) values ($1, '\\x01', sha256('x'))`, [batch]);
    await run('delete from private.payee_details where payee_id = $1', [id]);
    await run('select private.settle_batch($1, null)', [batch]);
  });
  const paid = await db.asOwner(
    'select amount, vat_rate, vat_amount, method from public.paid_periods where payee_id = $1',
    [seller.id],
  );
  expect(paid).toEqual([{ amount: '5000.00', vat_rate: '20.00', vat_amount: '1000.00', method: 'virement' }]);
  const papers = await db.asOwner(
    `select content #>> '{payee,legal_name}' as name, content #>> '{payee,city}' as city, content -> 'vat' as vat
     from public.papers where payee_id = $1`,
    [seller.id],
  );
  expect(papers).toEqual([{ name: 'Sarl', city: 'Ville', vat: { base: '5000.00', rate: '20.00', amount: '1000.00' } }]);
  // The bank sends it back: the tax comes back with it, and the credit note names its parties as the invoice did.
  await db.become(admin, (run) =>
    run(
      `select s.* from public.payment_batch_lines l cross join lateral private.settle_batch(l.batch_id,
         jsonb_build_array(jsonb_build_object('request_id', l.id, 'status', 'returned', 'reason', 'Compte clos'))) s where l.payee_id = $1`,
      [seller.id],
    ),
  );
  expect(
    await db.asOwner(
      `select debit, credit, amount from public.ledger_entries where payee_id = $1 and act in ('return', 'vat_return') order by act`,
      [seller.id],
    ),
  ).toEqual([
    { debit: 'paid', credit: 'available', amount: '5000.00' },
    { debit: 'vat_paid', credit: 'vat', amount: '1000.00' },
  ]);
  const former = only(
    await db.asOwner<{ label: string }>(`select label from public.papers where payee_id = $1 and series like 'F%'`, [
      seller.id,
    ]),
  );
  expect(
    await db.asOwner(
      `select amount, content #>> '{payee,legal_name}' as name, content ->> 'receipt' as receipt, content -> 'vat' as vat
       from public.papers where payee_id = $1 and series like 'A%'`,
      [seller.id],
    ),
  ).toEqual([
    {
      amount: '6000.00',
      name: 'Sarl',
      receipt: former.label,
      vat: { base: '5000.00', rate: '20.00', amount: '1000.00' },
    },
  ]);
  expect(
    await db.become(seller, (run) =>
      run('select vat_paid, paid, available from public.payee_accounts where id = $1', [seller.id]),
    ),
  ).toEqual([{ vat_paid: '0.00', paid: '0.00', available: '5000.00' }]);
});

test('[PP-02, PO-05] a month of a commercial who charges VAT shows it before it is paid, and keeps it', async () => {
  const seller = await aCommercial(db);
  await details(seller, true);
  await accept(seller);
  await acceptVat(seller);
  await aValidatedSale(db, { commercial: seller, admin, scale });
  const read = (months: number) =>
    db.become(admin, async (run) => {
      await run(
        `select set_config('app.at', (private.month_start((private.month_of(now()) + make_interval(months => $1))::date)
           + interval '2 days')::text, true)`,
        [months],
      );
      return run(
        'select due, vat_rate, vat_amount, status from public.commission_periods where payee_id = $1 order by month limit 1',
        [seller.id],
      );
    });
  const month = { due: '5000.00', vat_rate: '20.00', vat_amount: '1000.00' };
  expect(await read(0)).toEqual([{ due: '5000.00', vat_rate: null, vat_amount: null, status: 'open' }]);
  expect(await read(1)).toEqual([{ ...month, status: 'due' }]);
  await db.become(admin, async (run) => {
    await run(
      `select set_config('app.at', (private.month_start((private.month_of(now()) + interval '1 month')::date) + interval '2 days')::text, true)`,
    );
    await run('select private.pay_periods(private.month_of(now()), $1::jsonb)', [
      JSON.stringify([{ payee_id: seller.id, amount: '5000.00', vat_amount: '1000.00' }]),
    ]);
  });
  await details(seller, false);
  expect(await read(1)).toEqual([{ ...month, status: 'paid' }]);
});
