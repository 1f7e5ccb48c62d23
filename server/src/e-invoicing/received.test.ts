import { dayOf } from '@parrain/domain/date';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { evaluateAlarms } from '../functions/system-state/alarms.ts';
import { startAgreedPlatform } from '../testing/agreed-platform.ts';
import type { AgreedPlatform } from '../testing/agreed-platform.ts';
import { callAs } from '../testing/call-function.ts';
import type { Reply } from '../testing/call-function.ts';
import { ciiInvoice, facturXPdf, ublInvoice } from '../testing/incoming-invoice.ts';
import type { IncomingInvoice } from '../testing/incoming-invoice.ts';
import {
  aClient,
  aCommercial,
  anAccountant,
  anAdmin,
  aSale,
  aScale,
  asSeen,
  aValidatedSale,
  brokenInvariants,
  only,
  startTestServer,
} from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

// EI-02: a company and a micro-entrepreneur without a mandate send their own invoices through their platforms.

const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
const lumeo = {
  issues_papers: true,
  contest_days: 15,
  legal_name: 'Lumeo',
  ...address,
  siren: '732829320',
  vat_number: '',
};
const IBAN = 'FR7630006000011234567890189';
const PATIENCE = { timeout: 8_000, interval: 50 };
const today = dayOf(new Date());

let server: TestServer;
let platform: AgreedPlatform;
let people: Record<'admin' | 'accountant' | 'commercial' | 'bois' | 'petit', Person>;
beforeAll(async () => {
  server = await startTestServer();
  platform = await startAgreedPlatform(lumeo.siren);
  const { database } = server;
  const [admin, commercial, accountant] = [
    await anAdmin(database),
    await aCommercial(database),
    await anAccountant(database),
  ];
  const scale = await aScale(database, { isDefault: true, clientType: 'fixed', clientAmount: '5000.00' });
  const [bois, petit] = [await aClient(database, { commercial }), await aClient(database, { commercial })];
  people = { admin, accountant, commercial, bois, petit };
  await callAs(server, admin, 'papers?action=update_company', lumeo);
  for (const [payee, details] of [
    [
      bois,
      {
        status: 'societe',
        legal_name: 'Bois SARL',
        siren: '552100554',
        charges_vat: true,
        vat_number: 'FR96552100554',
      },
    ],
    [petit, { status: 'micro', legal_name: 'Noé Petit', siren: '443061841', charges_vat: false }],
  ] as const) {
    await aValidatedSale(database, { commercial, friendReferrer: payee, admin, scale });
    const saved = await callAs(server, payee, 'papers?action=update_payee', {
      payee_id: payee.id,
      ...address,
      ...details,
    });
    expect(saved.status).toBe(200);
  }
  await callAs(server, admin, 'papers?action=accept_vat', { payee_id: bois.id, vat_number: 'FR96552100554' });
  expect((await callAs(server, admin, 'e-invoicing?action=connect', platform.access)).status).toBe(200);
  expect((await callAs(server, admin, 'e-invoicing?action=switch', { is_on: true })).status).toBe(200);
});
afterAll(async () => {
  expect((await brokenInvariants(server.database.asOwner)).map(({ invariant }) => invariant.id)).toEqual([]);
  await platform.close();
  await server.close();
});

async function asked(who: Person, amount: string): Promise<string> {
  const reply = await callAs(server, who, 'payment-request', {
    action: 'create',
    amount,
    payment_method: 'virement',
    payment_details: { iban: IBAN, beneficiary_name: 'Bois SARL' },
  });
  return (reply.body.data as { id: string }).id;
}
const taxed = (number: string, amount: string, vat: string, total: string, more: Partial<IncomingInvoice> = {}) => ({
  number,
  day: today,
  amount,
  vat,
  total,
  seller: { siren: '552100554', vat: 'FR96552100554' },
  ...more,
});
const untaxed = (number: string, amount: string, more: Partial<IncomingInvoice> = {}) =>
  taxed(number, amount, '0.00', amount, { seller: { siren: '443061841' }, ...more });
const bring = (invoice: IncomingInvoice) => platform.bring(`${invoice.number}.xml`, Buffer.from(ciiInvoice(invoice)));

type Shown = {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly data: { readonly number: string } | null;
  readonly candidates: readonly { readonly id: string; readonly name: string }[];
  readonly told: { readonly code: string; readonly state: string; readonly words: string | null } | null;
};
const ask = (who: Person, action: string, body: Record<string, unknown>): Promise<Reply> =>
  callAs(server, who, `e-invoicing?action=${action}`, body);
const shown = async (): Promise<readonly Shown[]> =>
  (await callAs(server, people.admin, 'e-invoicing?action=received', undefined, { method: 'GET' })).body.data.invoices;
const work = (task: string) => server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, task, {}));

/** The invoice of this number, once this has become of it. */
async function becomes(number: string, state: string, reason: string | null = null): Promise<Shown> {
  return vi.waitFor(async () => {
    await server.database.asOwner(`update private.received_invoices set run_at = now() where leased_until < now()`);
    await work('read_received_e_invoices');
    const one = only((await shown()).filter(({ data }) => data?.number === number));
    expect([one.state, one.reason]).toEqual([state, reason]);
    return one;
  }, PATIENCE);
}
async function told(number: string): Promise<{ code: string; xml: string }> {
  return vi.waitFor(async () => {
    await work('send_received_statuses');
    const one = only((await shown()).filter(({ data }) => data?.number === number));
    expect(one.told?.state).toBe('deposited');
    const flow = only(
      platform.flows.filter(({ flowSyntax, document }) => flowSyntax === 'CDAR' && document.includes(`>${number}<`)),
    );
    return { code: one.told?.code ?? '', xml: flow.document.toString() };
  }, PATIENCE);
}
const invoicesOf = (request: string) =>
  server.database.asOwner<{ id: string; number: string; status: string; hash: string }>(
    `select i.id, i.number, i.status, encode(f.hash, 'hex') as hash from public.payee_invoices i
     join private.payee_invoice_files f on f.invoice_id = i.id where i.request_id = $1`,
    [request],
  );
const trailOf = async (entity: string, id: string) =>
  (
    await server.database.asOwner<{ said: string }>(
      `select action || coalesce(' ' || (after ->> 'e_invoice_status'), '') as said from public.audit_entries
       where entity = $1 and entity_id = $2 and action ~ 'invoice' order by id`,
      [entity, id],
    )
  ).map(({ said }) => said);

test('[EI-02] an invoice that fits one open request becomes its invoice, which an admin accepts; its sender is told', async () => {
  const request = await asked(people.bois, '750.03');
  const pdf = await facturXPdf(ciiInvoice(taxed('FA-1', '750.03', '150.01', '900.04')));
  platform.bring('FA-1.pdf', pdf);
  await becomes('FA-1', 'matched');
  const kept = only(await invoicesOf(request));
  expect(kept).toMatchObject({ number: 'FA-1', status: 'sent', hash: createHash('sha256').update(pdf).digest('hex') });
  // As any other: its payee sees it, an admin decides it.
  const read = await callAs(server, people.bois, 'payment-request', { action: 'invoice', invoice_id: kept.id });
  expect(Buffer.from(read.body.data.content, 'base64').equals(pdf)).toBe(true);
  const accepted = await callAs(server, people.admin, 'payment-request', {
    action: 'decide_invoice',
    invoice_id: kept.id,
    decision: 'accepted',
  });
  expect(accepted.status).toBe(200);
  await becomes('FA-1', 'accepted');
  const { code, xml } = await told('FA-1');
  expect(code).toBe('205');
  expect(xml).toContain('<ram:ProcessConditionCode>205</ram:ProcessConditionCode>');
  expect(await trailOf('payment_requests', request)).toEqual(['receive_invoice', 'tell_invoice 205']);
  const deposit = platform.deposits.findLast(({ info }) => info['flowSyntax'] === 'CDAR');
  expect(deposit?.info['trackingId']).toMatch(/^[\da-f-]{36}$/u);
});

test('[EI-02] UBL and CII are kept as XML; a refusal of the matched invoice is told with its reason', async () => {
  const request = await asked(people.petit, '42.00');
  const xml = Buffer.from(ublInvoice(untaxed('P-1', '42.00')));
  platform.bring('P-1.xml', xml);
  await becomes('P-1', 'matched');
  const { id } = only(await invoicesOf(request));
  const read = await callAs(server, people.admin, 'payment-request', { action: 'invoice', invoice_id: id });
  expect(read.body.data).toMatchObject({ name: 'Facture P-1.xml', content_type: 'application/xml' });
  await callAs(server, people.admin, 'payment-request', {
    action: 'decide_invoice',
    invoice_id: id,
    decision: 'refused',
    reason: 'L’adresse < Rennes > manque.',
  });
  await becomes('P-1', 'refused');
  const { code, xml: message } = await told('P-1');
  expect(code).toBe('210');
  expect(message).toContain('<ram:Reason>L’adresse &lt; Rennes &gt; manque.</ram:Reason>');
  // Its request is open again, for another one.
  bring(untaxed('P-2', '42.00'));
  await becomes('P-2', 'matched');
});

test('[EI-02] what two requests could be of waits, and an admin says which; the other amounts are refused there too', async () => {
  const [first, second] = [await asked(people.petit, '61.00'), await asked(people.petit, '61.00')];
  const other = await asked(people.petit, '62.00');
  bring(untaxed('P-3', '61.00'));
  const waiting = await becomes('P-3', 'listed', 'several_requests');
  expect(waiting.candidates.map(({ id }) => id)).toEqual([first, second]);
  const match = (request: string, who = people.admin) =>
    ask(who, 'match_received', { received_id: waiting.id, request_id: request });
  for (const who of [people.accountant, people.commercial, people.petit])
    expect((await match(first, who)).status).toBe(403);
  expect((await match(other)).body.code).toBe('invoice_mismatch');
  expect((await match(second)).status).toBe(200);
  expect((await match(first)).body.code).toBe('invoice_too_late');
  await becomes('P-3', 'matched');
  expect(await invoicesOf(first)).toEqual([]);
  expect(await invoicesOf(second)).toMatchObject([{ number: 'P-3', status: 'sent' }]);
  // The same number once more, for the request that is left.
  bring(untaxed('p-3', '61.00'));
  const twice = await becomes('p-3', 'listed', 'number_taken');
  expect((await ask(people.admin, 'match_received', { received_id: twice.id, request_id: first })).body.code).toBe(
    'invoice_number_taken',
  );
});

test('[EI-02] a credit note is listed, and never matched, by hand neither', async () => {
  const request = await asked(people.petit, '71.00');
  bring(untaxed('A-1', '71.00', { type: '381' }));
  const credit = await becomes('A-1', 'listed', 'credit_note');
  expect(credit.candidates).toEqual([]);
  const matched = await ask(people.admin, 'match_received', { received_id: credit.id, request_id: request });
  expect(matched.body.code).toBe('invoice_not_offered');
  const refuse = (reason: string) => ask(people.admin, 'refuse_received', { received_id: credit.id, reason });
  expect((await refuse(' ')).status).toBe(400);
  expect((await refuse('Aucune facture à corriger.')).status).toBe(200);
  expect((await refuse('Aucune facture à corriger.')).status).toBe(200);
  expect((await refuse('Autre raison')).body.code).toBe('invoice_too_late');
  expect((await told('A-1')).code).toBe('210');
  expect(await trailOf('company_settings', '00000000-0000-0000-0000-000000000001')).toEqual(
    expect.arrayContaining(['refuse_received_invoice', 'tell_invoice 210']),
  );
});

test('[EI-02] another supplier’s invoice is set aside without a word to its platform; what is no invoice is listed', async () => {
  bring(taxed('EDF-1', '99.00', '19.80', '118.80', { seller: { siren: '552081317' } }));
  platform.bring('odd.pdf', Buffer.from('%PDF-1.7 nothing'));
  const unknown = await becomes('EDF-1', 'listed', 'unknown_seller');
  const odd = only((await shown()).filter(({ reason }) => reason === 'unreadable'));
  expect(odd).toMatchObject({ data: null, candidates: [] });
  const file = await ask(people.admin, 'received_file', { received_id: odd.id });
  expect(Buffer.from(file.body.data.content, 'base64').toString()).toBe('%PDF-1.7 nothing');
  expect((await ask(people.accountant, 'received_file', { received_id: odd.id })).status).toBe(403);
  const deposits = platform.deposits.length;
  for (const { id } of [unknown, odd])
    expect((await ask(people.admin, 'set_aside_received', { received_id: id })).status).toBe(200);
  await work('send_received_statuses');
  expect(platform.deposits.length).toBe(deposits);
  expect((await ask(people.admin, 'received_file', { received_id: odd.id })).status).toBe(404);
  // It is known, and comes no more.
  await work('read_received_e_invoices');
  await becomes('EDF-1', 'aside', 'unknown_seller');
});

test('[EI-02] [AC-04] an invoice of a commercial stands as that of the month that is due; decided, its sender is told', async () => {
  const { database } = server;
  const agent = await aCommercial(database);
  const { month } = only(
    await database.asOwner<{ month: string }>(
      `select (private.last_month_begun() - interval '1 month')::date::text as month`,
    ),
  );
  const scale = await aScale(database, { commercialType: 'fixed', commercialAmount: '750.03' });
  const sale = await aSale(database, { commercial: agent, friendReferrer: people.petit, scale, isReady: true });
  await database.become(people.admin, async (run) => {
    await run(`select set_config('app.at', $1, true)`, [`${month.slice(0, 8)}05 10:00 Europe/Paris`]);
    await run(asSeen.validate, [sale.id, scale.id]);
  });
  const seller = { siren: '404833048', vat: 'FR83404833048' };
  await callAs(server, agent, 'papers?action=update_payee', {
    payee_id: agent.id,
    ...address,
    status: 'societe',
    legal_name: 'Chêne SARL',
    siren: seller.siren,
    charges_vat: true,
    vat_number: seller.vat,
  });
  await callAs(server, people.admin, 'papers?action=accept_vat', { payee_id: agent.id, vat_number: seller.vat });
  bring(taxed('M-0', '750.04', '150.01', '900.05', { seller }));
  await becomes('M-0', 'listed', 'no_month');
  bring(taxed('M-1', '750.03', '150.01', '900.04', { seller }));
  await becomes('M-1', 'matched');
  const invoice = async () =>
    only(
      await database.asOwner<{ id: string; month: string; status: string }>(
        `select id, month::text, status from public.payee_invoices where payee_id = $1 and status <> 'refused'`,
        [agent.id],
      ),
    );
  expect(await invoice()).toMatchObject({ month, status: 'sent' });
  // It waits alone: another of this sum is of nothing, as long as this one stands.
  bring(taxed('M-2', '750.03', '150.01', '900.04', { seller }));
  const second = await becomes('M-2', 'listed', 'no_month');
  expect(second.candidates).toEqual([]);
  const decide = async (fields: object) =>
    callAs(server, people.admin, 'payment-request', {
      action: 'decide_invoice',
      invoice_id: (await invoice()).id,
      ...fields,
    });
  expect((await decide({ decision: 'refused', reason: 'Mauvaise adresse' })).status).toBe(200);
  expect((await told('M-1')).code).toBe('210');
  // Its month is due again: the other one takes it, by hand or by itself.
  const waiting = only((await shown()).filter(({ id }) => id === second.id));
  expect(waiting.state === 'matched' || waiting.candidates.length === 1).toBe(true);
  await becomes('M-2', 'matched');
  expect((await decide({ decision: 'accepted' })).status).toBe(200);
  expect((await told('M-2')).code).toBe('205');
  // The second one may come before the first one's answer has left.
  expect((await trailOf('profiles', agent.id)).toSorted()).toEqual([
    'accept_invoice',
    'receive_invoice',
    'receive_invoice',
    'refuse_invoice',
    'tell_invoice 205',
    'tell_invoice 210',
  ]);
  const paid = await callAs(server, people.admin, 'payment-batch', {
    action: 'pay_month',
    month,
    lines: [{ payee_id: agent.id, amount: '750.03', vat_amount: '150.01' }],
    paid_on: null,
  });
  expect(paid.status).toBe(200);
});

test('[EI-02] what the platform says of our answer is read; one that it would not take is given again by an admin', async () => {
  await asked(people.petit, '43.00');
  bring(untaxed('P-20', '43.00'));
  await becomes('P-20', 'matched');
  const { id } = only(
    await server.database.asOwner<{ id: string }>(`select id from public.payee_invoices where number = 'P-20'`),
  );
  await callAs(server, people.admin, 'payment-request', {
    action: 'decide_invoice',
    invoice_id: id,
    decision: 'accepted',
  });
  await told('P-20');
  const flows = () =>
    platform.flows.filter(({ flowSyntax, document }) => flowSyntax === 'CDAR' && document.includes('>P-20<'));
  const [first] = flows();
  if (first === undefined) throw new Error('An answer left');
  const said = (state: string, words: string | null) =>
    vi.waitFor(async () => {
      await work('read_e_invoice_statuses');
      const one = only((await shown()).filter(({ data }) => data?.number === 'P-20'));
      expect(one.told).toMatchObject({ code: '205', state, words });
      return one;
    }, PATIENCE);
  const again = (who = people.admin, received = '') => ask(who, 'answer_received_again', { received_id: received });
  // Nothing is known of it yet.
  const waiting = await said('deposited', null);
  expect((await again(people.admin, waiting.id)).body.code).toBe('invoice_too_late');
  platform.acknowledge(first, 'Error', 'Facture inconnue');
  const refused = await said('refused', 'REJ_SEMAN : Facture inconnue');
  expect((await again(people.accountant, refused.id)).status).toBe(403);
  for (let time = 0; time < 2; time += 1) expect((await again(people.admin, refused.id)).status).toBe(200);
  await vi.waitFor(async () => {
    await work('send_received_statuses');
    expect(flows()).toHaveLength(2);
    expect(only((await shown()).filter(({ data }) => data?.number === 'P-20')).told?.state).toBe('deposited');
  }, PATIENCE);
  const second = flows().at(-1);
  if (second === undefined) throw new Error('It left again');
  expect(second.trackingId).not.toBe(first.trackingId);
  platform.acknowledge(second, 'Ok');
  const taken = await said('accepted', null);
  expect((await again(people.admin, taken.id)).body.code).toBe('invoice_too_late');
  const { request_id: request } = only(
    await server.database.asOwner<{ request_id: string }>(
      'select request_id from public.payee_invoices where id = $1',
      [id],
    ),
  );
  expect(await trailOf('payment_requests', request)).toEqual([
    'receive_invoice',
    'tell_invoice 205',
    'tell_invoice 205',
    'answer_invoice_again 205',
    'tell_invoice 205',
    'tell_invoice 205',
  ]);
});

test('[EI-02] a supplier is set aside once for all, never a payee; restored, what it sent comes back', async () => {
  const edf = (number: string, more: Partial<IncomingInvoice> = {}) =>
    bring(taxed(number, '99.00', '19.80', '118.80', { seller: { siren: '542107651', vat: 'FR03542107651' }, ...more }));
  edf('E-1');
  edf('E-2', { type: '381' });
  bring(taxed('X-1', '98.00', '19.60', '117.60', { seller: { siren: '380129866' } }));
  const [first] = [await becomes('E-1', 'listed', 'unknown_seller'), await becomes('E-2', 'listed', 'credit_note')];
  await becomes('X-1', 'listed', 'unknown_seller');
  const set = (id: string, who = people.admin) => ask(who, 'set_aside_supplier', { received_id: id });
  expect((await set(first.id, people.accountant)).status).toBe(403);
  bring(untaxed('P-30', '1.23'));
  const payee = await becomes('P-30', 'listed', 'no_request');
  expect((await set(payee.id)).body.code).toBe('invoice_too_late');
  expect((await set(first.id)).body.count).toBe(2);
  expect((await set(first.id)).body.count).toBe(0);
  const suppliers = async () =>
    (await callAs(server, people.admin, 'e-invoicing?action=received', undefined, { method: 'GET' })).body.data
      .suppliers;
  expect(await suppliers()).toMatchObject([{ siren: '542107651', invoices: 2 }]);
  // What comes later goes by itself; what has an account of a payee's waits.
  edf('E-3');
  edf('E-4', { seller: { siren: '542107651', iban: IBAN } });
  await becomes('E-4', 'listed', 'seller_conflict');
  await vi.waitFor(async () => {
    await work('read_received_e_invoices');
    expect(await suppliers()).toMatchObject([{ siren: '542107651', invoices: 3 }]);
  }, PATIENCE);
  expect((await shown()).filter(({ data }) => ['E-1', 'E-2', 'E-3'].includes(data?.number ?? ''))).toEqual([]);
  await becomes('X-1', 'listed', 'unknown_seller');
  expect((await ask(people.admin, 'restore_supplier', { siren: 'EDF' })).status).toBe(400);
  expect((await ask(people.accountant, 'restore_supplier', { siren: '542107651' })).status).toBe(403);
  expect((await ask(people.admin, 'restore_supplier', { siren: '542107651' })).body.count).toBe(3);
  expect(await suppliers()).toEqual([]);
  for (const number of ['E-1', 'E-3']) await becomes(number, 'listed', 'unknown_seller');
  const back = await becomes('E-2', 'listed', 'credit_note');
  expect((await ask(people.admin, 'received_file', { received_id: back.id })).status).toBe(200);
  const trail = await trailOf('company_settings', '00000000-0000-0000-0000-000000000001');
  expect(trail.filter((act) => act.startsWith('set_aside_received')).length).toBeGreaterThanOrEqual(3);
  const acts = await server.database.asOwner<{ action: string }>(
    `select action from public.audit_entries where action ~ 'supplier' order by id`,
  );
  expect(acts.map(({ action }) => action)).toEqual(['set_aside_supplier', 'restore_supplier']);
});

test('[EI-01] [OP-03] a queue that the platform keeps for a day raises an alarm, which is over once it has left', async () => {
  const { asOwner } = server.database;
  bring(untaxed('P-40', '4.56'));
  const { id } = await becomes('P-40', 'listed', 'no_request');
  const stuck = async () =>
    asOwner<{ details: { last_error: string } }>(
      `select details from private.alarms where kind = 'e_invoices_stuck' and cleared_at is null`,
    );
  platform.isDown = true;
  await ask(people.admin, 'refuse_received', { received_id: id, reason: 'Inconnue' });
  const failing = async () =>
    only(
      await asOwner<{ since: string | null; error: string | null }>(
        `select f ->> 'failing_since' as since, f ->> 'last_error' as error from (select private.system_figures() -> 'e_invoices' as f) x`,
      ),
    );
  await vi.waitFor(async () => {
    await work('send_received_statuses');
    expect((await failing()).error).toMatch(/^La plateforme est en panne \(503\)/u);
  }, PATIENCE);
  const { since } = await failing();
  // Another failure leaves its beginning as it is.
  await asOwner(
    `update private.received_invoice_statuses set words = 'Maintenance', run_at = now() + interval '1 hour' where state = 'waiting'`,
  );
  expect(await failing()).toEqual({ since, error: 'Maintenance' });
  await evaluateAlarms(server.services);
  expect(await stuck()).toEqual([]);
  await asOwner(
    `update private.received_invoice_statuses set failing_since = now() - interval '25 hours', run_at = now() where state = 'waiting'`,
  );
  await evaluateAlarms(server.services);
  expect(only(await stuck()).details.last_error).toBe('Maintenance');
  platform.isDown = false;
  expect((await told('P-40')).code).toBe('210');
  expect(await failing()).toEqual({ since: null, error: null });
  await evaluateAlarms(server.services);
  expect(await stuck()).toEqual([]);
});

test('[EI-02] an invoice that came before its request is matched once there is one; an account names its owner', async () => {
  bring(untaxed('P-8', '88.00', { seller: { iban: 'FR76 3000 6000 0112 3456 7890 189' } }));
  // Both payees were paid on it.
  await becomes('P-8', 'listed', 'several_sellers');
  bring(untaxed('P-9', '89.00'));
  await becomes('P-9', 'listed', 'no_request');
  const request = await asked(people.petit, '89.00');
  await becomes('P-9', 'matched');
  // A request that is refused leaves its invoice to wait for another.
  const { version } = only(
    await server.database.asOwner<{ version: number }>('select version from public.payment_requests where id = $1', [
      request,
    ]),
  );
  const rejected = await callAs(server, people.admin, 'payment-request?action=update_status', {
    request_id: request,
    status: 'rejected',
    rejection_reason: 'Montant à revoir',
    seen_version: version,
    expected_amount: '89.00',
  });
  expect(rejected.status).toBe(200);
  await becomes('P-9', 'listed', 'no_request');
  await asked(people.petit, '89.00');
  await becomes('P-9', 'matched');
});
