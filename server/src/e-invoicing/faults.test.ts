import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { aClient, anAdmin, startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { startAgreedPlatform } from '../testing/agreed-platform.ts';
import type { AgreedPlatform, PlatformFault } from '../testing/agreed-platform.ts';
import type { Services } from '../platform/services.ts';
import { createPlatformClient } from './platform-client.ts';
import { defineEInvoiceSender } from './sender.ts';
import { sealPlatformSecret } from './settings.ts';
import { defineEInvoiceStatuses } from './statuses.ts';

// EI-01: what leaves under faults. None is lost, none leaves twice, each ends in a last state.

const SIREN = '732829320';
const TIMEOUT_MS = 400;
const FAULTS: readonly PlatformFault[] = [
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
beforeEach(async () => {
  server = await startTestServer({ jobs: false });
  platform = await startAgreedPlatform(SIREN);
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

/** A node that sends and reads: it works when it is told to. */
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
  const sender = defineEInvoiceSender(services, TIMEOUT_MS);
  const statuses = defineEInvoiceStatuses(services, TIMEOUT_MS);
  const run = (task: string) => work.get(task)?.() ?? Promise.reject(new Error(`Nobody does ${task}`));
  return {
    send: () => run('send_e_invoices'),
    read: () => run('read_e_invoice_statuses'),
    stop: async () => {
      statuses.stop();
      await sender.stop();
    },
  };
}

/** Invoices that wait, numbered and laid out, without the payments that they are of. */
async function invoicesThatWait(count: number): Promise<void> {
  await anAdmin(server.database);
  const payee = await aClient(server.database, {});
  await server.database.asOwner(`do $$
    begin
      perform set_config('session_replication_role', 'replica', true);
      insert into public.papers (series, year, number, label, payee_id, request_id, issued_on, amount, content, is_test)
      select 'F552100554', 2026, n, 'F552100554-2026-' || lpad(n::text, 4, '0'), '${payee.id}', gen_random_uuid(), '2026-11-23', 10, '{}', false
        from generate_series(1, ${count}) n;
      insert into private.paper_files (paper_id, bytes) select p.id, convert_to('%PDF-1.7 ' || p.label, 'UTF8') from public.papers p;
      insert into private.e_invoices (paper_id) select p.id from public.papers p;
    end $$`);
}

async function states(): Promise<Record<string, number>> {
  const rows = await server.database.asOwner<{ state: string; count: number }>(
    'select state, count(*)::int as count from private.e_invoices group by state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
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

async function allLeave(count: number, seed: number): Promise<void> {
  await invoicesThatWait(count);
  const draw = drawn(seed);
  const tries = new Map<string, number>();
  const isRefused = new Set<string>();
  platform.faultOf((trackingId) => {
    const tried = (tries.get(trackingId) ?? 0) + 1;
    tries.set(trackingId, tried);
    if (isRefused.has(trackingId) || draw() < 0.03) {
      isRefused.add(trackingId);
      return 'refused';
    }
    // Trouble passes.
    return tried > 4 ? 'none' : (FAULTS[Math.floor(draw() * FAULTS.length)] ?? 'none');
  });
  let nodes = [aNode(), aNode()];
  for (let round = 0; ; round += 1) {
    const { waiting = 0 } = await states();
    if (waiting === 0) break;
    platform.isDown = draw() < 0.1;
    if (draw() < 0.2) platform.endTokens();
    // As if the time of each had come, and the lease of a node that died were over; never of one that is at work.
    await server.database.asOwner(`update private.e_invoicing set paused_until = '-infinity'`);
    await server.database.asOwner(
      `update private.e_invoices set run_at = now() where state = 'waiting' and leased_until < now()`,
    );
    await Promise.all(nodes.map(({ send }) => send()));
    if (round % 7 === 3) {
      // A node stops in the middle of it, and another takes its place.
      const [gone, kept] = nodes;
      await gone?.stop();
      nodes = kept === undefined ? [aNode()] : [kept, aNode()];
    }
    if (round % 11 === 5) {
      // A node dies with what it had.
      const { rows } = await server.services.db.queryAsService<{ paper_id: string }>('test', {
        text: 'select paper_id from private.claim_e_invoices()',
      });
      await server.database.asOwner(
        `update private.e_invoices set leased_until = '-infinity' where paper_id = any ($1)`,
        [rows.map(({ paper_id: id }) => id)],
      );
    }
    await server.database.asOwner('select pg_sleep(0.02)');
  }
  platform.isDown = false;

  const invoices = platform.flows.filter(({ flowSyntax }) => flowSyntax === 'Factur-X');
  const names = invoices.map(({ trackingId }) => trackingId);
  expect(new Set(names).size).toBe(names.length);
  const kept = await server.database.asOwner<{ id: string; flow_id: string | null; state: string }>(
    'select paper_id as id, flow_id, state from private.e_invoices',
  );
  expect(kept).toHaveLength(count);
  for (const { id, flow_id: flowId, state } of kept) {
    const flow = invoices.find(({ trackingId }) => trackingId === id);
    expect([state, flowId]).toEqual(flow === undefined ? ['refused', null] : ['deposited', flow.flowId]);
  }

  for (const flow of invoices) {
    const isGood = draw() < 0.9;
    platform.acknowledge(flow, isGood ? 'Ok' : 'Error', isGood ? undefined : 'Le SIREN du vendeur est inconnu');
    if (isGood) platform.tell(flow.name.replace('.pdf', ''), '212');
  }
  const [node = aNode()] = nodes;
  for (let round = 0; ((await states())['deposited'] ?? 0) > 0 && round < 50; round += 1) await node.read();
  const last = await states();
  expect(Object.keys(last).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['collected', 'refused']);
  expect((last['collected'] ?? 0) + (last['refused'] ?? 0)).toBe(count);
  await Promise.all(nodes.map(({ stop }) => stop()));
}

test(
  '[EI-01] sixty invoices leave under faults by two nodes: none is lost, none leaves twice, each ends',
  { timeout: 60_000 },
  async () => {
    await allLeave(60, 20_261_130);
  },
);

test(
  '[EI-01] a thousand invoices leave under faults by two nodes: none is lost, none leaves twice, each ends',
  { tags: 'long', timeout: 600_000 },
  async () => {
    await allLeave(1000, 7);
  },
);

test('[EI-01] an invoice whose node died after it was sent is found at the platform, whatever its search filters', async () => {
  await invoicesThatWait(2);
  platform.filters = false;
  const [claimed] = (
    await server.services.db.queryAsService<{ paper_id: string; attempts: number; label: string; bytes: Buffer }>(
      'test',
      {
        text: 'select * from private.claim_e_invoices()',
      },
    )
  ).rows;
  if (claimed === undefined) throw new Error('Nothing was claimed');
  platform.faultOf(() => 'none');
  const node = aNode();
  // It is sent, and never written down.
  const { flow_url: flowUrl, directory_url: directoryUrl, token_url: tokenUrl, client_id: clientId } = platform.access;
  const client = createPlatformClient(
    { flowUrl, directoryUrl, tokenUrl, clientId, clientSecret: platform.access.client_secret },
    { isPrivateAllowed: true, timeoutMs: TIMEOUT_MS },
  );
  const { signal } = new AbortController();
  const flowId = await client.deposit(
    { trackingId: claimed.paper_id, name: `${claimed.label}.pdf`, bytes: claimed.bytes, syntax: 'Factur-X' },
    signal,
  );
  await server.database.asOwner(`update private.e_invoices set leased_until = '-infinity'`);
  while (((await states())['waiting'] ?? 0) > 0) await node.send();
  expect(platform.flows).toHaveLength(2);
  const [row] = await server.database.asOwner<{ flow_id: string }>(
    'select flow_id from private.e_invoices where paper_id = $1',
    [claimed.paper_id],
  );
  expect(row?.flow_id).toBe(flowId);
  // Another's flow of the same platform is none of ours.
  expect(
    await client.find({ trackingId: randomUUID(), name: 'F552100554-2026-9999.pdf', syntax: 'Factur-X' }, [], signal),
  ).toBeNull();
  // A platform that filters by the instant alone is read page by page.
  platform.filters = true;
  platform.looksUp = false;
  const ours = platform.flows.find((flow) => flow.flowId === flowId);
  if (ours === undefined) throw new Error('The flow is gone');
  platform.flows.unshift(
    ...Array.from({ length: 250 }, (_, n) => ({
      ...ours,
      flowId: `other-${n}`,
      trackingId: randomUUID(),
      updatedAt: new Date(n).toISOString(),
    })),
  );
  expect(await client.find({ trackingId: claimed.paper_id, name: '', syntax: 'Factur-X' }, [], signal)).toBe(flowId);
  await node.stop();
});
