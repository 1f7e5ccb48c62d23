import { createClient } from '@supabase/supabase-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';

import { startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import type { Database } from './database.ts';
import { loadApiKeys, rotateApiKey } from './keys.ts';
import type { ApiKeyKind } from './keys.ts';

// Servers and processes are started: nothing here says how long that takes.

// An API key is replaced while two nodes run: both notice by themselves.

let shift: number;
let one: TestServer;
let two: TestServer;

beforeEach(async () => {
  shift = 0;
  const clock = { now: () => new Date(Date.now() + shift) };
  one = await startTestServer({ jobs: false, clock });
  two = await startTestServer({ jobs: false, clock, database: one.database });
});

afterEach(async () => {
  await two.close();
  await one.close();
});

async function rotate(kind: ApiKeyKind, keepSeconds: number): Promise<string> {
  const { key } = await one.services.db.asService('test', (tx) =>
    rotateApiKey(tx, one.services.secrets, kind, keepSeconds),
  );
  return key;
}

const statusWith = async (node: TestServer, key: string): Promise<number> =>
  (await node.fetch('/auth/v1/settings', { headers: { apikey: key } })).status;

async function noticed(key: string): Promise<void> {
  for (const node of [one, two]) await expect.poll(() => statusWith(node, key)).toBe(200);
}

describe('a replaced API key', () => {
  test('[FX-16] lives on for as long as it is told to, on every node, and not longer', async () => {
    const old = one.services.keys.secretKey;
    const made = await rotate('secret', 3600);
    await noticed(made);
    for (const node of [one, two]) {
      expect(node.services.keys.secretKey).toBe(made);
      expect(await statusWith(node, old)).toBe(200);
    }
    shift = 3_601_000;
    for (const node of [one, two])
      expect([await statusWith(node, old), await statusWith(node, made)]).toEqual([401, 200]);
  });

  test('[FX-16] is refused at once where it is told so, with those before it', async () => {
    const first = one.services.keys.secretKey;
    const second = await rotate('secret', 3600);
    await noticed(second);
    const third = await rotate('secret', 0);
    await noticed(third);
    for (const node of [one, two]) {
      expect([await statusWith(node, first), await statusWith(node, second)]).toEqual([401, 401]);
    }
    expect(await one.database.asOwner(`select from private.secrets where name like 'secret_key %'`)).toEqual([]);
  });

  test('[FX-16] of the publishable kind: /config.json gives the new one, pages opened before go on', async () => {
    const old = one.services.keys.publishableKey;
    const made = await rotate('publishable', 3600);
    await noticed(made);
    for (const node of [one, two]) {
      expect(await (await fetch(`${node.url}/config.json`)).json()).toMatchObject({ publishableKey: made });
      expect(await statusWith(node, old)).toBe(200);
    }
  });

  test(
    '[FX-16] a node that was not told, its listening connection lost, reads the keys when it is back',
    { tags: 'long' },
    async () => {
      await one.database.asOwner(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'parrain listener%'`,
      );
      await noticed(await rotate('secret', 0));
    },
  );

  test('[FX-16] stays replaced where a reading that began before ends last', async () => {
    const { db, secrets, clock } = one.services;
    let calls = 0;
    const hasRead = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const slow: Database = {
      ...db,
      async asService(reason, work) {
        const result = await db.asService(reason, work);
        calls += 1;
        // The second is the one that the change overtakes.
        if (calls === 2) {
          hasRead.resolve();
          await mayEnd.promise;
        }
        return result;
      },
    };
    const keys = await loadApiKeys(slow, secrets, clock);
    const old = keys.secretKey;
    const early = keys.refresh();
    await hasRead.promise;
    const made = await rotate('secret', 0);
    const late = keys.refresh();
    // As long as many readings take.
    for (let n = 0; n < 20; n += 1) await one.database.asOwner('select 1');
    mayEnd.resolve();
    await Promise.all([early, late]);
    expect([keys.resolve(old), keys.resolve(made)]).toEqual([null, 'secret']);
  });

  test('[FX-16] a socket that it opened is closed with it', { tags: 'long' }, async () => {
    const old = one.services.keys.secretKey;
    const address = `${two.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0&apikey=${old}`;
    const socket = new WebSocket(address);
    const ended = new Promise<number>((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    await rotate('secret', 0);
    expect(await ended).toBe(1008);
  });

  test('[FX-16] the official client works with the old key, then with the new one', async () => {
    const readWith = async (key: string): Promise<number> =>
      (
        await createClient(two.url, key, { auth: { persistSession: false } })
          .from('sales')
          .select('id')
      ).status;
    const old = one.services.keys.secretKey;
    const made = await rotate('secret', 60);
    await noticed(made);
    expect([await readWith(old), await readWith(made)]).toEqual([200, 200]);
  });

  test('[FX-16] former keys whose time is over are forgotten by the next change', async () => {
    await rotate('secret', 1);
    await one.database.asOwner('select pg_sleep(1.1)');
    await rotate('secret', 60);
    expect(await one.database.asOwner(`select from private.secrets where name like 'secret_key %'`)).toHaveLength(1);
  });
});
