import { dayOf } from '@parrain/domain/date';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { startAgreedPlatform } from '../testing/agreed-platform.ts';
import type { AgreedPlatform, DocumentFault, PlatformFault } from '../testing/agreed-platform.ts';
import { ciiInvoice } from '../testing/incoming-invoice.ts';
import { aClient, aCommercial, anAdmin, aScale, aValidatedSale, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';
import type { Services } from '../platform/services.ts';
import { defineEInvoiceReceiver, defineReceivedStatusSender } from './receiver.ts';
import { sealPlatformSecret } from './settings.ts';

// EI-02: what comes in under faults. None is lost, none is taken twice, each answer arrives once.

const SIREN = '732829320';
const TIMEOUT_MS = 150;
const DOCUMENT_FAULTS: readonly DocumentFault[] = [
  'none',
  'none',
  'none',
  'half',
  'broken',
  'down',
  'busy',
  'token',
  'lost',
  'slow',
];
const DEPOSIT_FAULTS: readonly PlatformFault[] = [
  'none',
  'lost',
  'slow',
  'broken',
  'down',
  'busy',
  'token',
  'garbled',
  'duplicate',
  'none',
];

let server: TestServer;
let platform: AgreedPlatform;
let admin: Person;
let payee: Person;
beforeEach(async () => {
  server = await startTestServer({ jobs: false });
  platform = await startAgreedPlatform(SIREN);
  const { database } = server;
  admin = await anAdmin(database);
  const commercial = await aCommercial(database);
  const scale = await aScale(database, { isDefault: true, clientType: 'fixed', clientAmount: '5000.00' });
  payee = await aClient(database, { commercial });
  await aValidatedSale(database, { commercial, friendReferrer: payee, admin, scale });
  await database.asOwner(
    `insert into private.paper_settings (issues_papers, legal_name, street, postal_code, city, siren) values (true, 'Lumeo', '1 rue', '35000', 'Rennes', '${SIREN}')`,
  );
  await database.asOwner(
    `insert into private.payee_details (payee_id, status, legal_name, street, postal_code, city, siren, charges_vat)
     values ($1, 'societe', 'Bois SARL', '1 rue', '35000', 'Rennes', '552100554', false)`,
    [payee.id],
  );
  const { flow_url: flow, directory_url: directory, token_url: token, client_id: id } = platform.access;
  await server.services.db.queryAsService('test', {
    text: `insert into private.e_invoicing (flow_url, directory_url, token_url, client_id, secret_sealed, is_on) values ($1, $2, $3, $4, $5, true)`,
    values: [flow, directory, token, id, sealPlatformSecret(server.services, platform.access.client_secret)],
  });
});
afterEach(async () => {
  await platform.close();
  await server.close();
});

/** A node that reads and tells: it works when it is told to. */
function aNode() {
  const work = new Map<string, () => Promise<void>>();
  const services = {
    ...server.services,
    jobs: {
      ...server.services.jobs,
      define: (task: string, run: () => Promise<void>) => void work.set(task, run),
      schedule: () => undefined,
    },
  } as unknown as Services;
  const receiver = defineEInvoiceReceiver(services, TIMEOUT_MS);
  const sender = defineReceivedStatusSender(services, TIMEOUT_MS);
  const run = (task: string) => work.get(task)?.() ?? Promise.reject(new Error(`Nobody does ${task}`));
  return {
    // One that stops leaves what it had.
    receive: () => run('read_received_e_invoices').catch(() => undefined),
    tell: () => run('send_received_statuses'),
    stop: async () => {
      receiver.stop();
      await sender.stop();
    },
  };
}

/** A generator of the same numbers for the same seed (mulberry32). */
function drawn(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function counted(sql: string): Promise<Record<string, number>> {
  const rows = await server.database.asOwner<{ said: string; count: number }>(sql);
  return Object.fromEntries(rows.map(({ said, count }) => [said, count]));
}
const euros = (n: number): string => (10 + n).toFixed(2);

/** Open requests of ten euros and more, one for each amount. */
async function requestsThatWait(count: number): Promise<void> {
  await server.database.asOwner(`do $$
    begin
      perform set_config('session_replication_role', 'replica', true);
      insert into public.payment_requests (client_id, amount, payment_method, payment_details)
      select '${payee.id}', 10 + n, 'virement', '{"iban": "FR76 •••• 0189", "beneficiary_name": "Bois"}' from generate_series(1, ${count}) n;
    end $$`);
}

/** Brings in that many which fit a request, and others which fit none, in heaps of one instant. */
async function allComeIn(good: number, others: number, decided: number): Promise<void> {
  await requestsThatWait(good);
  const draw = drawn(20_261_130);
  const day = dayOf(new Date());
  const invoice = (n: number, more: object = {}) =>
    Buffer.from(
      ciiInvoice({
        number: `F-${n}`,
        day,
        amount: euros(n),
        vat: '0.00',
        total: euros(n),
        seller: { siren: '552100554' },
        ...more,
      }),
    );
  const documents = [
    ...Array.from({ length: good }, (_, n) => invoice(n + 1)),
    ...Array.from({ length: others }, (_, n) => invoice(n + 1, { number: `C-${n}`, type: '381' })),
    ...Array.from({ length: others }, (_, n) => invoice(n + 1, { number: `X-${n}`, seller: { siren: '443061841' } })),
    ...Array.from({ length: others }, (_, n) => Buffer.from(`%PDF-1.7 nothing ${n}`)),
  ];
  // They come in heaps of one instant, larger than a page; other flows lie between them.
  const instants = [5, 4, 3].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString());
  platform.repeats = true;
  documents.forEach((document, place) => {
    platform.bring(`${place}.xml`, document, instants[Math.floor(place / 120)]);
    if (place % 50 === 0) platform.tell(`F552100554-2026-${place}`, '205');
  });
  const tries = new Map<string, number>();
  platform.documentFaultOf((flowId) => {
    const tried = (tries.get(flowId) ?? 0) + 1;
    tries.set(flowId, tried);
    return tried > 3 ? 'none' : (DOCUMENT_FAULTS[Math.floor(draw() * DOCUMENT_FAULTS.length)] ?? 'none');
  });
  let nodes = [aNode(), aNode()];
  for (let round = 0; round < 400; round += 1) {
    const {
      noted = 0,
      listed = 0,
      matched = 0,
    } = await counted('select state as said, count(*)::int as count from private.received_invoices group by state');
    if (noted === 0 && listed + matched === documents.length && matched === good) break;
    platform.isDown = draw() < 0.1;
    if (draw() < 0.2) platform.endTokens();
    await server.database.asOwner(`update private.e_invoicing set paused_until = '-infinity'`);
    await server.database.asOwner(`update private.received_invoices set run_at = now() where leased_until < now()`);
    const working = Promise.all(nodes.map(({ receive }) => receive()));
    if (round % 5 === 3) {
      // A node stops in the middle of it; its leases end, and another takes its place.
      const [gone, kept] = nodes;
      await gone?.stop();
      nodes = kept === undefined ? [aNode()] : [kept, aNode()];
    }
    await working;
    if (round % 5 === 3)
      await server.database.asOwner(
        `update private.received_invoices set leased_until = '-infinity' where state = 'noted'`,
      );
  }
  platform.isDown = false;

  expect(
    await counted(
      `select concat_ws(' ', state, reason) as said, count(*)::int as count from private.received_invoices group by 1`,
    ),
  ).toEqual({
    matched: good,
    'listed credit_note': others,
    'listed unknown_seller': others,
    'listed unreadable': others,
  });
  const kept = await server.database.asOwner<{ flow_id: string; hash: string }>(
    `select r.flow_id, encode(f.hash, 'hex') as hash from private.received_invoices r
       join private.received_invoice_files f on f.received_id = r.id`,
  );
  const incoming = platform.flows.filter(
    ({ flowDirection, flowSyntax }) => flowDirection === 'In' && flowSyntax !== 'CDAR',
  );
  expect(new Map(kept.map(({ flow_id: id, hash }) => [id, hash]))).toEqual(
    new Map(incoming.map(({ flowId, document }) => [flowId, createHash('sha256').update(document).digest('hex')])),
  );
  expect(
    await server.database.asOwner(
      `select count(*)::int as all, count(distinct request_id)::int as requests, count(distinct number)::int as numbers from public.payee_invoices`,
    ),
  ).toEqual([{ all: good, requests: good, numbers: good }]);

  // An admin decides some of them, and each answer arrives once.
  const invoices = await server.database.asOwner<{ id: string; number: string }>(
    'select id, number from public.payee_invoices order by number limit $1',
    [decided],
  );
  for (const [place, { id }] of invoices.entries())
    await server.database.become(admin, (run) =>
      run('select from private.decide_payee_invoice($1, $2, $3)', [id, place % 3 > 0, place % 3 > 0 ? null : 'Non.']),
    );
  const tried = new Map<string, number>();
  platform.faultOf((trackingId) => {
    const times = (tried.get(trackingId) ?? 0) + 1;
    tried.set(trackingId, times);
    return times > 4 ? 'none' : (DEPOSIT_FAULTS[Math.floor(draw() * DEPOSIT_FAULTS.length)] ?? 'none');
  });
  for (let round = 0; round < 2000; round += 1) {
    const { waiting = 0 } = await counted(
      'select state as said, count(*)::int as count from private.received_invoice_statuses group by state',
    );
    if (waiting === 0) break;
    await server.database.asOwner(`update private.e_invoicing set paused_until = '-infinity'`);
    await server.database.asOwner(
      `update private.received_invoice_statuses set run_at = now() where state = 'waiting' and leased_until < now()`,
    );
    await Promise.all(nodes.map(({ tell }) => tell()));
    await server.database.asOwner('select pg_sleep(0.02)');
  }
  const answers = platform.flows
    .filter(({ trackingId }) => trackingId !== null)
    .map(({ document }) => {
      const said = (name: string) => new RegExp(`<ram:${name}>([^<]*)<`, 'u').exec(document.toString())?.[1] ?? '';
      return `${said('IssuerAssignedID')} ${said('ProcessConditionCode')}`;
    });
  expect(answers.toSorted((a, b) => a.localeCompare(b))).toEqual(
    invoices
      .map(({ number }, place) => `${number} ${place % 3 > 0 ? '205' : '210'}`)
      .toSorted((a, b) => a.localeCompare(b)),
  );
  await Promise.all(nodes.map(({ stop }) => stop()));
}

test(
  '[EI-02] a hundred and thirty invoices come in under faults, read by two nodes at once: none is lost, none is taken twice',
  { timeout: 120_000 },
  () => allComeIn(100, 10, 15),
);

test(
  '[EI-02] three hundred invoices come in under faults, read by two nodes at once: none is lost, none is taken twice',
  { tags: 'long', timeout: 300_000 },
  () => allComeIn(210, 30, 60),
);
