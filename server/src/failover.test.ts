// @module-tag long: src/faults.test.ts holds its subject in the quick ring
import { createClient } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { verify } from '@parrain/database/verify';
import { hashPassword } from '#auth';

import { freePort } from './testing/free-port.ts';
import { aClient, aCommercial, anAdmin, aSale, aScale, openTestDatabase, SECRET_KEY } from './testing/index.ts';
import type { OpenedDatabase, Person } from './testing/index.ts';
import { leastEnvironment } from './testing/processes.ts';
import { subscribed, until } from './testing/realtime.ts';
import type { ChangeEvent } from './testing/realtime.ts';
import { startPair } from './testing/standby.ts';
import type { Pair } from './testing/standby.ts';

// Two nodes on two PostgreSQL servers: the primary dies under load, the standby is promoted.

const MAIN = path.join(import.meta.dirname, 'main.ts');
const PASSWORD = 'Un-mot-de-passe-assez-long-2026';

type Node = { readonly url: string; readonly child: ChildProcess };

let pair: Pair;
let nodes: readonly [Node, Node];
let running: Node[] = [];
let on: OpenedDatabase;
let admin: Person;
let commercial: Person;
let key: string;

beforeEach(async () => {
  running = [];
  pair = await startPair();
  nodes = [await aNode(), await aNode()];
  on = openTestDatabase(ownerOf(pair.primary.port));
  const passwordHash = await hashPassword(PASSWORD);
  admin = await anAdmin(on, { passwordHash });
  commercial = await aCommercial(on, { passwordHash });
  await aScale(on, { isDefault: true });
  key = ((await (await fetch(`${nodes[0].url}/config.json`)).json()) as { publishableKey: string }).publishableKey;
});

afterEach(async () => {
  for (const { child } of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await on.close().catch(() => undefined);
  await pair.stop();
});

function ownerOf(port: number) {
  const { username, password, pathname } = new URL(pair.url.replace(/,[^/]*/u, ''));
  return {
    host: '127.0.0.1',
    port,
    user: username,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
  };
}

async function aNode(): Promise<Node> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
    env: {
      ...leastEnvironment,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL: pair.url,
      SECRET_KEY,
      DEMO: '0',
      LOG_LEVEL: 'silent',
      DRAIN_SECONDS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const node = { url: `http://127.0.0.1:${port}`, child };
  running.push(node);
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`The server did not start:\n${printed}`))),
  ]);
  return node;
}

async function signIn(node: Node, person: Person): Promise<SupabaseClient> {
  const options = { auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false } };
  const { data, error } = await createClient(node.url, key, options).auth.signInWithPassword({
    email: person.email,
    password: PASSWORD,
  });
  expect(error).toBeNull();
  const token = data.session?.access_token ?? '';
  return createClient(node.url, key, { ...options, accessToken: () => Promise.resolve(token) });
}

const isReady = async ({ url }: Node): Promise<boolean> =>
  (await fetch(`${url}/health/ready`).catch(() => null))?.status === 200;

/** Writers on both nodes, one call after the other, until they are stopped: what each was told is kept. */
function writeUntilStopped(clients: readonly SupabaseClient[], sales: readonly string[]) {
  const acknowledged = new Map<string, number>();
  let isStopped = false;
  let count = 0;
  const writers = sales.map(async (id, index) => {
    const client = clients[index % clients.length];
    for (let version = 1; !isStopped && client !== undefined; version += 1) {
      const { error } = await client.functions.invoke('sales-management', {
        body: {
          action: 'update_status',
          sale_id: id,
          status: 'in_negotiation',
          contract_amount: version,
          contract_description: `v${version}`,
        },
      });
      if (error === null) {
        acknowledged.set(id, version);
        count += 1;
      } else await wait(20);
    }
  });
  return {
    written: async (more: number) => {
      const target = count + more;
      await expect.poll(() => count >= target, { interval: 20 }).toBe(true);
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(writers);
      return acknowledged;
    },
  };
}

describe('the database fails over', () => {
  test.each(['kill', 'freeze'] as const)(
    '[OP-07] %s the primary under load: every node finds the promoted standby, and nothing acknowledged is lost',
    async (end) => {
      const friendReferrer = await aClient(on, { commercial });
      const sales: string[] = [];
      for (let count = 0; count < 6; count += 1) sales.push((await aSale(on, { commercial, friendReferrer })).id);
      const clients = [await signIn(nodes[0], commercial), await signIn(nodes[1], commercial)];
      // The watcher works like a page: it gets changes, and a request to read again where it may have missed some.
      const events: ChangeEvent[] = [];
      let subscriptions = 0;
      const watcher = await signIn(nodes[1], admin);
      await watcher.realtime.setAuth();
      const channel = watcher
        .channel('sales')
        .on('postgres_changes', { event: '*', schema: 'public', table: 'sales' }, (event: ChangeEvent) =>
          events.push(event),
        )
        .on('system', {}, (message: { readonly status: string }) => {
          if (message.status === 'ok') subscriptions += 1;
        });
      await subscribed(channel);
      const load = writeUntilStopped(clients, sales);
      await load.written(60);
      await until(() => events[0]);
      const before = subscriptions;

      await pair.primary[end]();
      await pair.standby.promote();
      const promotedAt = performance.now();
      await expect
        .poll(async () => (await Promise.all(nodes.map(isReady))).every(Boolean), { interval: 20 })
        .toBe(true);
      const seconds = (performance.now() - promotedAt) / 1000;
      // Said, and not expected: 5 s are for a machine that does nothing else.
      process.stdout.write(`[OP-07] ${end}: both nodes ready ${seconds.toFixed(1)} s after the promotion\n`);

      await load.written(60);
      const acknowledged = await load.stop();
      await on.close().catch(() => undefined);
      on = openTestDatabase(ownerOf(pair.standby.port));
      for (const [id, version] of acknowledged) {
        const [sale] = await on.asOwner<{ amount: number }>(
          'select contract_amount::float8 as amount from public.sales where id = $1',
          [id],
        );
        expect(sale?.amount).toBeGreaterThanOrEqual(version);
      }
      const findings = await verify((sql) => on.asOwner(sql));
      expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);

      // The socket was told to read again, and hears what happens from then on.
      await expect.poll(() => subscriptions > before).toBe(true);
      events.length = 0;
      await on.asOwner(`update public.sales set contract_description = 'après' where id = $1`, [sales[0]]);
      await until(() =>
        events.find((event) => (event.new as Record<string, unknown>)['contract_description'] === 'après'),
      );
      await watcher.realtime.disconnect();

      // Jobs go on, on the promoted one.
      await on.asOwner(`select from graphile_worker.add_job('realtime-cleanup', job_key => 'failover')`);
      await expect
        .poll(async () => (await on.asOwner(`select from graphile_worker.jobs where key = 'failover'`)).length)
        .toBe(0);
    },
  );

  test('[OP-07] npm run verify reads on a replica where it is given one, and says how old that is', async () => {
    const environment = {
      ...leastEnvironment,
      DATABASE_URL: pair.url,
      DATABASE_READ_URL: pair.url.replace(/@[^,]*,/u, '@'),
    };
    const verified = async (): Promise<string> =>
      (
        await promisify(execFile)(
          process.execPath,
          ['--disable-warning=ExperimentalWarning', path.join(import.meta.dirname, 'commands', 'verify.ts')],
          { env: environment },
        )
      ).stdout;
    // The standby keeps what it is sent, and shows none of it.
    await pair.standby.ask('select pg_wal_replay_pause()');
    await on.asOwner(`update public.company_settings set updated_at = now()`);
    expect(await verified()).toMatch(
      /^Lu sur la réplique \(DATABASE_READ_URL\), en retard de \d+ s\.\n[^]*tous respectés/u,
    );
    await pair.standby.ask('select pg_wal_replay_resume()');
    await expect.poll(verified, { interval: 500 }).toContain('Lu sur la réplique (DATABASE_READ_URL), à jour.');
  });
});
