import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAccountant,
  anAdmin,
  aPdf,
  aSale,
  aScale,
  asSeen,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { outcome } from './world.ts';

// AC-04: a commercial in business without a mandate sends their own invoice for the month that is due: 100,03 € before tax.

let db: TestDatabase;
let admin: Person;
let other: Person;
let scale: { readonly id: string };
/** First day of the last month that is over, of the one before it, and today. */
let [month, before, today] = ['', '', ''];
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, other] = [await anAdmin(db), await anAdmin(db)];
  scale = await aScale(db, {
    isDefault: true,
    clientType: 'fixed',
    clientAmount: '100.00',
    commercialType: 'fixed',
    commercialAmount: '100.03',
  });
  await db.asOwner(
    `insert into private.paper_settings (issues_papers, legal_name, street, postal_code, city, siren, vat_number)
     values (true, 'Lumeo', '1 rue', '35000', 'Rennes', '732829320', 'FR44732829320')`,
  );
  await db.asOwner(
    `insert into private.company_account (holder, iban_shown, sealed) values ('Lumeo', 'FR76 •••• •••• 0189', '\\x01')`,
  );
  ({ month, before, today } = only(
    await db.asOwner<{ month: string; before: string; today: string }>(
      `select (private.last_month_begun() - interval '1 month')::date::text as month,
        (private.last_month_begun() - interval '2 months')::date::text as before, private.today()::text as today`,
    ),
  ));
});
afterAll(async () => {
  const findings = await verify((sql) => db.asOwner(sql));
  expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  await db.drop();
});

const at = <Row extends object>(day: string, who: Person, text: string, values: readonly unknown[] = []) =>
  db.become(who, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [`${day} 10:00 Europe/Paris`]);
    return run<Row & Record<string, unknown>>(text, [...values]);
  });
/** A contract of 100,03 € for this commercial, validated on the fifth day of a month. */
async function aContract(commercial: Person, of = month): Promise<void> {
  const sale = await aSale(db, {
    commercial,
    friendReferrer: await aClient(db, { commercial }),
    scale,
    isReady: true,
  });
  await at(`${of.slice(0, 8)}05`, admin, asSeen.validate, [sale.id, scale.id]);
}
const details = (who: Person, chargesVat: boolean): Promise<unknown> =>
  db.become(who, (run) =>
    run(
      `select private.set_payee_details($1, 'societe', 'Bois SARL', '1 rue', '35000', 'Rennes', '552100554', null, $2, $3)`,
      [who.id, chargesVat, chargesVat ? 'FR96552100554' : null],
    ),
  );
const acceptVat = (who: Person): Promise<unknown> =>
  db.become(admin, (run) => run('select private.accept_vat($1, $2)', [who.id, 'FR96552100554']));
async function anAgent(chargesVat = true): Promise<Person> {
  const commercial = await aCommercial(db);
  await aContract(commercial);
  await details(commercial, chargesVat);
  if (chargesVat) await acceptVat(commercial);
  return commercial;
}
type Sent = { readonly id: string };
const sendBy = (who: Person, fields: Record<string, string> = {}): Promise<Sent[]> => {
  const said = { number: 'F-1', day: today, amount: '100.03', vat: '20.01', total: '120.04', month, ...fields };
  return db.become(who, (run) =>
    run<Sent>('select id from private.send_payee_invoice(null, $1, $2, $3, $4, $5, $6, $7, $8)', [
      said.number,
      said.day,
      said.amount,
      said.vat,
      said.total,
      'facture.pdf',
      aPdf(said.number),
      said.month,
    ]),
  );
};
const send = async (who: Person, fields: Record<string, string> = {}): Promise<string> =>
  only(await sendBy(who, fields)).id;
const accept = (id: string, by = admin): Promise<{ already: boolean }[]> =>
  db.become(by, (run) =>
    run<{ already: boolean }>('select already from private.decide_payee_invoice($1, true, null)', [id]),
  );
const refuse = (id: string, by = admin): Promise<unknown> =>
  db.become(by, (run) => run(`select already from private.decide_payee_invoice($1, false, 'Le SIRET manque.')`, [id]));
const pay = (who: Person, amount: string, vat: string | null, of = month): Promise<unknown> =>
  db.become(admin, (run) =>
    run('select paid, already from private.pay_periods($1, $2::jsonb)', [
      of,
      JSON.stringify([{ payee_id: who.id, amount, vat_amount: vat }]),
    ]),
  );
const statusesOf = async (who: Person): Promise<unknown[]> =>
  (
    await db.asOwner<{ said: string }>(
      `select number || ' ' || status as said from public.payee_invoices where payee_id = $1 order by sent_at, id`,
      [who.id],
    )
  ).map(({ said }) => said);
const monthOf = async (who: Person, of = month) =>
  only(
    await db.become(who, (run) =>
      run('select status, due, vat_amount, invoice from public.commission_periods where payee_id = $1 and month = $2', [
        who.id,
        of,
      ]),
    ),
  );
const noticesOf = async (who: Person): Promise<string[]> =>
  (
    await db.asOwner<{ kind: string }>(
      `select kind from public.notices where recipient_id = $1 and invoice_id is not null order by kind`,
      [who.id],
    )
  ).map(({ kind }) => kind);
const release = (batch: string, total: string): Promise<unknown> =>
  db.become(other, (run) =>
    run(
      `select private.release_batch($1, 1, $2, (select d::date from generate_series($3::date, $3::date + 3, '1 day') d
         where extract(isodow from d) < 6 limit 1), '09', '\\x01', sha256('x'))`,
      [batch, total, today],
    ),
  );
/** With an account that transfers go to, which the server seals. */
async function withAccount(who: Person): Promise<void> {
  await db.become(who, (run) =>
    run(`select private.set_bank_account('Bois SARL', 'FR76 •••• •••• 0189', '\\x01', sha256('iban'))`),
  );
}

test('[AC-04] an agent’s invoice of the month that is due, of its sum to the cent, is kept; another is refused, whoever calls', async () => {
  const agent = await anAgent();
  expect(await monthOf(agent)).toMatchObject({ status: 'due', invoice: 'awaited', vat_amount: null });
  for (const wrong of [{ amount: '100.04' }, { vat: '20.00' }, { vat: '0', total: '100.03' }, { day: '2020-01-01' }])
    expect(await outcome(sendBy(agent, wrong))).toBe('invoice_mismatch');
  expect(await outcome(sendBy(agent, { month: before }))).toBe('invoice_too_late');
  expect(await outcome(sendBy(admin))).toBe('forbidden');
  expect(await outcome(sendBy(await aClient(db, { commercial: agent })))).toBe('forbidden');
  const id = await send(agent);
  expect(await monthOf(agent)).toMatchObject({ status: 'due', invoice: 'sent', vat_amount: null });
  const [accountant, colleague] = [await anAccountant(db), await aCommercial(db)];
  const reads = (who: Person) =>
    outcome(db.become(who, (run) => run('select from private.payee_invoice_file($1)', [id])));
  for (const who of [agent, admin, accountant]) expect(await reads(who)).toBe('ok');
  expect(await reads(colleague)).toBe('proof_not_found');
  expect(await noticesOf(admin)).toEqual(['invoice_received']);
});

test('[AC-04] who has a mandate, is on the payroll, or whose company makes no papers sends none; nothing changes for them', async () => {
  const employee = await aCommercial(db);
  await aContract(employee);
  expect(await outcome(sendBy(employee))).toBe('invoice_not_offered');
  expect(await monthOf(employee)).toMatchObject({ invoice: null });
  const agent = await anAgent(false);
  const untaxed = { vat: '0', total: '100.03' };
  await db.become(agent, (run) => run('select private.accept_mandate($1, $2)', ['2026-11', 'm'.repeat(200)]));
  expect(await outcome(sendBy(agent, untaxed))).toBe('invoice_not_offered');
  await db.become(agent, (run) => run('select private.revoke_mandate()'));
  await db.asOwner('update private.paper_settings set issues_papers = false');
  expect(await outcome(sendBy(agent, untaxed))).toBe('invoice_not_offered');
  await db.asOwner('update private.paper_settings set issues_papers = true');
  // Without an invoice the month is paid as before: before tax, with a receipt.
  await pay(agent, '100.03', null);
  expect(await outcome(sendBy(agent, untaxed))).toBe('invoice_too_late');
});

test('[AC-04] sent, it keeps its month from being paid or gathered; refused, the month is payable, and another may be sent', async () => {
  const agent = await anAgent();
  await withAccount(agent);
  const id = await send(agent);
  const obstacle = async () =>
    only(
      await db.become(admin, (run) =>
        run<{ obstacle: string | null; amount: string }>(
          'select obstacle, amount from public.transfers_to_make where id = $1',
          [agent.id],
        ),
      ),
    );
  const gather = (amount: string) =>
    outcome(
      db.become(admin, (run) =>
        run('select private.make_batch($1, $2, $3::jsonb)', [
          [],
          amount,
          JSON.stringify([{ payee_id: agent.id, month, amount }]),
        ]),
      ),
    );
  expect(await obstacle()).toEqual({ obstacle: 'invoice', amount: '100.03' });
  expect(await outcome(pay(agent, '100.03', null))).toBe('invoice_waits');
  expect(await gather('100.03')).toBe('invoice_waits');
  await refuse(id);
  expect(await monthOf(agent)).toMatchObject({ invoice: 'refused', vat_amount: null });
  const again = await send(agent);
  expect(await statusesOf(agent)).toEqual(['F-1 refused', 'F-1 sent']);
  expect(await accept(again, other)).toEqual([{ already: false }]);
  expect(await accept(again)).toEqual([{ already: true }]);
  expect(await monthOf(agent)).toMatchObject({ invoice: 'accepted', vat_amount: '20.01' });
  expect(await obstacle()).toMatchObject({ amount: '120.04' });
  expect(await outcome(sendBy(agent, { number: 'F-2' }))).toBe('invoice_too_late');
  expect(await noticesOf(agent)).toEqual(['invoice_accepted', 'invoice_refused']);
  // What was seen without its tax is not paid.
  expect(await outcome(pay(agent, '100.03', null))).toBe('period_changed');
  expect(await gather('100.03')).toBe('period_changed');
  await pay(agent, '100.03', '20.01');
  expect(await monthOf(agent)).toMatchObject({ status: 'paid', vat_amount: '20.01' });
});

test('[AC-04, PO-05] gathered, released and paid by the bank with its tax, it makes a receipt; what comes back leaves it to be sent again', async () => {
  const agent = await anAgent();
  await withAccount(agent);
  await accept(await send(agent));
  await db.become(agent, (run) => run('select private.accept_mandate($1, $2)', ['2026-11', 'm'.repeat(200)]));
  const { id } = only(
    await db.become(admin, (run) =>
      run<Sent>('select private.make_batch($1, 120.04, $2::jsonb) as id', [
        [],
        JSON.stringify([{ payee_id: agent.id, month, amount: '120.04' }]),
      ]),
    ),
  );
  const { line } = only(
    await db.asOwner<{ line: string }>('select id as line from public.payment_batch_lines where batch_id = $1', [id]),
  );
  const told = (status: string) =>
    db.become(admin, (run) =>
      run('select * from private.settle_batch($1, $2::jsonb)', [
        id,
        JSON.stringify([{ request_id: line, status, reason: 'Le compte est clos.' }]),
      ]),
    );
  await release(id, '120.04');
  await told('paid');
  const papers = async () =>
    db.asOwner(
      `select left(p.series, 2) as kind, p.amount, p.content -> 'invoice' ->> 'number' as number, p.content ? 'vat' as has_vat
       from public.papers p where p.payee_id = $1 order by p.created_at, length(p.series)`,
      [agent.id],
    );
  const receipt = { kind: 'R', amount: '120.04', number: 'F-1', has_vat: false };
  expect(await papers()).toEqual([receipt]);
  const year = Number(today.slice(0, 4));
  const declared = () => db.become(admin, (run) => run<{ id: string }>('select * from public.das2_payees($1)', [year]));
  expect((await declared()).filter((payee) => payee.id === agent.id)).toMatchObject([{ paid: '120.04' }]);
  const journal = () =>
    db.become(admin, (run) =>
      run<{ said: string }>(
        `select concat_ws(' ', "PieceRef", "EcritureLib", "Debit", "Credit") as said from private.accounting_lines($1::date, ($1::date + interval '1 month')::date)
         where "PieceRef" = 'F-1' and "EcritureLib" like '%Bois SARL' order by "EcritureNum", side`,
        [`${today.slice(0, 8)}01`],
      ),
    );
  expect((await journal()).map(({ said }) => said)).toEqual(
    expect.arrayContaining([
      'F-1 Facture Bois SARL 100.03 0.00',
      'F-1 Facture Bois SARL 20.01 0.00',
      'F-1 Facture Bois SARL 0.00 120.04',
    ]),
  );
  await told('returned');
  expect(await papers()).toEqual([receipt, { ...receipt, kind: 'AR' }]);
  expect(await statusesOf(agent)).toEqual(['F-1 lapsed']);
  await db.become(agent, (run) => run('select private.revoke_mandate()'));
  await send(agent);
});

test('[AC-04] what changes the sum of its month lapses it, tells its payee, and lets them send another', async () => {
  const agent = await anAgent();
  const id = await send(agent);
  await accept(id);
  // A contract that counts in that month after all.
  await aContract(agent);
  expect(await statusesOf(agent)).toEqual(['F-1 lapsed']);
  expect(await noticesOf(agent)).toEqual(['invoice_accepted', 'invoice_lapsed']);
  expect(await outcome(accept(id))).toBe('invoice_too_late');
  expect(await monthOf(agent)).toMatchObject({ invoice: 'awaited', due: '200.06', vat_amount: null });
  await accept(await send(agent, { amount: '200.06', vat: '40.01', total: '240.07' }));
  // What is earned this month is the next one's.
  await aContract(agent, today);
  expect(await statusesOf(agent)).toEqual(['F-1 lapsed', 'F-1 accepted']);
  await pay(agent, '200.06', '40.01');
});

test('[AC-04] paying an earlier month lapses what was sent for the later one, whose sum had it', async () => {
  const agent = await anAgent();
  await aContract(agent, before);
  await send(agent, { amount: '200.06', vat: '40.01', total: '240.07' });
  await pay(agent, '100.03', null, before);
  expect(await statusesOf(agent)).toEqual(['F-1 lapsed']);
});

test('[AC-04] sent, decided and paid at once, by its payee and two admins: one sum, with its tax or without', async () => {
  for (let round = 0; round < 4; round += 1) {
    const agent = await anAgent();
    const [sent, paid] = await Promise.all([outcome(sendBy(agent)), outcome(pay(agent, '100.03', null))]);
    expect([
      ['ok', 'invoice_waits'],
      ['invoice_too_late', 'ok'],
    ]).toContainEqual([sent, paid]);
    if (sent !== 'ok') continue;
    const { id } = only(await db.asOwner<Sent>('select id from public.payee_invoices where payee_id = $1', [agent.id]));
    const outcomes = await Promise.all([
      outcome(accept(id)),
      outcome(refuse(id, other)),
      outcome(pay(agent, '100.03', '20.01')),
    ]);
    expect(outcomes.slice(0, 2).toSorted()).toEqual(['invoice_too_late', 'ok']);
    expect(['ok', 'invoice_waits', 'period_changed']).toContain(outcomes[2]);
    if (outcomes[2] === 'ok') expect(await statusesOf(agent)).toEqual(['F-1 accepted']);
  }
});

test('[AC-04, AC-08] a business abroad sends its invoice without French VAT, in Monaco too; its receipt keeps the reverse charge', async () => {
  for (const [country, number, reverse] of [
    ['BE', 'BE0123456749', 'BE'],
    ['MC', '99S01234', null],
  ]) {
    const agent = await aCommercial(db);
    await aContract(agent);
    await db.become(agent, (run) =>
      run(
        `select private.set_payee_details($1, 'societe', 'Bois', '1 rue', '1000', 'Ville', null, null, false, null, p_country => $2, p_number_abroad => $3)`,
        [agent.id, country, number],
      ),
    );
    expect(await outcome(sendBy(agent))).toBe('invoice_mismatch');
    await accept(await send(agent, { vat: '0', total: '100.03' }));
    await pay(agent, '100.03', null);
    expect(
      await db.asOwner(
        `select content -> 'invoice' ->> 'number' as number, content #>> '{reverse_charge,country}' as country
         from public.papers where payee_id = $1`,
        [agent.id],
      ),
    ).toEqual([{ number: 'F-1', country: reverse }]);
  }
});

test('[AC-04, AC-08] a business of Monaco charges French VAT on its own invoice, once an admin has accepted it; nobody else abroad does', async () => {
  const agent = await aCommercial(db);
  await aContract(agent);
  const says = (country: string, number: string | null) =>
    db.become(agent, (run) =>
      run(
        `select private.set_payee_details($1, 'societe', 'Rocher SAM', '1 rue', '98000', 'Monaco', null, null, $4, $3, p_country => $2, p_number_abroad => $5)`,
        [agent.id, country, number, number !== null, country === 'CH' ? 'CHE-1' : '07S04528'],
      ),
    );
  for (const [country, number] of [
    ['CH', 'FR90000012345'],
    ['MC', 'FR91000012345'],
    ['MC', 'FR44732829320'],
  ] as const)
    expect(await outcome(says(country, number))).not.toBe('ok');
  await says('MC', 'FR90000012345');
  expect(await outcome(sendBy(agent, { vat: '0', total: '100.03' }))).toBe('invoice_mismatch');
  const id = await send(agent);
  expect(await outcome(accept(id))).toBe('invoice_vat_waits');
  await db.become(admin, (run) => run('select private.accept_vat($1, $2)', [agent.id, 'FR90000012345']));
  await accept(id);
  await pay(agent, '100.03', '20.01');
  expect(
    await db.asOwner(
      `select series, amount, content -> 'invoice' ->> 'vat' as vat, content #>> '{payee,vat_number}' as number, content ? 'reverse_charge' as reversed
       from public.papers where payee_id = $1`,
      [agent.id],
    ),
  ).toEqual([{ series: 'R', amount: '120.04', vat: '20.01', number: 'FR90000012345', reversed: false }]);
  const taxes = await db.become(admin, (run) =>
    run<{ said: string }>(
      `select concat_ws(' | ', "CompteNum", "Debit", "Credit") as said
       from private.accounting_lines('2000-01-01', (date_trunc('month', now()) + interval '2 months')::date)
       where "EcritureLib" like '%Rocher SAM' and "EcritureLib" !~ '^Paiement' order by "EcritureNum", side`,
    ),
  );
  expect(taxes.map(({ said }) => said)).toEqual([
    '622200 | 100.03 | 0.00',
    '445660 | 20.01 | 0.00',
    '401000 | 0.00 | 120.04',
  ]);
  // Overseas has a rate of its own: no invoice is taken.
  await db.asOwner(`update private.paper_settings set postal_code = '97400'`);
  expect(await db.asOwner('select private.may_invoice($1) as may', [agent.id])).toEqual([{ may: false }]);
  await db.asOwner(`update private.paper_settings set postal_code = '35000'`);
  expect(await db.asOwner('select private.may_invoice($1) as may', [agent.id])).toEqual([{ may: true }]);
});

test('[AC-04, PP-05] a mandate that was revoked makes no paper any more: the request loses its tax until its invoice is accepted', async () => {
  const client = await aClient(db, { commercial: await aCommercial(db) });
  const sale = await aSale(db, { commercial: await aCommercial(db), friendReferrer: client, scale, isReady: true });
  await at(`${month.slice(0, 8)}05`, admin, asSeen.validate, [sale.id, scale.id]);
  await details(client, true);
  await acceptVat(client);
  const mandate = (text: string) =>
    db.become(client, (run) => run('select private.accept_mandate($1, $2)', ['2026-11', text.repeat(200)]));
  await mandate('m');
  const ask = async (): Promise<string> =>
    only(
      await db.become(client, (run) =>
        run<Sent>(
          `select id from private.request_payment(40.00, 'virement', '{"iban": "FR76 •••• 0189", "beneficiary_name": "Bois"}', '\\x01')`,
        ),
      ),
    ).id;
  const decide = (id: string, status: string) => db.become(admin, (run) => run(asSeen.decide, [id, status, null]));
  const [gathered, ordered] = [await ask(), await ask()];
  // Another text in its place is no revocation.
  await mandate('n');
  const vats = async () =>
    (
      await db.asOwner<{ vat_amount: string | null }>(
        'select vat_amount from public.payment_requests where client_id = $1 order by created_at, id = $2 desc',
        [client.id, gathered],
      )
    ).map((row) => row.vat_amount);
  expect(await vats()).toEqual(['8.00', '8.00']);
  for (const [id, status] of [
    [gathered, 'draft'],
    [ordered, 'released'],
  ] as const) {
    await decide(id, 'approved');
    const batch = only(
      await db.become(admin, (run) => run<Sent>('select private.make_batch(array[$1::uuid], 48.00) as id', [id])),
    );
    if (status === 'released') await release(batch.id, '48.00');
  }
  await db.become(client, (run) => run('select private.revoke_mandate()'));
  expect(await vats()).toEqual([null, '8.00']);
  expect(await db.asOwner('select from public.payment_batch_lines where request_id = $1', [gathered])).toEqual([]);
  await db.become(admin, (run) =>
    run(
      'select * from private.settle_batch((select batch_id from public.payment_batch_lines where request_id = $1), null)',
      [ordered],
    ),
  );
  await decide(gathered, 'paid');
  expect(
    await db.asOwner('select left(series, 1) as kind, amount from public.papers where payee_id = $1 order by amount', [
      client.id,
    ]),
  ).toEqual([
    { kind: 'R', amount: '40.00' },
    { kind: 'R', amount: '48.00' },
  ]);
  // AC-02: no invoice carries the tax that left: nothing deducts it yet, nor when it comes back.
  const taxes = (id: string) =>
    db
      .become(admin, (run) =>
        run<{ said: string }>(
          `select concat_ws(' | ', "CompteNum", "Debit", "Credit") as said
         from private.accounting_lines('2000-01-01', (date_trunc('month', now()) + interval '2 months')::date) l
         where "CompteNum" ~ '^(622|445|401)' and "EcritureLib" !~ '^(Paiement|Retour)'
           and "PieceRef" in (select p.label from public.papers p where p.request_id = $1) order by "EcritureNum", side`,
          [id],
        ),
      )
      .then((rows) => rows.map(({ said }) => said));
  const waiting = ['622200 | 40.00 | 0.00', '445860 | 8.00 | 0.00', '401000 | 0.00 | 48.00'];
  expect(await taxes(ordered)).toEqual(waiting);
  expect(await taxes(gathered)).toEqual(['622200 | 40.00 | 0.00', '401000 | 0.00 | 40.00']);
  await db.become(admin, (run) =>
    run(
      `select d.already from public.payment_requests r, private.return_payment(r.id, 'Le compte est clos.', r.version, null) d where r.id = $1`,
      [ordered],
    ),
  );
  expect(await taxes(ordered)).toEqual([
    ...waiting,
    '622200 | 0.00 | 40.00',
    '445860 | 0.00 | 8.00',
    '401000 | 48.00 | 0.00',
  ]);
});

test('[AC-04, PP-01] nobody is paid under the company’s own SIREN, and the company takes no payee’s', async () => {
  const agent = await aCommercial(db);
  const under = (siren: string) =>
    outcome(
      db.become(agent, (run) =>
        run(
          `select private.set_payee_details($1, 'societe', 'Bois SARL', '1 rue', '35000', 'Rennes', $2, null, false, null)`,
          [agent.id, siren],
        ),
      ),
    );
  expect(await under('732829320')).toBe('payee_is_company');
  expect(await under('552100554')).toBe('ok');
  expect(await outcome(db.asOwner(`update private.paper_settings set siren = '552100554', vat_number = null`))).toBe(
    'company_is_payee',
  );
});
