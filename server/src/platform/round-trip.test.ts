import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

import { createTestDatabase } from '@parrain/database/testing';
import type { TestDatabase } from '@parrain/database/testing';
import { Client, Pool, types } from 'pg';
import type { PoolConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { sendTogether } from './round-trip.ts';

// round-trip.ts stands on parts of pg that are nobody's interface (decision 0016): this fails when they move.

/** The version whose client.js, query.js and connection.js were read beside round-trip.ts. */
const READ_VERSION = '8.23.1';

let database: TestDatabase;
let proxy: Server;
/** Chunks that the client wrote, in their order. */
let chunks: Buffer[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const { host, port } = database.owner;
  proxy = createServer((near: Socket) => {
    const far = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    near.on('data', (chunk: Buffer) => chunks.push(chunk));
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(async () => {
  proxy.close();
  await database.drop();
});

/** The types of the messages in these bytes, one letter each, as PostgreSQL's protocol names them. */
function messageTypes(bytes: Buffer): string {
  let found = '';
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) found += String.fromCharCode(bytes[at] ?? 0);
  return found;
}

async function throughProxy<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
  const { port } = proxy.address() as AddressInfo;
  const settings: PoolConfig & { pipeline: boolean } = {
    ...database.owner,
    host: '127.0.0.1',
    port,
    max: 1,
    pipeline: true,
  };
  const pool = new Pool(settings);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

test('pg is the version that round-trip.ts was read beside', () => {
  const { version } = createRequire(import.meta.url)('pg/package.json') as { readonly version: string };
  expect(version, 'read pg/lib/{client,query,connection}.js beside round-trip.ts, then write the version here').toBe(
    READ_VERSION,
  );
});

test('every member of pg that round-trip.ts uses is there', async () => {
  const client = new Client(database.owner);
  await client.connect();
  try {
    const { connection } = client as unknown as { readonly connection: Record<string, unknown> };
    for (const name of ['parse', 'describe', 'bind', 'execute', 'sync'])
      expect(typeof connection[name]).toBe('function');
    expect(connection['parsedStatements']).toBeTypeOf('object');
    const stream = connection['stream'] as Record<string, unknown>;
    expect([typeof stream['cork'], typeof stream['uncork']]).toEqual(['function', 'function']);
  } finally {
    await client.end();
  }
});

describe('on the wire', () => {
  const statements = [
    { name: '', text: `select set_config('role', $1, true)`, values: ['postgres'] },
    { name: 'kept', text: 'select $1::int as n', values: ['7'] },
    { name: 'also_kept', text: 'select $1::text as word', values: [null] },
  ];

  test('statements leave as one packet with one Sync; a kept one is parsed and described once', async () => {
    await throughProxy(async (pool) => {
      const client = await pool.connect();
      const described = new Map();
      const typeParser = (oid: number, format: 'text') => types.getTypeParser(oid, format);
      try {
        const sent: string[][] = [];
        for (let turn = 0; turn < 2; turn += 1) {
          chunks = [];
          const [, numbers, words] = await sendTogether(client, statements, described, typeParser);
          expect([numbers?.rows, words?.rows]).toEqual([[{ n: 7 }], [{ word: null }]]);
          sent.push(chunks.map(messageTypes));
        }
        expect(sent).toEqual([['PDBEPDBEPDBES'], ['PDBEBEBES']]);
      } finally {
        client.release();
      }
    });
  });

  test('the first error ends the packet: nothing of it stays, and the connection serves the next', async () => {
    await throughProxy(async (pool) => {
      const client = await pool.connect();
      const typeParser = (oid: number, format: 'text') => types.getTypeParser(oid, format);
      const one = (text: string) => ({ name: '', text, values: [] });
      try {
        await client.query('create temporary table written (n int)');
        const torn = [one('insert into written values (1)'), one('select 1/0'), one('insert into written values (2)')];
        await expect(sendTogether(client, torn, new Map(), typeParser)).rejects.toThrow('division by zero');
        const [count] = await sendTogether(
          client,
          [one('select count(*)::int as n from written')],
          new Map(),
          typeParser,
        );
        expect(count?.rows).toEqual([{ n: 0 }]);
      } finally {
        client.release();
      }
    });
  });
});
