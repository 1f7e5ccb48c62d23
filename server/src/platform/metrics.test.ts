import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { aCommercial, startTestServer } from '../testing/index.ts';
import type { Person, TestServer } from '../testing/index.ts';

const TOKEN = 'un-jeton-de-mesure-0123456789';

let server: TestServer;
let commercial: Person;
beforeAll(async () => {
  server = await startTestServer({ smtp: true, environment: { METRICS_TOKEN: TOKEN } });
  commercial = await aCommercial(server.database);
});
afterAll(() => server.close());

const ask = (authorization?: string) =>
  fetch(`${server.url}/metrics`, authorization === undefined ? {} : { headers: { authorization } });
/** Value by name and labels, as they stand in the answer. */
async function scrape(): Promise<Map<string, number>> {
  const response = await ask(`Bearer ${TOKEN}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/u);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('[OP-03] metrics', () => {
  test('are for who shows the token; without one configured there is no such address', async () => {
    expect((await ask()).status).toBe(401);
    expect((await ask('Bearer autre')).status).toBe(401);
    expect((await ask(TOKEN)).status).toBe(401);
    const silent = await startTestServer({ doors: [] });
    try {
      const response = await fetch(`${silent.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
      expect(response.status).toBe(404);
    } finally {
      await silent.close();
    }
  });

  test('count requests and their time by the pattern of the route, and tell the state of the parts', async () => {
    const before = await scrape();
    await server.fetch('/rest/v1/profiles?select=full_name&full_name=eq.Secret', {}, commercial);
    await server.fetch(`/storage/v1/object/public/logos/${randomUUID()}.webp`);
    const after = await vi.waitFor(async () => {
      const seen = await scrape();
      const key = 'parrain_http_requests_total{method="GET",route="/rest/v1/*",status="200"}';
      expect((seen.get(key) ?? 0) - (before.get(key) ?? 0)).toBe(1);
      return seen;
    }, 120_000);
    expect(after.get('parrain_http_request_duration_seconds_count{method="GET",route="/rest/v1/*"}')).toBeGreaterThan(
      0,
    );
    expect(after.get('parrain_database_up')).toBe(1);
    expect(after.get('parrain_pool_connections')).toBeGreaterThan(0);
    expect(after.get('parrain_pool_waiting')).toBe(0);
    expect(after.get('parrain_realtime_sockets')).toBe(0);
    expect(after.get('parrain_mails{state="failed"}')).toBe(0);
    expect(after.get('parrain_jobs{state="failed"}')).toBe(0);
    expect(after.get('parrain_invariants_broken')).toBe(0);
    expect(after.get('parrain_database_bytes')).toBeGreaterThan(1_000_000);
    expect([...after.keys()]).toEqual(
      expect.arrayContaining(['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']),
    );
    expect([...after.keys()].join('\n')).not.toMatch(/Secret|profiles|full_name|webp/u);
  });

  test('are as long after a thousand addresses that nobody serves', async () => {
    const wander = async (): Promise<void> => {
      await Promise.all(
        Array.from({ length: 100 }, async (_, n) => {
          await fetch(`${server.url}/rien/${randomUUID()}`);
          await server.fetch(`/rest/v1/rien_${n}`);
          await server.fetch(`/auth/v1/admin/users/${randomUUID()}`);
        }),
      );
    };
    // Node's own come and go with its garbage collections.
    const ours = async () => [...(await scrape()).keys()].filter((name) => !name.startsWith('nodejs_'));
    await wander();
    const before = await ours();
    for (let round = 0; round < 3; round += 1) await wander();
    expect(await ours()).toEqual(before);
  });

  test('tell of a mail that failed, and say so where the database does not answer', async () => {
    server.mailbox.refuseWith(550, 'recipient');
    const { db, mail } = server.services;
    const id = await db.asService('test', (tx) =>
      mail.enqueue(tx, { to: 'a@b.fr', subject: 's', html: 'h', text: 't' }),
    );
    await mail.waitForFate(id, 10_000);
    expect((await scrape()).get('parrain_mails{state="failed"}')).toBe(1);

    await server.database.asOwner(`revoke select on private.mails from parrain_service`);
    const seen = await scrape();
    await server.database.asOwner(`grant select on private.mails to parrain_service`);
    expect(seen.get('parrain_database_up')).toBe(0);
    expect(seen.get('parrain_mails{state="failed"}')).toBeUndefined();
    expect((await scrape()).get('parrain_database_up')).toBe(1);
  });
});
