import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@supabase/supabase-js';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createLog } from './platform/log.ts';
import { aClient, aCommercial, anAdmin, aSale, aScale, aValidatedSale, startTestServer } from './testing/index.ts';
import type { Person, TestServer } from './testing/index.ts';

// Behaviour of the server when a dependency fails: it says so in French, says when to come back, and goes on.

const lines: string[] = [];
let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  server = await startTestServer({ jobs: false, log: createLog('info', destination) });
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  client = await aClient(server.database, { commercial });
  const scale = await aScale(server.database, { isDefault: true });
  await aValidatedSale(server.database, { commercial, friendReferrer: client, scale, admin });
});
afterAll(() => server.close());

/** PostgreSQL takes no connection to this database and ends those that it has, as where it is down. */
async function takeDatabaseAway(): Promise<() => Promise<void>> {
  const { database, ...owner } = server.database.owner;
  const aside = new Client({ ...owner, database: 'postgres' });
  await aside.connect();
  await aside.query(`alter database ${database} allow_connections false`);
  await aside.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
  return async () => {
    await aside.query(`alter database ${database} allow_connections true`);
    await aside.end();
  };
}

const READINGS = [
  ['/rest/v1/sales?select=id', 'PGRST000'],
  ['/functions/v1/own-account?action=sessions', 'unavailable'],
  ['/auth/v1/user', undefined],
  ['/storage/v1/bucket', undefined],
] as const;

describe('PostgreSQL is down', () => {
  test('[F-88] every door answers 503 and says when to come back; the server lives, and recovers by itself', async () => {
    for (const [address] of READINGS) expect((await server.fetch(address, {}, admin)).status).toBe(200);
    const giveBack = await takeDatabaseAway();
    try {
      for (const [address, code] of READINGS) {
        const reply = await server.fetch(address, {}, admin);
        expect([address, reply.status]).toEqual([address, 503]);
        const text = await reply.text();
        expect(text).not.toMatch(/postgres|ECONN|connection|terminat|\bpg\b|\/src\//iu);
        if (code !== undefined) expect(JSON.parse(text)).toMatchObject({ code });
        expect([address, Number(reply.headers.get('retry-after'))]).toEqual([address, 1]);
      }
      const write = await server.fetch(
        '/functions/v1/payment-request?action=create',
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"amount":1}' },
        client,
      );
      expect([write.status, ((await write.json()) as { readonly code: string }).code]).toEqual([503, 'unavailable']);
      expect((await server.fetch('/health/live')).status).toBe(200);
      expect((await server.fetch('/health/ready')).status).toBe(503);
    } finally {
      await giveBack();
    }
    expect((await server.fetch('/health/ready')).status).toBe(200);
    for (const [address] of READINGS) expect((await server.fetch(address, {}, admin)).status).toBe(200);
  });

  test('[F-88] the official client, which retries, reads in the end', async () => {
    const token = await server.tokenOf(commercial);
    let refused = 0;
    const official = createClient(server.url, server.services.keys.publishableKey, {
      auth: { persistSession: false },
      accessToken: async () => token,
      global: {
        fetch: async (input, init) => {
          const reply = await fetch(input, init);
          if (reply.status === 503) refused += 1;
          return reply;
        },
      },
    });
    const giveBack = await takeDatabaseAway();
    // A reading begins once somebody waits for it.
    const reading = Promise.resolve(official.from('sales').select('id').retry(true));
    await expect.poll(() => refused).toBeGreaterThan(0);
    await giveBack();
    expect(await reading).toMatchObject({ error: null, data: [{}] });
  });
});

/** The bytes of a call, and a socket that may do with them what it likes. */
async function aCall(key: string): Promise<string> {
  const body = JSON.stringify({
    action: 'create',
    amount: 1,
    payment_method: 'remise_societe',
    payment_details: { company_account: key },
  });
  return [
    'POST /functions/v1/payment-request HTTP/1.1',
    'host: 127.0.0.1',
    `apikey: ${server.services.keys.publishableKey}`,
    `authorization: Bearer ${await server.tokenOf(client)}`,
    `idempotency-key: ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

async function openSocket() {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

describe('the network is cut', () => {
  const requests = async (): Promise<number> =>
    (await server.database.asOwner('select from public.payment_requests where client_id = $1', [client.id])).length;

  test('[F-89] cut at every byte of the request, or before the answer: retried with its key, one effect', async () => {
    const before = await requests();
    const key = randomUUID();
    const text = await aCall(key);
    for (const size of [1, 40, 200, text.indexOf('\r\n\r\n'), text.length - 1, text.length]) {
      const socket = await openSocket();
      await new Promise((resolve) => socket.write(text.slice(0, size), resolve));
      socket.resetAndDestroy();
    }
    const again = await openSocket();
    again.write(text);
    const [answer] = (await once(again, 'data')) as [Buffer];
    again.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/u);
    expect(await requests()).toBe(before + 1);
  });

  test('[F-89] a half-open connection that the other end reads no more does nothing twice and holds nobody up', async () => {
    const before = await requests();
    const key = randomUUID();
    const text = await aCall(key);
    const halfOpen = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = await openSocket();
        socket.pause();
        socket.end(text);
        return socket;
      }),
    );
    await expect.poll(requests).toBe(before + 1);
    // Time itself: the nineteen others have it to do it again.
    await wait(500);
    expect(await requests()).toBe(before + 1);
    for (const socket of halfOpen) socket.destroy();
    expect((await server.fetch('/rest/v1/sales?select=id', {}, commercial)).status).toBe(200);
  });
});

describe('the clock jumps', () => {
  test('[F-93] by a day forwards or backwards: a token expires or waits, and money keeps its order', async () => {
    const day = 86_400_000;
    let shift = 0;
    const shifted = await startTestServer({
      jobs: false,
      database: server.database,
      clock: { now: () => new Date(Date.now() + shift) },
    });
    try {
      const token = await shifted.tokenOf(client);
      const read = async (bearer = token): Promise<number> => {
        const headers = { authorization: `Bearer ${bearer}` };
        const reply = await shifted.fetch('/rest/v1/payment_requests?select=id', { headers });
        await reply.arrayBuffer();
        return reply.status;
      };
      expect(await read()).toBe(200);
      shift = day;
      expect(await read()).toBe(401);
      const tomorrow = await shifted.tokenOf(client);
      expect(await read(tomorrow)).toBe(200);
      shift = 0;
      expect(await read()).toBe(200);
      // A token of a day that has not come was issued by a clock that was wrong: no other node takes it.
      expect(
        (await server.fetch('/rest/v1/sales?select=id', { headers: { authorization: `Bearer ${tomorrow}` } })).status,
      ).toBe(401);
      // The chain of each record orders the movements of money, independently of the clocks.
      const chain = await server.database.asOwner<{ broken: number }>(
        `select count(*)::int as broken from public.audit_entries e where e.previous_hash is distinct from
           (select p.hash from public.audit_entries p where p.entity = e.entity and p.entity_id = e.entity_id and p.id < e.id
            order by p.id desc limit 1)`,
      );
      expect(chain).toEqual([{ broken: 0 }]);
    } finally {
      await shifted.close();
    }
  });
});

describe('a fault of our own', () => {
  // Something that each door needs is no more: no code of ours expects that.
  test.for([
    [
      '/functions/v1/own-account?action=sessions',
      'alter function private.my_sessions() rename to gone',
      'alter function private.gone() rename to my_sessions',
    ],
    [
      '/storage/v1/object/public/logos/x.png',
      'alter table storage.objects rename to gone',
      'alter table storage.gone rename to objects',
    ],
    [
      '/auth/v1/user/identities/00000000-0000-4000-8000-000000000000',
      'alter table auth.identities rename to gone',
      'alter table auth.gone rename to identities',
    ],
  ] as const)(
    '[F-95] %s: 500, one sentence, one line in the log, and the server goes on',
    async ([address, breaks, mends]) => {
      lines.length = 0;
      await server.database.asOwner(breaks);
      try {
        const method = address.includes('identities') ? 'DELETE' : 'GET';
        const reply = await server.fetch(address, { method }, client);
        const text = await reply.text();
        expect([reply.status, reply.headers.get('content-type')]).toEqual([500, expect.stringContaining('json')]);
        expect(text).not.toMatch(/relation|function|does not exist|gone|\.ts\b|\bat /u);
        const logged = lines.filter((line) => (JSON.parse(line) as { readonly level: string }).level !== 'info');
        expect(logged.some((line) => line.includes(reply.headers.get('x-request-id') ?? 'none'))).toBe(true);
      } finally {
        await server.database.asOwner(mends);
      }
      expect((await server.fetch('/functions/v1/company-settings?action=get', {}, client)).status).toBe(200);
    },
  );

  test('[F-95] an error that nothing catches in a calculation of the database touches its request alone', async () => {
    await server.database.asOwner(`create function public.breaks(x int) returns int language sql as 'select 1 / x'`);
    await server.database.asOwner('grant execute on function public.breaks(int) to authenticated');
    await server.database.asOwner(`notify pgrst, 'reload schema'`);
    await expect.poll(async () => (await server.fetch('/rest/v1/rpc/breaks?x=1', {}, client)).status).toBe(200);
    const reply = await server.fetch('/rest/v1/rpc/breaks?x=0', {}, client);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(await reply.text()).not.toMatch(/\.ts\b|select 1/u);
    await aSale(server.database, { commercial, friendReferrer: client });
    expect((await server.fetch('/rest/v1/sales?select=id', {}, client)).status).toBe(200);
  });
});
