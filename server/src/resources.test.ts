import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { aClient, aCommercial, anAdmin, aSale, startTestServer } from './testing/index.ts';
import type { Person, TestServer } from './testing/index.ts';
import { anAccount } from './testing/accounts.ts';
import { lockIsWaitedFor } from './testing/waiting.ts';

// Costly requests are refused, and other people are served meanwhile. The tests for the WebSocket (D-80) are in realtime/protocol.test.ts,
// those for invitations (D-79) in functions/invitations.test.ts.

let server: TestServer;
let admin: Person;
let commercial: Person;
let client: Person;
beforeAll(async () => {
  server = await startTestServer({ jobs: false });
  admin = await anAdmin(server.database);
  commercial = await aCommercial(server.database);
  client = await aClient(server.database, { commercial });
  for (let index = 0; index < 5; index += 1) await aSale(server.database, { commercial, friendReferrer: client });
});
afterAll(() => server.close());

const MEGABYTE = 1024 * 1024;
const DOORS = [
  '/auth/v1/token?grant_type=password',
  '/rest/v1/rpc/get_commercial_sales',
  '/functions/v1/auth-signin',
  '/storage/v1/object/list/logos',
  '/realtime/v1/api/broadcast',
] as const;

/** Everyone else is served as ever. */
async function othersAreServed(): Promise<void> {
  const reply = await server.fetch('/rest/v1/sales?select=id', {}, commercial);
  expect([reply.status, ((await reply.json()) as unknown[]).length]).toEqual([200, 5]);
}

async function post(address: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<number> {
  const reply = await server.fetch(
    address,
    { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
    admin,
  );
  await reply.arrayBuffer();
  return reply.status;
}

describe('bodies', () => {
  test.for(DOORS)('[D-75] %s: a body of 100 MB is refused before it is read, announced or not', async (address) => {
    const before = process.memoryUsage.rss();
    for (const isAnnounced of [true, false]) {
      const sent = await pour(address, 100 * MEGABYTE, isAnnounced);
      expect([isAnnounced, sent.status]).toEqual([isAnnounced, 413]);
      // Some of it was on its way when the answer came.
      expect(sent.bytes).toBeLessThan(20 * MEGABYTE);
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(50 * MEGABYTE);
    await othersAreServed();
  });

  test(
    '[D-75] ten thousand brackets, a hundred thousand keys, a compressed body: nothing suffers',
    { tags: 'long' },
    async () => {
      const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
      const objects = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
      const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 0])));
      const bomb = gzipSync(Buffer.alloc(20 * MEGABYTE, 0x20));
      for (const address of DOORS) {
        for (const [name, body] of Object.entries({ deep, objects, wide })) {
          const status = await post(address, body);
          expect({ address, name, status }).toEqual({ address, name, status: expect.toSatisfy(isNoFault) });
        }
        expect({ address, status: await post(address, bomb, { 'content-encoding': 'gzip' }) }).toEqual({
          address,
          status: expect.toSatisfy(isRefusal),
        });
      }
      await othersAreServed();
    },
  );
});

const isRefusal = (status: number): boolean => status >= 400 && status < 500;
const isNoFault = (status: number): boolean => status < 500;

/** Sends zeros for as long as the server listens; gives its answer, and how many bytes were taken. */
async function pour(
  address: string,
  size: number,
  isAnnounced: boolean,
): Promise<{ readonly status: number; readonly bytes: number }> {
  const { hostname, port } = new URL(server.url);
  const sending = request({
    hostname,
    port,
    path: address,
    method: 'POST',
    headers: {
      apikey: server.services.keys.publishableKey,
      authorization: `Bearer ${await server.tokenOf(admin)}`,
      'content-type': 'application/json',
      ...(isAnnounced ? { 'content-length': size } : {}),
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sending.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sending.once('error', reject);
  });
  answered.catch(() => undefined);
  let isOver = false;
  void answered.finally(() => (isOver = true)).catch(() => undefined);
  const chunk = Buffer.alloc(65_536, 0x20);
  let bytes = 0;
  while (!isOver && bytes < size) {
    bytes += chunk.length;
    if (!sending.write(chunk))
      await Promise.race([once(sending, 'drain').catch(() => undefined), answered.catch(() => 0)]);
  }
  sending.end();
  try {
    return { status: await answered, bytes };
  } finally {
    sending.destroy();
  }
}

describe('connections', () => {
  test('[D-75] a thousand silent connections and a hundred half-sent ones keep nobody out', async () => {
    const { hostname, port } = new URL(server.url);
    const sockets = await Promise.all(
      Array.from({ length: 1100 }, async (_, index): Promise<Socket> => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        if (index >= 1000) socket.write('POST /functions/v1/auth-signin HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n');
        return socket;
      }),
    );
    try {
      await othersAreServed();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

describe('readings', () => {
  beforeAll(async () => {
    await server.database.asOwner(
      `insert into public.audit_entries (actor, entity, entity_id, action, hash)
       select 'test', 'test', gen_random_uuid(), 'insert', '\\x00' from generate_series(1, 2500)`,
    );
  });

  const ask = (query: string, person = admin): Promise<Response> => server.fetch(`/rest/v1/${query}`, {}, person);

  test('[D-76] without limit, or of a billion: never more than a thousand rows', async () => {
    for (const query of ['audit_entries?select=id', 'audit_entries?select=id&limit=1000000000']) {
      const reply = await ask(query);
      expect([reply.status, ((await reply.json()) as unknown[]).length]).toEqual([200, 1000]);
    }
  });

  test.for([
    ['deux cents colonnes', `sales?select=${Array.from({ length: 200 }, (_, index) => `c${index}:id`).join(',')}`],
    [
      'dix étages',
      `profiles?select=${'id,sales!sales_commercial_id_fkey(id,profiles!sales_commercial_id_fkey('.repeat(5)}id${'))'.repeat(5)}`,
    ],
    [
      'une liste de cinq mille',
      `sales?select=id&id=in.(${Array.from({ length: 5000 }, (_, index) => index).join(',')})`,
    ],
    [
      'cent conditions',
      `sales?select=id&or=(${Array.from({ length: 100 }, (_, index) => `name.ilike.*${index}*`).join(',')})`,
    ],
    [
      'vingt parenthèses',
      `sales?select=id&${'and=('.slice(0, 5)}${'or('.repeat(20)}name.eq.x,name.eq.y${')'.repeat(20)})`,
    ],
  ] as const)('[D-76] %s: refused', async ([, query]) => {
    const reply = await ask(query);
    expect(reply.status).toSatisfy(isRefusal);
    await reply.arrayBuffer();
  });

  test(
    '[D-77] a reading that takes too long ends at its limit, and nobody waits behind it',
    { tags: 'long' },
    async () => {
      const lock = await holdSales();
      try {
        const stuck = Array.from({ length: 6 }, async () => {
          const reply = await server.fetch('/rest/v1/sales?select=id&referred_contact_name=ilike.*a*b*c*', {}, client);
          return { status: reply.status, text: await reply.text() };
        });
        await lockIsWaitedFor(server);
        // A request that touches none of the locked rows goes on.
        const settings = await server.fetch('/functions/v1/company-settings?action=get', {}, client);
        expect(settings.status).toBe(200);
        // The lock is still held: it is their own limit that ends them.
        for (const { status, text } of await Promise.all(stuck)) {
          expect(status).toSatisfy(isRefusal);
          expect(JSON.parse(text)).toMatchObject({ code: '57014', message: expect.stringContaining('trop de temps') });
        }
      } finally {
        await lock.release();
      }
      await othersAreServed();
    },
  );
});

/** Somebody who keeps all of a table to themselves. */
async function holdSales(): Promise<{ readonly release: () => Promise<void> }> {
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const { promise: held, resolve: hold } = Promise.withResolvers<undefined>();
  const holding = server.database.become('parrain_service', async (run) => {
    await run('lock table public.sales in row exclusive mode').catch(() => undefined);
    await run('set local role none');
    await run('lock table public.sales in access exclusive mode');
    hold(undefined);
    await released;
  });
  await held;
  return {
    async release() {
      release(undefined);
      await holding;
    },
  };
}

describe('floods', () => {
  test(
    '[D-78] [FX-50] three hundred sign-ins at once: each is answered, and lists do not queue behind them',
    { tags: 'long' },
    async () => {
      const accounts = await Promise.all(Array.from({ length: 5 }, () => anAccount(server)));
      const statuses: Record<string, number> = {};
      let isOver = false;
      const flood = Array.from({ length: 300 }, async (_, index) => {
        const account = accounts[index % accounts.length];
        do {
          const reply = await fetch(`${server.url}/auth/v1/token?grant_type=password`, {
            method: 'POST',
            headers: { apikey: server.services.keys.publishableKey, 'content-type': 'application/json' },
            body: JSON.stringify({ email: account?.email, password: account?.password }),
          });
          await reply.arrayBuffer();
          statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
          if (reply.status !== 429) continue;
          expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
          await wait(100);
        } while (!isOver);
      });
      // A list in the passwords' queue would see the hundred before it end. The flood goes on until one does not, however
      // slow the machine: how long a list takes is the bench's to say.
      await expect
        .poll(async () => {
          const before = statuses['200'] ?? 0;
          expect((await server.fetch('/rest/v1/sales?select=id', {}, commercial)).status).toBe(200);
          return (statuses['200'] ?? 0) - before;
        })
        .toBeLessThan(50);
      isOver = true;
      await Promise.all(flood);
      expect(Object.keys(statuses).filter((status) => !['200', '429', '503', '504'].includes(status))).toEqual([]);
      expect(statuses['429']).toBeGreaterThan(0);
    },
  );

  test('[D-81] a transaction that does nothing is ended by PostgreSQL', async () => {
    const { rows } = await server.services.db.queryAsService<{ setting: string }>('test', {
      text: `select current_setting('idle_in_transaction_session_timeout') as setting`,
    });
    expect(rows).toEqual([{ setting: '10s' }]);
  });

  test('[D-82] all one’s data fifty times at once: served or asked to wait, without memory swelling', async () => {
    const before = process.memoryUsage.rss();
    const replies = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const reply = await server.fetch('/functions/v1/own-account?action=personal_data', {}, client);
        await reply.arrayBuffer();
        return reply.status;
      }),
    );
    expect(replies.every((status) => status === 200 || status === 429 || status === 503)).toBe(true);
    expect(process.memoryUsage.rss() - before).toBeLessThan(50 * MEGABYTE);
    await othersAreServed();
  });
});
