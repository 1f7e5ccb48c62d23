// @module-tag long: src/realtime/several-nodes.test.ts holds its subject in the quick ring
import { createClient, REALTIME_SUBSCRIBE_STATES } from '@supabase/supabase-js';
import type { SupabaseClient } from '@supabase/supabase-js';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { hashPassword } from '#auth';

import { freePort } from './testing/free-port.ts';
import {
  aClient,
  aCommercial,
  anAdmin,
  asJustSeen,
  aSale,
  aScale,
  createTestDatabase,
  SECRET_KEY,
  startMailbox,
} from './testing/index.ts';
import type { Mailbox, Person, TestDatabase } from './testing/index.ts';
import { leastEnvironment } from './testing/processes.ts';
import { subscribed, until } from './testing/realtime.ts';
import type { ChangeEvent } from './testing/realtime.ts';
import { jobsAreDone } from './testing/waiting.ts';

// Three servers as `npm start` runs them, each a process of its own, on one database: one product.

const MAIN = path.join(import.meta.dirname, 'main.ts');
const PASSWORD = 'Un-mot-de-passe-assez-long-2026';
const DRAIN_SECONDS = 1;

type Node = { readonly port: number; readonly url: string; child: ChildProcess };

let database: TestDatabase;
let mailbox: Mailbox;
let balancer: Balancer;
let nodes: readonly [Node, Node, Node];
let admin: Person;
let commercial: Person;
let publishableKey: string;

beforeAll(async () => {
  [database, mailbox, balancer] = await Promise.all([createTestDatabase(), startMailbox(), startBalancer()]);
  const passwordHash = await hashPassword(PASSWORD);
  admin = await anAdmin(database, { passwordHash });
  commercial = await aCommercial(database, { passwordHash });
  await aScale(database, { isDefault: true });
  nodes = await Promise.all([aNode(), aNode(), aNode()]);
  balancer.use(nodes.map(({ port }) => port));
  ({ publishableKey } = (await (await fetch(`${nodes[0].url}/config.json`)).json()) as { publishableKey: string });
});

afterAll(async () => {
  await Promise.all(nodes.map(({ child }) => stopped(child)));
  balancer.close();
  await mailbox.close();
  await database.drop();
});

test('one set of keys: each node takes the others’ tokens', async () => {
  const token = await signIn(nodes[0], commercial);
  for (const node of nodes) {
    const config = (await (await fetch(`${node.url}/config.json`)).json()) as { publishableKey: string };
    expect(config.publishableKey).toBe(publishableKey);
    expect(await statusOfSales(node, token)).toBe(200);
  }
});

test('[RT-01] [F-98] what is done on one node reaches the sockets of another, once', async () => {
  const [one, two, three] = nodes;
  const watcher = clientOf(two, await signIn(two, commercial));
  const events: ChangeEvent[] = [];
  const heard: unknown[] = [];
  await watcher.realtime.setAuth();
  await subscribed(
    watcher
      .channel('sales')
      .on('postgres_changes', { event: '*', schema: 'public', table: 'sales' }, (event: ChangeEvent) =>
        events.push(event),
      )
      .on('broadcast', { event: '*' }, (message) => heard.push(message['payload'])),
  );
  const sale = await aSale(database, { commercial, friendReferrer: null, isReady: true });
  await until(() => events[0]);
  const acting = clientOf(one, await signIn(one, admin));
  const { error } = await acting.functions.invoke('sales-management', {
    body: await asJustSeen(database, { action: 'validate', sale_id: sale.id }),
  });
  expect(error).toBeNull();
  expect((await until(() => events[1])).new).toMatchObject({ id: sale.id, status: 'validated' });
  await clientOf(three).channel('sales').httpSend('note', { n: 1 });
  await until(() => heard[0]);
  // A second of either would have come before what was said after it.
  await clientOf(three).channel('sales').httpSend('note', { n: 2 });
  await until(() => heard[1]);
  expect([events.length, heard]).toEqual([2, [{ n: 1 }, { n: 2 }]]);
  await watcher.realtime.disconnect();
});

test('[A-08] a session that ends on one node is over on the others', async () => {
  const [one, two, three] = nodes;
  const token = await signIn(one, commercial);
  expect(await statusOfSales(two, token)).toBe(200);
  const reply = await fetch(`${three.url}/auth/v1/logout?scope=local`, {
    method: 'POST',
    headers: { apikey: publishableKey, authorization: `Bearer ${token}` },
  });
  expect(reply.status).toBe(204);
  for (const node of nodes) expect(await statusOfSales(node, token)).toBe(401);
});

test('limits are shared: guesses spread over three nodes are counted as one', async () => {
  const guess = async (node: Node, email: string): Promise<number> =>
    (
      await fetch(`${node.url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: { apikey: publishableKey, 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'ce-n-est-pas-le-bon' }),
      })
    ).status;
  const guessesOf = async (email: string, on: readonly Node[]): Promise<number> => {
    for (let count = 0; count < 60; count += 1) {
      const node = on[count % on.length];
      if (node !== undefined && (await guess(node, email)) === 429) return count;
    }
    throw new Error('Nobody was stopped');
  };
  const [first, second] = [await aClient(database), await aClient(database)];
  const alone = await guessesOf(first.email, [nodes[0]]);
  expect(await guessesOf(second.email, nodes)).toBe(alone);
  for (const node of nodes) expect(await guess(node, second.email)).toBe(429);
});

test('[ST-01] [V-06] a logo sent to one node is served by the others', async () => {
  const [one, two, three] = nodes;
  const png = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#0a0' } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'logo.png');
  const acting = clientOf(one, await signIn(one, admin));
  const { data, error } = await acting.functions.invoke<{ readonly settings?: { readonly logo_url?: string } }>(
    'company-settings?action=upload_logo',
    { body: form },
  );
  expect(error).toBeNull();
  const pathname = /\/storage[^"]+logo-[^"]+[.]png/u.exec(JSON.stringify(data))?.[0] ?? '';
  const files = await Promise.all(
    [two, three].map(async ({ url }) => Buffer.from(await (await fetch(url + pathname)).arrayBuffer())),
  );
  for (const file of files) expect((await sharp(file).metadata()).format).toBe('png');
  expect(files[0]?.equals(files[1] ?? Buffer.of())).toBe(true);
});

test('a job is run once, whichever node finds it first', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => aClient(database)));
  await Promise.all(
    people.map(async ({ email }, index) => {
      const node = nodes[index % nodes.length] ?? nodes[0];
      const { error } = await clientOf(node, undefined, {
        'x-forwarded-for': `10.1.${index}.1`,
      }).auth.resetPasswordForEmail(email);
      expect(error).toBeNull();
    }),
  );
  for (const { email } of people) await mailbox.take(email);
  await jobsAreDone({ database });
  for (const { email } of people) {
    expect(mailbox.mails.filter(({ recipients }) => recipients.includes(email))).toHaveLength(1);
  }
});

test('[F-98] a rolling restart: each node in its turn stops and comes back, no request is lost, sockets find their way', async () => {
  const token = await signIn(nodes[0], commercial);
  const watcher = createClient(balancer.url, publishableKey, { accessToken: () => Promise.resolve(token) });
  await watcher.realtime.setAuth();
  const seen = new Set<string>();
  let subscriptions = 0;
  watcher
    .channel('rolling')
    .on('postgres_changes', { event: 'UPDATE', schema: 'public', table: 'sales' }, ({ new: row }) =>
      seen.add(String(row['contract_description'])),
    )
    .subscribe((status) => (subscriptions += status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED ? 1 : 0));
  const sales = await Promise.all(
    Array.from({ length: 6 }, () => aSale(database, { commercial, friendReferrer: null, isReady: false })),
  );
  const answers = new Map<number | string, number>();
  let isOver = false;
  const count = (answer: number | string): unknown => answers.set(answer, (answers.get(answer) ?? 0) + 1);
  const writers = sales.map(async ({ id }, writer) => {
    for (let version = 1; !isOver; version += 1) {
      try {
        const reply = await fetch(`${balancer.url}/functions/v1/sales-management`, {
          method: 'POST',
          headers: { apikey: publishableKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            action: 'update_status',
            sale_id: id,
            status: 'in_negotiation',
            contract_amount: version,
            contract_description: `${writer}/${version}`,
          }),
        });
        await reply.arrayBuffer();
        count(reply.status);
      } catch (error) {
        count(error instanceof Error && error.cause instanceof Error ? error.cause.message : 'lost');
      }
      // Time itself: the pace of somebody who writes.
      await wait(30);
    }
  });
  await until(() => subscriptions > 0);
  for (const node of nodes) {
    node.child.kill('SIGTERM');
    expect(await once(node.child, 'exit')).toEqual([0, null]);
    node.child = await started(node.port);
    // People have written since.
    const before = answers.get(200) ?? 0;
    await until(() => (answers.get(200) ?? 0) > before + 12);
  }
  await until(() => subscriptions > 1);
  isOver = true;
  await Promise.all(writers);
  expect(answers).toEqual(new Map([[200, expect.any(Number)]]));
  expect(answers.get(200)).toBeGreaterThan(100);
  const [last] = sales;
  await until(() => watcher.getChannels()[0]?.state === 'joined');
  await database.asOwner(`update public.sales set contract_description = 'fin' where id = $1`, [last?.id]);
  await until(() => seen.has('fin'));
  await watcher.realtime.disconnect();
});

async function aNode(): Promise<Node> {
  const port = await freePort();
  return { port, url: `http://127.0.0.1:${port}`, child: await started(port) };
}

async function started(port: number): Promise<ChildProcess> {
  const { user, password, host, port: postgres, database: name } = database.owner;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
    env: {
      ...leastEnvironment,
      PORT: String(port),
      HOST: '127.0.0.1',
      // By its socket, where that is how the test database is reached.
      DATABASE_URL: `postgres://${user}:${password}@localhost:${postgres}/${name}?host=${encodeURIComponent(host)}`,
      SECRET_KEY,
      PUBLIC_URL: balancer.url,
      SMTP_URL: mailbox.url,
      TRUST_PROXY: '1',
      DRAIN_SECONDS: String(DRAIN_SECONDS),
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`The server did not start:\n${printed}`))),
  ]);
  return child;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function signIn(node: Node, person: Person): Promise<string> {
  const { data, error } = await clientOf(node).auth.signInWithPassword({ email: person.email, password: PASSWORD });
  expect(error).toBeNull();
  return data.session?.access_token ?? '';
}

function clientOf(node: Node, token?: string, headers: Record<string, string> = {}): SupabaseClient {
  return createClient(node.url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { headers },
    ...(token === undefined ? {} : { accessToken: () => Promise.resolve(token) }),
  });
}

async function statusOfSales(node: Node, token: string): Promise<number> {
  const reply = await fetch(`${node.url}/rest/v1/sales?select=id&limit=1`, {
    headers: { apikey: publishableKey, authorization: `Bearer ${token}` },
  });
  return reply.status;
}

type Balancer = { readonly url: string; readonly use: (ports: readonly number[]) => void; readonly close: () => void };

/** Load balancer in front of the nodes: it polls their health, and gives each new connection to a ready node. */
async function startBalancer(): Promise<Balancer> {
  let ports: readonly number[] = [];
  let ready: readonly number[] = [];
  let connections = 0;
  const server: Server = createServer((inward) => {
    const candidates = ready.map((_, index) => ready[(connections + index) % ready.length]);
    connections += 1;
    inward.on('error', () => inward.destroy());
    inward.pause();
    const next = (): void => {
      const port = candidates.shift();
      if (port === undefined) {
        inward.destroy();
        return;
      }
      const outward = connect(port, '127.0.0.1');
      let isConnected = false;
      outward.on('connect', () => {
        isConnected = true;
        inward.pipe(outward).pipe(inward);
        inward.on('close', () => outward.destroy());
      });
      // Nobody was there yet: another may take it.
      outward.on('error', () => (isConnected ? inward.destroy() : next()));
    };
    next();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const look = async (): Promise<void> => {
    const answers = await Promise.all(
      ports.map(async (port) => {
        const reply = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
        await reply?.arrayBuffer();
        return reply?.status === 200 ? [port] : [];
      }),
    );
    ready = answers.flat();
  };
  const timer = setInterval(() => void look(), 100);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(all) {
      ports = all;
      ready = all;
    },
    close() {
      clearInterval(timer);
      server.close();
    },
  };
}
