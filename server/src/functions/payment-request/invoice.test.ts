import { dayOf, formatDate } from '@parrain/domain/date';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { callAs } from '../../testing/call-function.ts';
import type { Reply } from '../../testing/call-function.ts';
import {
  aClient,
  aCommercial,
  anAccountant,
  anAdmin,
  aPdf,
  aSale,
  aScale,
  asSeen,
  asJustSeen,
  aValidatedSale,
  brokenInvariants,
  only,
  startTestServer,
} from '../../testing/index.ts';
import type { Person, TestServer } from '../../testing/index.ts';
import { takeNotices } from '../notices/read-notices.ts';
import { readPdf } from '../../testing/read-pdf.ts';
import { unzipped } from '../../testing/unzipped.ts';

// AC-04: a company sends its own invoice of 750,03 € before tax, 150,01 € of VAT.

let server: TestServer;
let people: Record<'admin' | 'client' | 'other' | 'commercial' | 'accountant', Person>;
let request: string;
const today = dayOf(new Date());
const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
const bois = { status: 'societe', legal_name: 'Bois SARL', ...address, siren: '552100554' };

beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  const db = server.database;
  const [admin, commercial] = [await anAdmin(db), await aCommercial(db)];
  const accountant = await anAccountant(db);
  const scale = await aScale(db, { isDefault: true, clientType: 'fixed', clientAmount: '5000' });
  const [client, other] = [await aClient(db, { commercial }), await aClient(db, { commercial })];
  people = { admin, client, other, commercial, accountant };
  await callAs(server, admin, 'papers?action=update_company', {
    issues_papers: true,
    contest_days: 15,
    legal_name: 'Lumeo',
    ...address,
    siren: '732829320',
    vat_number: 'FR44732829320',
  });
  for (const payee of [client, other]) {
    await aValidatedSale(db, { commercial, friendReferrer: payee, admin, scale });
    const form = {
      payee_id: payee.id,
      ...bois,
      charges_vat: payee === client,
      vat_number: payee === client ? 'FR96552100554' : null,
    };
    expect((await callAs(server, payee, 'papers?action=update_payee', form)).status).toBe(200);
  }
  request = await asked(client, '750.03');
});
afterAll(async () => {
  expect((await brokenInvariants(server.database.asOwner)).map(({ invariant }) => invariant.id)).toEqual([]);
  await server.close();
});

async function asked(who: Person, amount: string): Promise<string> {
  const reply = await callAs(server, who, 'payment-request', {
    action: 'create',
    amount,
    payment_method: 'virement',
    payment_details: { iban: 'FR7630006000011234567890189', beneficiary_name: 'Bois SARL' },
  });
  return (reply.body.data as { id: string }).id;
}
const pdf = (text: string): string => aPdf(text).toString();
const whole = { number: 'FA-2026/7', day: today, amount: '750,03', vat: '150,01', total: '900,04' };
const sent = (who: Person, fields: object, file = pdf('facture'), of = request, key?: string): Promise<Reply> => {
  const form = new FormData();
  form.set('request_id', of);
  for (const [name, value] of Object.entries({ name: '../fac:ture.pdf', ...whole, ...fields })) form.set(name, value);
  form.set('file', new File([file], 'fichier'));
  return callAs(server, who, 'payment-request?action=send_invoice', form, key === undefined ? {} : { key });
};
const said = ({ body }: Reply): unknown =>
  (body.issues as { path: string[]; message: string }[] | undefined)?.map(({ path, message }) => [
    path[0],
    plain(message),
  ]);
const plain = (text: string): string => text.replaceAll(/\s+/gu, ' ');
const decided = (invoice: string, fields: object, who = people.admin): Promise<Reply> =>
  callAs(server, who, 'payment-request', { action: 'decide_invoice', invoice_id: invoice, ...fields });
const read = (who: Person, invoice: string): Promise<Reply> =>
  callAs(server, who, 'payment-request', { action: 'invoice', invoice_id: invoice });
const newest = async (): Promise<string> =>
  only(
    await server.database.asOwner<{ id: string }>('select id from public.payee_invoices order by sent_at desc limit 1'),
  ).id;
const pay = async (id: string, status: string): Promise<Reply> =>
  callAs(
    server,
    people.admin,
    'payment-request?action=update_status',
    await asJustSeen(server.database, { request_id: id, status }),
  );

test('[AC-04] each wrong amount has its own sentence, which says what is expected; so have the day and the number', async () => {
  const wrong = async (fields: object): Promise<unknown> => said(await sent(people.client, fields));
  expect(await wrong({ amount: '750,04' })).toEqual([
    ['amount', 'Le montant hors taxe doit être celui de votre demande : 750,03 €.'],
  ]);
  expect(await wrong({ vat: '150,00', total: '900,03' })).toEqual([
    ['vat', 'La TVA sur cette somme est de 150,01 €.'],
    ['total', 'Le total doit être de 900,04 € : le montant hors taxe et la TVA.'],
  ]);
  expect(await wrong({ day: '2999-01-01' })).toEqual([['day', 'La facture ne peut pas être datée d’un jour à venir.']]);
  expect(JSON.stringify(await wrong({ day: '2020-02-29' }))).toContain('avant votre première commission, le ');
  expect(await wrong({ day: '2026-02-30' })).toEqual([['day', 'Indiquez le jour de la facture.']]);
  expect(await wrong({ number: ' ' })).toEqual([['number', 'Indiquez le numéro de la facture.']]);
  // Who charges none writes none.
  const other = await asked(people.other, '100');
  expect(said(await sent(people.other, { amount: '100', vat: '20', total: '120' }, pdf('other'), other))).toEqual([
    [
      'vat',
      'Vous avez déclaré ne pas facturer la TVA : elle doit être de 0,00 €, ou corrigez vos informations légales.',
    ],
    ['total', 'Le total doit être de 100,00 € : le montant hors taxe et la TVA.'],
  ]);
});

test('[AC-04] the file is a PDF by its content, of 5 MB at most; it is the payee’s own request', async () => {
  const refused = [['file', 'Joignez la facture en PDF, de 5 Mo au plus.']];
  expect(said(await sent(people.client, {}, '<html></html>'))).toEqual(refused);
  expect(said(await sent(people.client, {}, `%PDF-${'x'.repeat(5 * 1024 * 1024)}`))).toEqual(refused);
  for (const damaged of ['%PDF-1.7 facture', pdf('facture').slice(0, -8)])
    expect(said(await sent(people.client, {}, damaged))).toEqual([
      ['file', 'Ce PDF est vide ou abîmé : enregistrez-le de nouveau, puis joignez-le.'],
    ]);
  expect((await sent(people.other, {})).body.code).toBe('request_not_found');
  expect((await sent(people.admin, {})).status).toBe(403);
  expect(await server.database.asOwner('select from public.payee_invoices')).toEqual([]);
});

test('[AC-04, V-20] the same file sent again with its key is one invoice, another file under that key is refused', async () => {
  const payee = people.other;
  const own = await asked(payee, '25');
  const fields = { number: 'FA-9', amount: '25', vat: '0', total: '25' };
  const first = await sent(payee, fields, pdf('neuf'), own, 'file-9');
  expect(first.body).toMatchObject({ success: true });
  expect(await sent(payee, fields, pdf('neuf'), own, 'file-9')).toMatchObject({ status: 200, body: first.body });
  expect((await sent(payee, fields, pdf('dix'), own, 'file-9')).body.code).toBe('idempotency_key_reused');
  expect(
    await server.database.asOwner('select status from public.payee_invoices where request_id = $1', [own]),
  ).toEqual([{ status: 'sent' }]);
});

test('[AC-04] sent, refused with a reason, sent again and accepted: paid with its tax, with a receipt that names it, and in the dossier', async () => {
  expect((await sent(people.client, {})).body).toMatchObject({ success: true });
  const first = await newest();
  expect((await decided(first, { decision: 'refused' })).body.code).toBe('refusal_reason_required');
  expect((await decided(first, { decision: 'accepted' })).body).toMatchObject({
    code: 'invoice_vat_waits',
    error: 'Acceptez d’abord sa TVA, ou refusez la facture si elle a changé.',
  });
  expect((await decided(first, { decision: 'refused', reason: 'Le SIRET manque.' })).body).toMatchObject({
    already: false,
  });
  await callAs(server, people.admin, 'papers?action=accept_vat', {
    payee_id: people.client.id,
    vat_number: 'FR96552100554',
  });
  await sent(people.client, {}, pdf('avec le SIRET'));
  const second = await newest();
  for (const who of [people.client, people.commercial, people.accountant])
    expect((await decided(second, { decision: 'accepted' }, who)).status).toBe(403);
  expect((await pay(request, 'approved')).status).toBe(200);
  expect((await pay(request, 'paid')).body.code).toBe('invoice_waits');
  expect((await decided(second, { decision: 'accepted' })).body).toMatchObject({ success: true, already: false });
  expect((await pay(request, 'paid')).body.data).toMatchObject({ status: 'paid', vat_amount: 150.01 });
  // What was told before the tax was known still says what was asked.
  const due = await server.services.db.asService('test', (tx) => takeNotices(tx, 'due', 100));
  const ofRequest = due.filter((notice) => notice.requestId === request && notice.amount !== null);
  expect(new Map(ofRequest.map(({ kind, amount }) => [kind, amount]))).toEqual(
    new Map([
      ['payment_to_decide', 75_003n],
      ['payment_received', 75_003n],
      ['payment_approved', 75_003n],
      ['invoice_received', 90_004n],
      ['invoice_refused', 90_004n],
      ['invoice_accepted', 90_004n],
      ['payment_paid', 90_004n],
    ]),
  );

  for (const who of [people.client, people.admin, people.accountant]) {
    const { data } = (await read(who, second)).body;
    expect(Buffer.from(data.content, 'base64').toString()).toBe(pdf('avec le SIRET'));
    expect(data.name).not.toContain('/');
  }
  expect((await read(people.other, second)).body.code).toBe('proof_not_found');
  expect((await read(people.commercial, second)).body.code).toBe('proof_not_found');

  const receipt = only(
    await server.database.asOwner<{ id: string; label: string }>(
      'select id, label from public.papers where request_id = $1',
      [request],
    ),
  );
  const file = await server.fetch(`/exports/v1/papers/${receipt.id}.pdf`, {}, people.client);
  const { text } = await readPdf(Buffer.from(await file.arrayBuffer()));
  const day = formatDate(`${today}T12:00:00Z`);
  for (const words of [
    `en règlement de votre facture n° FA-2026/7 du ${day}.`,
    'Montant hors taxe 750,03 €',
    'TVA (20 %) 150,01 €',
    'Total payé 900,04 €',
  ])
    expect(plain(text)).toContain(words);

  for (const who of [people.admin, people.accountant]) {
    const zip = await server.fetch(`/exports/v1/dossier/${today.slice(0, 7)}.zip`, {}, who);
    const files = unzipped(Buffer.from(await zip.arrayBuffer()));
    const name = `Factures reçues/${today} Bois SARL FA-2026 7 ${receipt.label}.pdf`;
    expect([...files.keys()].filter((one) => one.startsWith('Factures'))).toEqual([name]);
    const bytes = files.get(name) ?? Buffer.alloc(0);
    expect(bytes.toString()).toBe(pdf('avec le SIRET'));
    expect(files.get('LISEZ-MOI.txt')?.toString()).toContain(createHash('sha256').update(bytes).digest('hex'));
  }
});

test('[AC-04] a commercial in business sends the invoice of the month that is due; accepted, the month is paid with its tax and is in the dossier', async () => {
  const db = server.database;
  const agent = await aCommercial(db);
  const { month } = only(
    await db.asOwner<{ month: string }>(
      `select (private.last_month_begun() - interval '1 month')::date::text as month`,
    ),
  );
  const scale = await aScale(db, { commercialType: 'fixed', commercialAmount: '750.03' });
  const sale = await aSale(db, { commercial: agent, friendReferrer: people.client, scale, isReady: true });
  await db.become(people.admin, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [`${month.slice(0, 8)}05 10:00 Europe/Paris`]);
    await run(asSeen.validate, [sale.id, scale.id]);
  });
  const details = { payee_id: agent.id, ...bois, legal_name: 'Chêne SARL', siren: '404833048' };
  expect(
    said(
      await callAs(server, agent, 'papers?action=update_payee', { ...details, siren: '732829320', charges_vat: false }),
    ),
  ).toEqual([['siren', 'Ce SIREN est celui de l’entreprise.']]);
  await callAs(server, agent, 'papers?action=update_payee', {
    ...details,
    charges_vat: true,
    vat_number: 'FR83404833048',
  });
  const sentBy = (who: Person, fields: object): Promise<Reply> => sent(who, { month, ...fields }, pdf('du mois'), '');
  expect(said(await sentBy(agent, { amount: '750,04' }))).toEqual([
    ['amount', 'Le montant hors taxe doit être celui de votre mois : 750,03 €.'],
  ]);
  expect(said(await sentBy(agent, { month: 'octobre' }))).toEqual([['month', 'Indiquez le mois de la facture.']]);
  expect((await sentBy(people.commercial, {})).body.code).toBe('invoice_not_offered');
  expect((await sentBy(agent, { number: 'M-1' })).body).toMatchObject({ success: true });
  const id = await newest();
  const paid = (vat: string | null): Promise<Reply> =>
    callAs(server, people.admin, 'payment-batch', {
      action: 'pay_month',
      month,
      lines: [{ payee_id: agent.id, amount: '750.03', vat_amount: vat }],
      paid_on: null,
    });
  expect((await paid(null)).body.code).toBe('invoice_waits');
  await callAs(server, people.admin, 'papers?action=accept_vat', { payee_id: agent.id, vat_number: 'FR83404833048' });
  expect((await decided(id, { decision: 'accepted' })).body).toMatchObject({ success: true });
  expect((await paid(null)).body.code).toBe('period_changed');
  expect((await paid('150.01')).status).toBe(200);
  for (const who of [agent, people.accountant])
    expect((await read(who, id)).body.data).toMatchObject({ content_type: 'application/pdf' });
  expect((await read(people.commercial, id)).body.code).toBe('proof_not_found');
  const zip = await server.fetch(`/exports/v1/dossier/${today.slice(0, 7)}.zip`, {}, people.admin);
  const names = [...unzipped(Buffer.from(await zip.arrayBuffer())).keys()];
  expect(names.filter((name) => /^Factures reçues\/.* Chêne SARL M-1 R-/u.test(name))).toHaveLength(1);
});
