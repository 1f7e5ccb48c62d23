import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import {
  aClient,
  aCommercial,
  anAccountant,
  anAdmin,
  asSeen,
  aScale,
  aValidatedSale,
  only,
  startTestServer,
} from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import { startAgreedPlatform } from '../testing/agreed-platform.ts';
import type { AgreedPlatform, PlatformFlow } from '../testing/agreed-platform.ts';
import { callAs } from '../testing/call-function.ts';
import type { Reply } from '../testing/call-function.ts';
import { unzipped } from '../testing/unzipped.ts';
import { lifeCycleSteps } from './life-cycle.ts';

const address = { street: '12 rue des Lilas', postal_code: '35000', city: 'Rennes' };
const lumeo = {
  issues_papers: true,
  contest_days: 15,
  legal_name: 'Lumeo Habitat',
  ...address,
  siren: '732829320',
  vat_number: '',
};
const PATIENCE = { timeout: 20_000, interval: 50 };

let server: TestServer;
let platform: AgreedPlatform;
let admin: Person;
let accountant: Person;
let seller: Person;
let stranger: Person;
beforeAll(async () => {
  server = await startTestServer();
  platform = await startAgreedPlatform(lumeo.siren);
  const { database } = server;
  admin = await anAdmin(database);
  accountant = await anAccountant(database);
  const commercial = await aCommercial(database);
  const scale = await aScale(database, { isDefault: true, clientType: 'fixed', clientAmount: '500.00' });
  [seller, stranger] = [await aClient(database, { commercial }), await aClient(database, { commercial })];
  await aValidatedSale(database, { commercial, friendReferrer: seller, admin, scale });
});
afterAll(async () => {
  await platform.close();
  await server.close();
});

const ask = (who: Person, action: string, body: Record<string, unknown> = {}): Promise<Reply> =>
  callAs(server, who, `e-invoicing?action=${action}`, body);
const settings = async () =>
  (await callAs(server, admin, 'e-invoicing?action=read', undefined, { method: 'GET' })).body.data;
const connect = (form: Record<string, string> = {}): Promise<Reply> =>
  ask(admin, 'connect', { ...platform.access, ...form });

async function becomesASeller(): Promise<void> {
  await callAs(server, admin, 'papers?action=update_company', lumeo);
  await callAs(server, seller, 'papers?action=update_payee', {
    payee_id: seller.id,
    status: 'micro',
    legal_name: 'Noé Petit',
    ...address,
    siren: '552100554',
    charges_vat: false,
  });
  const shown = await callAs(server, seller, 'papers?action=payee', { payee_id: seller.id });
  const { mandate_offered: text } = shown.body.data as { mandate_offered: string };
  expect((await callAs(server, seller, 'papers?action=accept_mandate', { seen_text: text })).status).toBe(200);
}

type Paper = { readonly id: string; readonly label: string; readonly request: string };

/** A transfer, which may come back, with its invoice. */
async function aTransfer(amount: string): Promise<Paper> {
  const { become, asOwner } = server.database;
  const { id } = only(
    await become(seller, (run) =>
      run<{ id: string }>(`select id from private.request_payment($1, 'virement', $2, null)`, [
        amount,
        '{"iban": "FR76 •••• 0189", "beneficiary_name": "Noé"}',
      ]),
    ),
  );
  for (const status of ['approved', 'paid']) await become(admin, (run) => run(asSeen.decide, [id, status, null]));
  return laidOut(
    only(
      await asOwner<Paper>('select id, label, request_id as request from public.papers where request_id = $1', [id]),
    ),
  );
}

async function laidOut(paper: Paper): Promise<Paper> {
  expect((await server.fetch(`/exports/v1/papers/${paper.id}.pdf`, {}, seller)).status).toBe(200);
  return paper;
}

/** A payment with its invoice, laid out. */
async function anInvoice(amount = '10'): Promise<Paper> {
  const request = (
    await callAs(server, seller, 'payment-request', { action: 'create', amount, payment_method: 'remise_societe' })
  ).body.data.id as string;
  for (const status of ['approved', 'paid']) {
    const { version } = only(
      await server.database.asOwner<{ version: number }>('select version from public.payment_requests where id = $1', [
        request,
      ]),
    );
    const decided = await callAs(server, admin, 'payment-request?action=update_status', {
      request_id: request,
      status,
      seen_version: version,
      expected_amount: `${amount}.00`,
    });
    expect(decided.status).toBe(200);
  }
  const paper = only(
    await server.database.asOwner<Paper>(
      'select id, label, request_id as request from public.papers where request_id = $1',
      [request],
    ),
  );
  return laidOut(paper);
}

const work = (task: string) => server.services.db.asService('test', (tx) => server.services.jobs.enqueue(tx, task, {}));
const stateOf = async ({ id }: Paper, who = admin): Promise<Record<string, unknown>> =>
  ((await ask(who, 'states', { paper_ids: [id] })).body.data as Record<string, unknown>[])[0] ?? {};
const historyOf = async ({ id }: Paper, who = admin): Promise<{ code: string; words: string | null }[]> =>
  (await ask(who, 'history', { paper_id: id })).body.data;

async function becomes(paper: Paper, state: string, task: string): Promise<void> {
  await vi.waitFor(async () => {
    await server.database.asOwner(
      `update private.e_invoices set run_at = now() where state = 'waiting' and leased_until < now()`,
    );
    await work(task);
    expect((await stateOf(paper))['state']).toBe(state);
  }, PATIENCE);
}

function flowOf({ id }: Paper): PlatformFlow {
  const flow = platform.flows.findLast(({ trackingId }) => trackingId === id);
  if (flow === undefined) throw new Error('The platform has no such flow');
  return flow;
}

test('[EI-01] a CDAR message says its steps and reasons, whatever the prefixes; what is none says nothing', () => {
  expect(
    lifeCycleSteps(
      '<a:ReferenceReferencedDocument><a:IssuerAssignedID>F1 &amp; co</a:IssuerAssignedID><a:ProcessConditionCode>210</a:ProcessConditionCode>' +
        '<a:SpecifiedDocumentStatus><a:ReasonCode>TX_TVA_ERR</a:ReasonCode><a:Reason>Taux &lt; 20</a:Reason></a:SpecifiedDocumentStatus></a:ReferenceReferencedDocument>' +
        '<ReferenceReferencedDocument><IssuerAssignedID>F2</IssuerAssignedID><ProcessConditionCode>205</ProcessConditionCode></ReferenceReferencedDocument>',
    ),
  ).toEqual([
    { invoice: 'F1 & co', code: '210', words: 'TX_TVA_ERR : Taux < 20' },
    { invoice: 'F2', code: '205', words: '' },
  ]);
  expect(lifeCycleSteps('<html>no</html>')).toEqual([]);
});

test('[EI-01] a platform is kept once it has answered, and switched on after that; its secret is never given back', async () => {
  expect(await settings()).toMatchObject({ platform: null, siren: null });
  const unknown = await connect();
  expect([unknown.status, unknown.body.issues[0].path]).toEqual([400, ['flow_url']]);
  expect(unknown.body.issues[0].message).toContain('SIREN');
  await becomesASeller();
  expect((await ask(admin, 'switch', { is_on: true })).status).toBe(404);

  const refused = await connect({ client_secret: 'faux' });
  expect(refused.body.issues).toEqual([
    { path: ['client_id'], message: 'La plateforme refuse l’identifiant ou le secret. Elle dit : invalid_client' },
  ]);
  const elsewhere = await connect({ flow_url: `${platform.url}/nowhere` });
  expect(elsewhere.body.issues[0].message).toContain('ne connaît pas cette adresse');
  expect(elsewhere.body.issues[0].path).toEqual(['flow_url']);
  expect((await connect({ flow_url: 'ftp://x.fr' })).status).toBe(400);
  // Any site answers 200 with a page.
  const site = createServer((_request, response) => void response.writeHead(200).end('<!doctype html>'));
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const page = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  for (const [changed, path] of [
    [{ flow_url: page, directory_url: page }, 'directory_url'],
    [{ token_url: page }, 'token_url'],
  ] as const) {
    expect((await connect(changed)).body.issues).toEqual([
      { path: [path], message: 'Cette adresse ne répond pas comme une plateforme agréée : vérifiez-la.' },
    ]);
  }
  site.close();
  await callAs(server, admin, 'papers?action=update_company', { ...lumeo, siren: '443061841' });
  expect((await connect()).body.issues[0].path).toEqual(['directory_url']);
  await callAs(server, admin, 'papers?action=update_company', lumeo);
  expect((await settings()).platform).toBeNull();

  expect((await connect()).status).toBe(200);
  const kept = await settings();
  expect(kept.platform).toMatchObject({ flow_url: platform.access.flow_url, is_on: false });
  expect(JSON.stringify(kept)).not.toContain(platform.access.client_secret);
  const { secret } = only(
    await server.database.asOwner<{ secret: Buffer }>('select secret_sealed as secret from private.e_invoicing'),
  );
  expect(secret.toString()).not.toContain(platform.access.client_secret);
  // Without another secret the kept one stays.
  const { client_secret: _, ...rest } = platform.access;
  expect((await ask(admin, 'connect', rest)).status).toBe(200);
  // It goes to the addresses and for the client that it was given with, and nowhere else.
  const calls = platform.calls.length;
  for (const changed of [{ token_url: `${platform.url}/elsewhere` }, { client_id: 'autre' }]) {
    const asked = await ask(admin, 'connect', { ...rest, ...changed });
    expect(asked.body.issues).toEqual([{ path: ['client_secret'], message: 'Indiquez le secret.' }]);
  }
  expect(platform.calls.length).toBe(calls);
  const echo = createServer((request, response) => void request.pipe(response.writeHead(400)));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const { port } = echo.address() as AddressInfo;
  const echoed = await connect({ token_url: `http://127.0.0.1:${port}/token` });
  echo.close();
  expect(echoed.body.issues[0].message).toContain('client_secret=•••');
  expect(decodeURIComponent(JSON.stringify(echoed.body))).not.toContain(platform.access.client_secret);
  expect((await ask(admin, 'try')).status).toBe(200);
  platform.isDown = true;
  expect((await ask(admin, 'try')).body.issues[0].message).toContain('en panne (503)');
  platform.isDown = false;

  // A session that has lasted opens no way out for invoices.
  const late = await anAdmin(server.database);
  await server.database.asOwner(`update auth.sessions set created_at = now() - interval '11 minutes' where id = $1`, [
    late.sessionId,
  ]);
  const before = platform.calls.length;
  expect((await ask(late, 'connect', platform.access)).body.code).toBe('reauthentication_required');
  expect(platform.calls.length).toBe(before);

  for (const who of [seller, accountant]) {
    for (const action of ['connect', 'try', 'switch', 'deposit', 'deposit_all', 'mark']) {
      expect((await ask(who, action, {})).status).toBe(403);
    }
  }
});

test('[EI-01] until a platform is on, an invoice waits for nobody: it is exported for a period, each with its state, or noted as sent', async () => {
  const [first, second] = [await anInvoice('10'), await anInvoice('11')];
  expect(await server.database.asOwner('select from private.e_invoices')).toEqual([]);
  expect(await stateOf(first)).toMatchObject({ state: 'unsent' });
  expect((await ask(admin, 'deposit', { paper_ids: [first.id] })).status).toBe(400);
  const year = first.label.split('-')[1] ?? '';
  const take = async (who: Person) => server.fetch(`/exports/v1/e-invoices/${year}.zip`, {}, who);

  expect((await take(seller)).status).toBe(403);
  expect((await take(accountant)).status).toBe(200);
  // An accountant reads.
  expect(await stateOf(first)).toMatchObject({ state: 'unsent' });
  const files = unzipped(Buffer.from(await (await take(admin)).arrayBuffer()));
  expect([...files.keys()]).toEqual([
    'LISEZ-MOI.txt',
    `Autofacture ${first.label}.pdf`,
    `Autofacture ${second.label}.pdf`,
  ]);
  expect(files.get(`Autofacture ${first.label}.pdf`)?.toString('latin1')).toContain('factur-x.xml');
  expect(files.get('LISEZ-MOI.txt')?.toString()).toContain(first.label);
  expect(await stateOf(first)).toMatchObject({ state: 'exported', exported_at: expect.any(String) });

  // Exported is not deposited: it remains to be done.
  expect(await settings()).toMatchObject({ unsent: 2, never: 0 });

  const mark = (day: string) => ask(admin, 'mark', { paper_ids: [first.id], day });
  expect((await mark('2999-01-01')).body.issues).toEqual([
    { path: ['day'], message: 'Le jour du dépôt n’est pas encore venu.' },
  ]);
  // Before the invoice was there, and said a second time: nothing is noted, and it is said.
  await server.database.asOwner(`alter table public.papers disable trigger papers_are_never_changed`);
  await server.database.asOwner(`update public.papers set issued_on = issued_on - 2 where id = $1`, [first.id]);
  await server.database.asOwner(`alter table public.papers enable trigger papers_are_never_changed`);
  const days = only(
    await server.database.asOwner<Record<'before' | 'day' | 'after', string>>(
      `select (issued_on - 1)::text as before, issued_on::text as day, (issued_on + 1)::text as after from public.papers where id = $1`,
      [first.id],
    ),
  );
  expect((await mark(days.before)).body.issues[0].message).toContain('ce jour précède la facture');
  const marked = await mark(days.day);
  expect([marked.status, marked.body.count]).toEqual([200, 1]);
  expect((await mark(days.day)).status).toBe(400);
  expect((await mark(days.after)).status).toBe(200);
  expect(await stateOf(first)).toMatchObject({ state: 'elsewhere', elsewhere_on: days.after });
  expect((await historyOf(first)).map(({ code }) => code)).toEqual(['exported', 'elsewhere', 'elsewhere']);
  expect(await settings()).toMatchObject({ unsent: 1 });
  const again = unzipped(Buffer.from(await (await take(admin)).arrayBuffer()));
  expect([...again.keys()]).toEqual(['LISEZ-MOI.txt', `Autofacture ${second.label}.pdf`]);
  expect(again.get('LISEZ-MOI.txt')?.toString()).toContain('déposée hors de Parrain');
});

test('[EI-01] once it is on, an invoice is queued by its payment, deposited by the norm, and followed to its end, in the trail too', async () => {
  expect((await ask(admin, 'switch', { is_on: true })).status).toBe(200);
  const paper = await anInvoice('12');
  await becomes(paper, 'deposited', 'send_e_invoices');
  const { headers, info } = platform.deposits.findLast(({ info: told }) => told['trackingId'] === paper.id) ?? {};
  expect(info).toEqual({
    trackingId: paper.id,
    name: `${paper.label}.pdf`,
    flowSyntax: 'Factur-X',
    flowProfile: 'CIUS',
    processingRule: 'B2B',
    sha256: expect.stringMatching(/^[\da-f]{64}$/u),
  });
  expect(headers?.authorization).toMatch(/^Bearer token-/u);
  expect(headers?.['request-id']).toMatch(/^[\da-f-]{36}$/u);
  expect(flowOf(paper).document.toString('latin1')).toContain('factur-x.xml');
  expect(await stateOf(paper, seller)).toMatchObject({ state: 'deposited', deposited_at: expect.any(String) });
  expect(await stateOf(paper, stranger)).toEqual({});
  expect((await ask(stranger, 'history', { paper_id: paper.id })).status).toBe(404);

  platform.acknowledge(flowOf(paper), 'Ok');
  await becomes(paper, 'accepted', 'read_e_invoice_statuses');
  platform.tell(paper.label, '205');
  platform.tell('F000000000-2026-0001', '205');
  platform.tell(paper.label, '212');
  await becomes(paper, 'collected', 'read_e_invoice_statuses');
  // Read once more, they are the same.
  await work('read_e_invoice_statuses');
  expect((await historyOf(paper, seller)).map(({ code }) => code)).toEqual(['deposited', 'accepted', '205', '212']);
  const trail = await server.database.asOwner<{ after: Record<string, string> }>(
    `select after from public.audit_entries where entity_id = $1 and action = 'e_invoice' order by id`,
    [paper.request],
  );
  expect(trail.map(({ after }) => after)).toEqual(
    ['deposited', 'accepted', '205', '212'].map((code) => ({ paper: paper.label, e_invoice_status: code })),
  );
  await expect(
    server.database.asOwner('update private.e_invoice_statuses set code = $1 where paper_id = $2', ['213', paper.id]),
  ).rejects.toThrow('forbidden');
});

test('[EI-01] self-billed invoices and their credit notes leave; receipts, annulments, quarters and test papers do not', async () => {
  const rows = await server.database.asOwner<{ series: string; leaves: boolean }>(
    `select x.series, private.is_e_invoice(jsonb_populate_record(null::public.papers, to_jsonb(x))) as leaves
      from (values ('F552100554', false), ('A552100554', false), ('R', false), ('AR', false), ('RT', false), ('TF552100554', true)) x (series, is_test)`,
  );
  expect(rows.filter(({ leaves }) => leaves).map(({ series }) => series)).toEqual(['F552100554', 'A552100554']);
});

test('[EI-01] what the platform refuses stops with its words, and leaves once more when an admin asks for it', async () => {
  platform.faultOf(() => 'refused');
  const paper = await anInvoice('13');
  await becomes(paper, 'refused', 'send_e_invoices');
  expect((await stateOf(paper))['words']).toBe(
    'La plateforme a refusé (422). Elle dit : BR-FR-01, Le SIREN du vendeur est inconnu',
  );
  // Its payee reads the state, not the platform's words.
  expect((await stateOf(paper, seller))['words']).toBeNull();
  const tries = platform.deposits.length;
  await work('send_e_invoices');
  platform.faultOf(() => 'none');
  expect((await ask(admin, 'deposit', { paper_ids: [paper.id] })).body.count).toBe(1);
  await becomes(paper, 'deposited', 'send_e_invoices');
  expect(platform.deposits.length).toBe(tries + 1);

  const first = flowOf(paper);
  platform.acknowledge(first, 'Error', 'Signature absente');
  await becomes(paper, 'refused', 'read_e_invoice_statuses');
  expect((await historyOf(paper)).at(-1)).toMatchObject({ code: 'refused', words: 'REJ_SEMAN : Signature absente' });
  // Its words may name people: its payee reads the steps alone.
  expect((await historyOf(paper, seller)).map(({ words }) => words)).toEqual([null, null, null, null]);
  const asked = await server.database.asOwner<{ actor: string }>(
    `select actor_id as actor from public.audit_entries where entity_id = $1 and after ->> 'e_invoice_status' = 'asked'`,
    [paper.request],
  );
  expect(asked).toEqual([{ actor: admin.id }]);
  await ask(admin, 'deposit', { paper_ids: [paper.id] });
  await becomes(paper, 'deposited', 'send_e_invoices');
  expect(flowOf(paper).flowId).not.toBe(first.flowId);
  platform.acknowledge(flowOf(paper), 'Ok');
  await becomes(paper, 'accepted', 'read_e_invoice_statuses');
  platform.tell(paper.label, '213', 'Montant &lt; 0');
  await becomes(paper, 'refused', 'read_e_invoice_statuses');
  expect((await stateOf(paper))['words']).toBe('TX_TVA_ERR : Montant < 0');
  // What its buyer refuses is taken back by a credit note, never sent again.
  await ask(admin, 'deposit', { paper_ids: [paper.id] });
  await becomes(paper, 'deposited', 'send_e_invoices');
  platform.tell(paper.label, '210', 'Autre');
  await becomes(paper, 'refused', 'read_e_invoice_statuses');
  const again = await ask(admin, 'deposit', { paper_ids: [paper.id] });
  expect([again.status, again.body.issues[0].message]).toEqual([
    400,
    expect.stringContaining('refusées par l’acheteur'),
  ]);
});

test('[EI-01] a credit note follows its invoice, and takes along one of before the platform', async () => {
  const ofBefore = async (): Promise<Paper> => {
    await ask(admin, 'switch', { is_on: false });
    const paper = await aTransfer('15');
    await ask(admin, 'switch', { is_on: true });
    return paper;
  };
  const creditNoteOf = async ({ request }: Paper): Promise<Paper> => {
    await server.database.become(admin, (run) =>
      run(
        `select d.already from public.payment_requests r, private.return_payment(r.id, 'Compte clos.', r.version, null) d where r.id = $1`,
        [request],
      ),
    );
    return laidOut(
      only(
        await server.database.asOwner<Paper>(
          `select id, label, request_id as request from public.papers where request_id = $1 and series ~ '^A'`,
          [request],
        ),
      ),
    );
  };
  const first = await ofBefore();
  platform.faultOf((id) => (id === first.id ? 'refused' : 'none'));
  const note = await creditNoteOf(first);
  await becomes(first, 'refused', 'send_e_invoices');
  await work('send_e_invoices');
  expect(await stateOf(note)).toMatchObject({ state: 'waiting' });
  platform.faultOf(() => 'none');
  await ask(admin, 'deposit', { paper_ids: [first.id] });
  await becomes(note, 'deposited', 'send_e_invoices');
  const order = platform.flows.map(({ trackingId }) => trackingId);
  expect(order.indexOf(first.id)).toBeLessThan(order.indexOf(note.id));
  expect(order.indexOf(first.id)).toBeGreaterThan(-1);

  // What was made before the platform was on leaves by one word.
  const second = await ofBefore();
  expect(await settings()).toMatchObject({ never: 1 });
  expect((await ask(admin, 'deposit_all')).body).toMatchObject({ count: 1 });
  await becomes(second, 'deposited', 'send_e_invoices');
  expect((await ask(admin, 'deposit_all')).status).toBe(400);
});

test('[EI-01] a platform that asks for patience gets it for every invoice, and one that is away loses none', async () => {
  platform.faultOf(() => 'busy');
  const paper = await anInvoice('14');
  await vi.waitFor(async () => {
    await work('send_e_invoices');
    expect(await stateOf(paper)).toMatchObject({
      state: 'waiting',
      words: 'La plateforme demande d’attendre. Elle dit : TOO_MANY',
    });
  }, PATIENCE);
  const { pause } = only(
    await server.database.asOwner<{ pause: boolean }>(
      `select paused_until > now() - interval '1 minute' as pause from private.e_invoicing`,
    ),
  );
  expect(pause).toBe(true);
  platform.faultOf(() => 'none');
  platform.isDown = true;
  await ask(admin, 'deposit', { paper_ids: [paper.id] });
  await vi.waitFor(async () => {
    await work('send_e_invoices');
    expect((await stateOf(paper))['words']).toContain('en panne');
  }, PATIENCE);
  expect(await settings()).toMatchObject({ waiting: 1, trouble: expect.stringContaining('en panne') });
  platform.isDown = false;
  await becomes(paper, 'deposited', 'send_e_invoices');
});
