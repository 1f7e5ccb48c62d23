import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  aClient,
  aCommercial,
  anAccountant,
  anAdmin,
  aPdf,
  aSale,
  aScale,
  aValidatedSale,
  asSeen,
  createTestDatabase,
  only,
} from '../src/testing.ts';
import type { Person, TestDatabase } from '../src/testing.ts';
import { verify } from '../src/verify.ts';
import { outcome } from './world.ts';

// AC-04: a business without a mandate sends its own invoice for a transfer that it asked for.

let db: TestDatabase;
let admin: Person;
let commercial: Person;
let scale: { readonly id: string };
beforeAll(async () => {
  db = await createTestDatabase();
  [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  scale = await aScale(db, {
    isDefault: true,
    clientType: 'fixed',
    clientAmount: '5000.00',
    commercialType: 'fixed',
    commercialAmount: '5000.00',
  });
  await db.asOwner(
    `insert into private.paper_settings (issues_papers, legal_name, street, postal_code, city, siren, vat_number)
     values (true, 'Lumeo', '1 rue', '35000', 'Rennes', '732829320', 'FR44732829320')`,
  );
});
afterAll(async () => {
  const findings = await verify((sql) => db.asOwner(sql));
  expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  await db.drop();
});

/** Runs as somebody, at an instant of France. */
const at = <Row extends object>(instant: string, who: Person, text: string, values: readonly unknown[] = []) =>
  db.become(who, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [`${instant} Europe/Paris`]);
    return run<Row & Record<string, unknown>>(text, [...values]);
  });

const details = (who: Person, status: string, chargesVat: boolean | null, postalCode = '35000'): Promise<unknown> =>
  db.become(who, (run) =>
    run(`select private.set_payee_details($1, $2, 'Bois SARL', '1 rue', $3, 'Rennes', $4, null, $5, $6)`, [
      who.id,
      status,
      postalCode,
      status === 'particulier' ? null : '552100554',
      chargesVat,
      chargesVat === true ? 'FR96552100554' : null,
    ]),
  );
const acceptVat = (who: Person): Promise<unknown> =>
  db.become(admin, (run) => run('select private.accept_vat($1, $2)', [who.id, 'FR96552100554']));
const acceptMandate = (who: Person): Promise<unknown> =>
  db.become(who, (run) => run('select private.accept_mandate($1, $2)', ['2026-11', 'm'.repeat(200)]));

/** A client with 5 000 €, in business, without a mandate. */
async function aSeller(chargesVat = true): Promise<Person> {
  const client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, admin, scale });
  await details(client, 'societe', chargesVat);
  if (chargesVat) await acceptVat(client);
  return client;
}
const ask = async (who: Person, amount: string, method = 'virement'): Promise<string> =>
  only(
    await db.become(who, (run) =>
      run<{ id: string }>('select id from private.request_payment($1, $2, $3, null)', [
        amount,
        method,
        '{"iban": "FR76 •••• 0189", "beneficiary_name": "Bois"}',
      ]),
    ),
  ).id;

type Sent = { readonly id: string };
type Invoice = { number: string; day?: string; amount: string; vat: string; total: string; file?: string };
let today: string;
beforeAll(async () => {
  today = only(await db.asOwner<{ day: string }>('select private.today()::text as day')).day;
});
const sendBy = (who: Person, request: string, invoice: Invoice): Promise<Sent[]> =>
  db.become(who, (run) =>
    run<Sent>('select id from private.send_payee_invoice($1, $2, $3, $4, $5, $6, $7, $8)', [
      request,
      invoice.number,
      invoice.day ?? today,
      invoice.amount,
      invoice.vat,
      invoice.total,
      'facture.pdf',
      invoice.file === undefined ? aPdf(invoice.number) : Buffer.from(invoice.file),
    ]),
  );
const taxed = (number: string): Invoice => ({ number, amount: '100.03', vat: '20.01', total: '120.04' });
const untaxed = (number: string): Invoice => ({ number, amount: '100.00', vat: '0', total: '100.00' });
const send = async (who: Person, request: string, invoice: Invoice): Promise<string> =>
  only(await sendBy(who, request, invoice)).id;
const accept = (id: string, by = admin): Promise<{ already: boolean }[]> =>
  db.become(by, (run) =>
    run<{ already: boolean }>('select already from private.decide_payee_invoice($1, true, null)', [id]),
  );
const refuse = (id: string, reason: string | null = 'Le numéro de TVA manque.'): Promise<unknown> =>
  db.become(admin, (run) => run('select already from private.decide_payee_invoice($1, false, $2)', [id, reason]));
const decide = (id: string, status: string): Promise<unknown> =>
  db.become(admin, (run) => run(asSeen.decide, [id, status, null]));
const returned = (id: string): Promise<unknown> =>
  db.become(admin, (run) =>
    run(
      `select d.already from public.payment_requests r, private.return_payment(r.id, 'Le compte est clos.', r.version, null) d where r.id = $1`,
      [id],
    ),
  );
const requestOf = async (id: string) =>
  only(
    await db.asOwner(
      'select status, vat_rate, vat_amount, vat_mandate_id, payee_invoice_id from public.payment_requests where id = $1',
      [id],
    ),
  );
const statusesOf = async (request: string): Promise<unknown[]> =>
  (
    await db.asOwner<{ said: string }>(
      `select number || ' ' || status as said from public.payee_invoices where request_id = $1 order by sent_at, id`,
      [request],
    )
  ).map(({ said }) => said);

test('[AC-04] an invoice of the right day and amounts is kept with its hash; one that says otherwise is refused, whoever calls', async () => {
  const client = await aSeller();
  const request = await ask(client, '100.03');
  for (const wrong of [
    { amount: '100.04' },
    { vat: '20.00' },
    { vat: '0', total: '100.03' },
    { total: '120.03' },
    { day: only(await db.asOwner<{ day: string }>(`select (private.today() + 1)::text as day`)).day },
    { day: '2020-01-01' },
  ])
    expect(await outcome(sendBy(client, request, { ...taxed('F-1'), ...wrong }))).toBe('invoice_mismatch');
  for (const file of ['GIF89a', '<xml/>', '%PDF-1.7 facture', '%PDF-1.7 startxref 9'])
    expect(await outcome(sendBy(client, request, { ...taxed('F-1'), file }))).toBe('invalid_input');
  expect(await outcome(sendBy(client, request, taxed('F'.repeat(41))))).toBe('payee_invoices_number_is_a_line');
  expect(await outcome(sendBy(client, request, taxed(' ')))).toBe('payee_invoices_number_is_a_line');
  const id = await send(client, request, taxed(' F-1 '));
  expect(
    await db.asOwner(
      'select number, amount, vat_rate, vat_amount, vat_number, status, is_test from public.payee_invoices where id = $1',
      [id],
    ),
  ).toEqual([
    {
      number: 'F-1',
      amount: '100.03',
      vat_rate: '20.00',
      vat_amount: '20.01',
      vat_number: 'FR96552100554',
      status: 'sent',
      is_test: false,
    },
  ]);
  // Nothing is owed by it before it is accepted.
  expect(await requestOf(request)).toMatchObject({ vat_amount: null, payee_invoice_id: null });
  expect(
    await db.asOwner(
      `select bool_and(after ->> 'invoice_sha256' in (select encode(f.hash, 'hex') from private.payee_invoice_files f)) as is_its_hash
       from public.audit_entries where entity_id = $1 and action = 'send_invoice'`,
      [request],
    ),
  ).toEqual([{ is_its_hash: true }]);
});

test('[AC-04] it is for a business without a mandate, once papers are on, for its own open transfer', async () => {
  const offered = async (client: Person, request: string) => outcome(sendBy(client, request, untaxed('F-1')));
  const client = await aSeller(false);
  const request = await ask(client, '100.00');
  expect(await offered(await aSeller(false), request)).toBe('request_not_found');
  for (const who of [admin, commercial]) expect(await offered(who, request)).toBe('forbidden');
  expect(await offered(client, await ask(client, '100.00', 'cheque_cadeau'))).toBe('invoice_not_offered');
  await details(client, 'particulier', null);
  expect(await offered(client, request)).toBe('invoice_not_offered');
  await details(client, 'societe', true, '97400');
  expect(await offered(client, request)).toBe('invoice_not_offered');
  await details(client, 'societe', false);
  await acceptMandate(client);
  expect(await offered(client, request)).toBe('invoice_not_offered');
  await db.become(client, (run) => run('select private.revoke_mandate()'));
  await db.asOwner('update private.paper_settings set issues_papers = false');
  expect(await offered(client, request)).toBe('invoice_not_offered');
  await db.asOwner('update private.paper_settings set issues_papers = true');
  expect(await offered(client, request)).toBe('ok');
  const other = await ask(client, '100.00');
  await db.become(admin, (run) => run(asSeen.decide, [other, 'rejected', 'Non']));
  expect(await outcome(sendBy(client, other, untaxed('F-2')))).toBe('invoice_too_late');
});

test('[AC-04] a number stands for one invoice of its payee, in any case, until it is refused, replaced, or its request comes to nothing', async () => {
  const client = await aSeller();
  const [one, two] = [await ask(client, '100.03'), await ask(client, '100.03')];
  const first = await send(client, one, taxed('fa-7'));
  expect(await outcome(sendBy(client, two, taxed('FA-7')))).toBe('invoice_number_taken');
  // Another payee has numbers of their own.
  const other = await aSeller();
  await send(other, await ask(other, '100.03'), taxed('FA-7'));
  // Sent again, it takes the place of what nobody has decided.
  await send(client, one, taxed('FA-7'));
  expect(await statusesOf(one)).toEqual(['fa-7 lapsed', 'FA-7 sent']);
  expect(await outcome(accept(first))).toBe('invoice_too_late');
  await db.become(admin, (run) => run(asSeen.decide, [one, 'rejected', 'En double']));
  expect(await statusesOf(one)).toEqual(['fa-7 lapsed', 'FA-7 lapsed']);
  const again = await send(client, two, taxed('FA-7'));
  expect(await outcome(refuse(again, ' '))).toBe('refusal_reason_required');
  await refuse(again);
  expect(await outcome(accept(again))).toBe('invoice_too_late');
  await send(client, two, taxed('FA-7'));
  expect(await statusesOf(two)).toEqual(['FA-7 refused', 'FA-7 sent']);
});

test('[AC-04] a number is the same whatever signs stand between its parts, and a file is one invoice of its payee: neither is paid twice', async () => {
  const client = await aSeller();
  const [one, two] = [await ask(client, '100.03'), await ask(client, '100.03')];
  const first = await send(client, one, { ...taxed('FA 2026 01'), file: aPdf('la facture').toString() });
  await accept(first);
  for (const number of ['FA-2026-01', 'fa\u00A02026\u00A001', 'FA/2026.01'])
    expect(await outcome(sendBy(client, two, taxed(number)))).toBe('invoice_number_taken');
  const again = { ...taxed('FA-2026-02'), file: aPdf('la facture').toString() };
  expect(await outcome(sendBy(client, two, again))).toBe('invoice_file_taken');
  // Two that stood before the rule: one is accepted.
  const triggers = async (what: 'disable' | 'enable'): Promise<void> => {
    await db.asOwner(`alter table public.payee_invoices ${what} trigger payee_invoices_stand_once`);
    await db.asOwner(`alter table private.payee_invoice_files ${what} trigger payee_invoice_files_stand_once`);
  };
  await triggers('disable');
  const twin = await send(client, two, taxed('FA-2026-01'));
  await triggers('enable');
  expect(await outcome(accept(twin))).toBe('invoice_number_taken');
  await refuse(twin);
  // Unpaid since, the same file may be sent for another request.
  await decide(one, 'approved');
  await decide(one, 'paid');
  await returned(one);
  await send(client, two, { ...taxed('FA-2026-01'), file: aPdf('la facture').toString() });
});

test('[AC-04] what is invoiced is paid from its invoice’s day on, not before', async () => {
  const client = await aClient(db, { commercial });
  const sale = await aSale(db, { commercial, friendReferrer: client, scale, isReady: true });
  await at('2026-03-03 10:00', admin, asSeen.validate, [sale.id, scale.id]);
  await details(client, 'societe', true);
  await acceptVat(client);
  const { id } = only(
    await at<Sent>(
      '2026-03-10 09:00',
      client,
      `select id from private.request_payment(100.03, 'virement', '{"iban": "FR76 •••• 0189", "beneficiary_name": "Bois"}', null)`,
    ),
  );
  await at('2026-03-10 10:00', admin, asSeen.decide, [id, 'approved', null]);
  const invoice = only(
    await at<Sent>(
      '2026-03-20 10:00',
      client,
      `select id from private.send_payee_invoice($1, $2, '2026-03-20', 100.03, 20.01, 120.04, 'f.pdf', convert_to('%PDF-1.7 ' || $2 || ' startxref 9 %%EOF', 'UTF8'))`,
      [id, 'J-1'],
    ),
  );
  await at('2026-03-20 11:00', admin, 'select already from private.decide_payee_invoice($1, true, null)', [invoice.id]);
  const payOn = (day: string) =>
    outcome(
      at(
        '2026-03-21 09:00',
        admin,
        `select d.already from public.payment_requests r,
          private.decide_payment_request(r.id, 'paid', null, null, r.version, 120.04, p_paid_on => $2) d where r.id = $1`,
        [id, day],
      ),
    );
  expect(await payOn('2026-03-15')).toBe('payment_day_refused');
  expect(await payOn('2026-03-20')).toBe('ok');
});

test('[AC-04] two invoices of one number at once: one stays', async () => {
  const client = await aSeller();
  const requests = [await ask(client, '100.03'), await ask(client, '100.03')];
  const outcomes = await Promise.all(requests.map((request) => outcome(sendBy(client, request, taxed('F-9')))));
  expect(outcomes.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['invoice_number_taken', 'ok']);
});

test('[AC-04] accepted by an admin, its tax is the request’s, before or after its approval; the same decision again is the same answer', async () => {
  const client = await aSeller();
  const request = await ask(client, '100.03');
  await decide(request, 'approved');
  const id = await send(client, request, taxed('F-1'));
  for (const who of [client, commercial]) expect(await outcome(accept(id, who))).toBe('forbidden');
  expect(await accept(id)).toEqual([{ already: false }]);
  expect(await accept(id)).toEqual([{ already: true }]);
  expect(await requestOf(request)).toEqual({
    status: 'approved',
    vat_rate: '20.00',
    vat_amount: '20.01',
    vat_mandate_id: null,
    payee_invoice_id: id,
  });
  expect(await outcome(sendBy(client, request, taxed('F-2')))).toBe('invoice_too_late');
  expect(
    await db.become(admin, (run) =>
      run('select amount, obstacle from public.transfers_to_make where id = $1', [request]),
    ),
  ).toEqual([{ amount: '120.04', obstacle: null }]);
  expect(
    (
      await db.asOwner<{ kind: string }>(
        `select kind || case when recipient_id = $2 then ' to the payee' else '' end as kind from public.notices
         where request_id = $1 and kind like 'invoice%' and (recipient_id = $2 or recipient_id = $3) order by created_at, kind`,
        [request, client.id, admin.id],
      )
    ).map(({ kind }) => kind),
  ).toEqual(['invoice_received', 'invoice_accepted to the payee']);
});

test('[AC-04, DF-23] with VAT it is accepted once an admin has accepted that VAT, and no more once it changed', async () => {
  const client = await aClient(db, { commercial });
  await aValidatedSale(db, { commercial, friendReferrer: client, admin, scale });
  await details(client, 'societe', true);
  const request = await ask(client, '100.03');
  const id = await send(client, request, taxed('F-1'));
  expect(await outcome(accept(id))).toBe('invoice_vat_waits');
  await acceptVat(client);
  await details(client, 'societe', false);
  expect(await outcome(accept(id))).toBe('invoice_vat_waits');
  await details(client, 'societe', true);
  await acceptVat(client);
  expect(await outcome(accept(id))).toBe('ok');
});

test('[AC-04] an invoice that was sent is looked at before its request is paid or gathered; in a batch it is too late', async () => {
  const client = await aSeller();
  const request = await ask(client, '100.03');
  await decide(request, 'approved');
  const id = await send(client, request, taxed('F-1'));
  const gather = (total: string) =>
    db.become(admin, (run) =>
      run<{ id: string }>('select private.make_batch(array[$1::uuid], $2) as id', [request, total]),
    );
  expect(await outcome(decide(request, 'paid'))).toBe('invoice_waits');
  expect(await outcome(gather('100.03'))).toBe('invoice_waits');
  expect(
    await db.become(admin, (run) =>
      run('select t.obstacle, t.standing from public.transfers_to_make t where t.id = $1', [request]),
    ),
  ).toEqual([{ obstacle: 'invoice', standing: [{ code: 'invoice' }] }]);
  await refuse(id);
  await gather('100.03');
  expect(await outcome(sendBy(client, request, taxed('F-1')))).toBe('invoice_too_late');
  const other = await ask(client, '100.03');
  await decide(other, 'approved');
  await decide(other, 'paid');
  expect(await outcome(sendBy(client, other, taxed('F-1')))).toBe('invoice_too_late');
});

test('[AC-04] an acceptance and a payment at once: paid with the tax, or seen to have changed', async () => {
  const client = await aSeller();
  for (let round = 0; round < 4; round += 1) {
    const request = await ask(client, '100.03');
    await decide(request, 'approved');
    const id = await send(client, request, taxed(`F-${round}`));
    const outcomes = await Promise.all([
      outcome(accept(id)),
      outcome(
        db.become(admin, (run) =>
          run(`select already from private.decide_payment_request($1, 'paid', null, null, 2, 100.03)`, [request]),
        ),
      ),
    ]);
    expect(outcomes[0]).toBe('ok');
    expect(['invoice_waits', 'request_changed']).toContain(outcomes[1]);
    expect(await requestOf(request)).toMatchObject({ status: 'approved', vat_amount: '20.01' });
  }
});

test('[AC-04] the request’s tax is its invoice’s and never changes, whoever writes; what was sent stays', async () => {
  const client = await aSeller();
  const request = await ask(client, '100.03');
  const id = await send(client, request, taxed('F-1'));
  const set = (what: string, table = 'public.payment_requests', key = 'id', of = request) =>
    outcome(db.asOwner(`update ${table} set ${what} where ${key} = $1`, [of]));
  expect(await set(`payee_invoice_id = '${id}', vat_rate = 20, vat_amount = 20.01`)).toBe('forbidden');
  expect(await set('vat_rate = 20, vat_amount = 20.01')).toBe('forbidden');
  await accept(id);
  expect(await set('payee_invoice_id = null, vat_rate = null, vat_amount = null')).toBe('forbidden');
  const ofInvoice = (what: string) => set(what, 'public.payee_invoices', 'id', id);
  expect(await ofInvoice(`number = 'F-2'`)).toBe('forbidden');
  expect(await ofInvoice(`status = 'sent', decided_at = null`)).toBe('invoice_too_late');
  expect(await set(`bytes = '\\x255044462d'`, 'private.payee_invoice_files', 'invoice_id', id)).toBe('forbidden');
  for (const [table, key] of [
    ['public.payee_invoices', 'id'],
    ['private.payee_invoice_files', 'invoice_id'],
  ] as const)
    expect(await outcome(db.asOwner(`delete from ${table} where ${key} = $1`, [id]))).toBe('forbidden');
  expect(await outcome(db.asOwner('truncate private.payee_invoice_files'))).toBe('forbidden');
});

test('[AC-04] its payee, admins and the accountant read it and its file, nobody else', async () => {
  const [client, other] = [await aSeller(), await aSeller()];
  const accountant = await anAccountant(db);
  const id = await send(client, await ask(client, '100.03'), taxed('F-1'));
  const seenBy = async (who: Person) => {
    const rows = await db.become(who, (run) => run('select from public.payee_invoices where id = $1', [id]));
    const file = await outcome(db.become(who, (run) => run('select from private.payee_invoice_file($1)', [id])));
    return [rows.length, file];
  };
  for (const who of [client, admin, accountant]) expect(await seenBy(who)).toEqual([1, 'ok']);
  expect(await seenBy(other)).toEqual([0, 'proof_not_found']);
  expect(await seenBy(commercial)).toEqual([0, 'proof_not_found']);
});

test('[AC-04] paid, it makes a receipt that names it, whatever mandate came since; a return leaves it to be sent again', async () => {
  const client = await aSeller(false);
  const request = await ask(client, '100.00');
  const id = await send(client, request, untaxed('F-1'));
  await accept(id);
  expect(await requestOf(request)).toMatchObject({ vat_amount: null, payee_invoice_id: id });
  await acceptMandate(client);
  await decide(request, 'approved');
  await decide(request, 'paid');
  await returned(request);
  expect(
    await db.asOwner(
      `select left(series, 2) as kind, amount, content -> 'invoice' as invoice, content ? 'vat' as has_vat
       from public.papers where request_id = $1 order by created_at, series`,
      [request],
    ),
  ).toEqual(
    ['R', 'AR']
      .toSorted((a, b) => (a < b ? 1 : -1))
      .map((kind) => ({
        kind,
        amount: '100.00',
        invoice: { number: 'F-1', on: today, base: '100.00' },
        has_vat: false,
      })),
  );
  expect(await statusesOf(request)).toEqual(['F-1 lapsed']);
  await db.become(client, (run) => run('select private.revoke_mandate()'));
  await send(client, await ask(client, '100.00'), untaxed('F-1'));
});

test('[AC-04, PP-04] its tax is in the ledger beside the balance, in the DAS2, and back with a return', async () => {
  const client = await aSeller();
  const request = await ask(client, '100.03');
  await accept(await send(client, request, taxed('F-1')));
  await decide(request, 'approved');
  await decide(request, 'paid');
  const entries = () =>
    db.asOwner(`select act, amount from public.ledger_entries where source_id = $1 and act <> 'request' order by id`, [
      request,
    ]);
  expect(await entries()).toEqual([
    { act: 'settlement', amount: '100.03' },
    { act: 'vat', amount: '20.01' },
  ]);
  const year = Number(today.slice(0, 4));
  const declared = () => db.become(admin, (run) => run<{ id: string }>('select * from public.das2_payees($1)', [year]));
  expect((await declared()).filter(({ id }) => id === client.id)).toMatchObject([
    { paid: '120.04', counted: '120.04' },
  ]);
  await returned(request);
  expect(await entries()).toEqual([
    { act: 'settlement', amount: '100.03' },
    { act: 'vat', amount: '20.01' },
    { act: 'return', amount: '100.03' },
    { act: 'vat_return', amount: '20.01' },
  ]);
});

test('[AC-04, AC-02] the journal has the number and the day of the invoice, the tax against its payee and in the settlement; a return is the mirror', async () => {
  const client = await aClient(db, { commercial });
  const sale = await aSale(db, { commercial, friendReferrer: client, scale, isReady: true });
  await at('2025-03-03 10:00', admin, asSeen.validate, [sale.id, scale.id]);
  await details(client, 'societe', true);
  await acceptVat(client);
  await db.become(admin, (run) => run(`select private.close_accounting_months('2025-04-01')`));
  const ask2025 = async (day: string, number: string): Promise<string> => {
    const { id } = only(
      await at<{ id: string }>(
        `${day} 09:00`,
        client,
        `select id from private.request_payment(750.03, 'virement', '{}', null)`,
      ),
    );
    const invoice = only(
      await at<Sent>(
        `${day} 10:00`,
        client,
        `select id from private.send_payee_invoice($1, $2, '2025-04-28', 750.03, 150.01, 900.04, 'f.pdf', convert_to('%PDF-1.7 ' || $2 || ' startxref 9 %%EOF', 'UTF8'))`,
        [id, number],
      ),
    );
    await at(`${day} 11:00`, admin, 'select already from private.decide_payee_invoice($1, true, null)', [invoice.id]);
    await at(`${day} 12:00`, admin, asSeen.decide, [id, 'approved', null]);
    return id;
  };
  const journal = async (): Promise<string[]> =>
    (
      await at<{ said: string }>(
        '2025-12-01 10:00',
        admin,
        `select concat_ws(' | ', to_char("EcritureDate" at time zone 'Europe/Paris', 'MM-DD'), "CompteNum", coalesce("CompAuxLib", '-'), "PieceRef",
          to_char("PieceDate" at time zone 'Europe/Paris', 'MM-DD'), "EcritureLib", "Debit", "Credit", "EcritureLet") as said
         from private.accounting_lines('2025-05-01', '2025-09-01') order by "EcritureNum", side`,
      )
    ).map(({ said }) => said);
  // 750,03 € and 20 % of it, 150,006 €, are 900,04 €.
  const paid = await ask2025('2025-05-12', 'FA-2025/7');
  await at('2025-05-12 12:00', admin, asSeen.decide, [paid, 'paid', null]);
  const payment = [
    '05-12 | 622200 | - | FA-2025/7 | 04-28 | Facture Bois SARL | 750.03 | 0.00',
    '05-12 | 445660 | - | FA-2025/7 | 04-28 | Facture Bois SARL | 150.01 | 0.00',
    '05-12 | 401000 | Bois SARL | FA-2025/7 | 04-28 | Facture Bois SARL | 0.00 | 900.04 | A',
    '05-12 | 401000 | Bois SARL | FA-2025/7 | 04-28 | Paiement par virement Bois SARL | 900.04 | 0.00 | A',
    '05-12 | 471000 | - | FA-2025/7 | 04-28 | Paiement par virement Bois SARL | 0.00 | 900.04',
  ];
  expect(await journal()).toEqual(payment);
  const later = await ask2025('2025-05-28', 'FA-2025/8');
  await at('2025-06-02 09:00', admin, `select private.close_accounting_months('2025-05-01')`);
  const payOn = (day: string) =>
    outcome(
      at(
        '2025-06-03 09:00',
        admin,
        `select private.decide_payment_request($1, 'paid', null, null, 3, 900.04, p_paid_on => $2)`,
        [later, day],
      ),
    );
  expect(await payOn('2025-05-30')).toBe('accounting_month_closed');
  expect(await payOn('2025-06-03')).toBe('ok');
  await at(
    '2025-06-20 10:00',
    admin,
    `select d.already from public.payment_requests r, private.return_payment(r.id, 'Le compte est clos.', r.version, null) d where r.id = $1`,
    [paid],
  );
  expect(await journal()).toEqual([
    ...payment,
    ...payment.map((line) => line.replace('05-12', '06-03').replace('2025/7', '2025/8').replace(/A$/u, 'B')),
    '06-20 | 401000 | Bois SARL | FA-2025/7 | 04-28 | Retour d’un paiement par virement Bois SARL | 0.00 | 900.04 | C',
    '06-20 | 471000 | - | FA-2025/7 | 04-28 | Retour d’un paiement par virement Bois SARL | 900.04 | 0.00',
    '06-20 | 622200 | - | FA-2025/7 | 04-28 | Annulation de facture Bois SARL | 0.00 | 750.03',
    '06-20 | 445660 | - | FA-2025/7 | 04-28 | Annulation de facture Bois SARL | 0.00 | 150.01',
    '06-20 | 401000 | Bois SARL | FA-2025/7 | 04-28 | Annulation de facture Bois SARL | 900.04 | 0.00 | C',
  ]);
});
