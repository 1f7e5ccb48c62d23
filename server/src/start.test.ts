import { borrowEmbedded } from '@parrain/database/embedded';
import { verify } from '@parrain/database/verify';
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { hashPassword } from '#auth';

import { freePort } from './testing/free-port.ts';
import { aClient, aCommercial, anAdmin, aSale, aScale, openTestDatabase } from './testing/index.ts';
import type { OpenedDatabase } from './testing/index.ts';
import { leastEnvironment } from './testing/processes.ts';

// The server as `npm start` runs it: one process, with the embedded PostgreSQL, which get killed.

const MAIN = path.join(import.meta.dirname, 'main.ts');
const PASSWORD = 'Un-mot-de-passe-assez-long-2026';

let dataDir: string;
let port: number;
let running: ChildProcess[];

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'parrain-start-'));
  await chmod(dataDir, 0o755);
  port = await freePort();
  running = [];
});

afterEach(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  // Also what a killed server left behind.
  const pid = await postmasterPid();
  if (pid !== null) {
    try {
      process.kill(pid, 'SIGQUIT');
      // It takes its file along; one that was killed left it, and may not be buried yet.
      while ((await postmasterPid()) === pid && !(await isZombie(pid))) await wait(20);
    } catch {
      // Already gone.
    }
  }
  await rm(dataDir, { recursive: true, force: true });
});

describe('npm start', () => {
  test('[A-02] on an empty folder tells the address and the demo accounts, which sign in; then stops in order', async () => {
    const { child, printed } = await start({ DEMO: '1' });
    expect(printed()).toContain(`Parrain est prêt : http://localhost:${port}`);
    expect(printed()).toContain('admin@demo.example');
    const { demo } = (await (await fetch(`${origin()}/config.json`)).json()) as {
      demo: { password: string; accounts: { email: string; role: string }[] };
    };
    for (const { email, role } of demo.accounts) {
      expect((await signIn(email, demo.password)).role).toBe(role);
    }
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await postmasterPid()).toBeNull();
  });

  test(
    'a second server on the same data is refused in a sentence, and the first one does not notice',
    { tags: 'long' },
    async () => {
      await start();
      const second = spawnServer({ PORT: String(await freePort()) });
      let told = '';
      second.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
      expect(await once(second, 'exit')).toEqual([1, null]);
      expect(told).toContain('Un autre serveur');
      expect(told).not.toContain('at ');
      expect((await fetch(`${origin()}/health/ready`)).status).toBe(200);
    },
  );

  test('a port that is taken is said in a sentence, and leaves no PostgreSQL behind', async () => {
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    try {
      const child = spawnServer();
      let told = '';
      child.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
      expect(await once(child, 'exit')).toEqual([1, null]);
      expect(told).toContain(`Le port ${port} est déjà utilisé`);
      expect(await postmasterPid()).toBeNull();
    } finally {
      taken.close();
    }
  });

  test(
    '[F-16] threats 84, 85, 86: killed during 200 writes, with its PostgreSQL: everything acknowledged is there, every invariant holds',
    { tags: 'long' },
    async () => {
      const first = await start();
      const company = await aCompany();
      const load = writeUntilStopped(company);
      await load.acknowledged(200);
      const pid = await postmasterPid();
      first.child.kill('SIGKILL');
      process.kill(pid ?? 0, 'SIGKILL');
      await once(first.child, 'exit');
      const acknowledged = await load.stop();
      expect(await postmasterPid()).toBe(pid);

      await start();
      await expectKept(acknowledged);
    },
  );

  test(
    '[F-16] threat 85: PostgreSQL killed under 16 writers: the server lives, says 503, and works again by itself with nothing lost',
    { tags: 'long' },
    async () => {
      await start();
      const company = await aCompany();
      const load = writeUntilStopped(company);
      await load.acknowledged(60);
      process.kill((await postmasterPid()) ?? 0, 'SIGKILL');
      while ((await statusOf('/health/ready')) === 200) await wait(5);
      while ((await statusOf('/health/ready')) !== 200) await wait(20);
      await load.acknowledged(60);
      const acknowledged = await load.stop();
      for (const status of acknowledged.statuses) expect([200, 503]).toContain(status);
      await expectKept(acknowledged);
    },
  );

  test(
    'npm run verify and npm run keys answer while the server runs, and after it stopped',
    { tags: 'long' },
    async () => {
      const { child } = await start({ DEMO: '1' });
      const { publishableKey } = (await (await fetch(`${origin()}/config.json`)).json()) as { publishableKey: string };
      expect(await command('keys')).toContain(publishableKey);
      expect(await command('verify')).toContain('tous respectés');
      expect((await fetch(`${origin()}/health/ready`)).status).toBe(200);
      child.kill('SIGTERM');
      await once(child, 'exit');
      expect(await command('keys')).toContain(publishableKey);
      expect(await command('verify')).toContain('tous respectés');
      expect(await postmasterPid()).toBeNull();
    },
  );
});

type Company = {
  readonly admin: string;
  readonly commercial: string;
  readonly salesToValidate: readonly string[];
  readonly salesToEdit: readonly string[];
};

/** People who signed in, sales to decide and sales to work on. */
async function aCompany(): Promise<Company> {
  return withDatabase(async (db) => {
    const passwordHash = await hashPassword(PASSWORD);
    const admin = await anAdmin(db, { passwordHash });
    const commercial = await aCommercial(db, { passwordHash });
    const friendReferrer = await aClient(db, { commercial });
    await aScale(db, { isDefault: true });
    const many = async (count: number, isReady: boolean): Promise<string[]> => {
      const { id } = await aSale(db, { commercial, friendReferrer, isReady });
      const copies = await db.asOwner<{ id: string }>(
        `insert into public.sales (referred_contact_name, contract_amount, contract_description, commercial_id,
           friend_referrer_id, ready_for_validation)
         select referred_contact_name, contract_amount, contract_description, commercial_id, friend_referrer_id,
           ready_for_validation
         from public.sales, generate_series(2, $2) where id = $1 returning id`,
        [id, count],
      );
      return [id, ...copies.map((copy) => copy.id)];
    };
    return {
      salesToValidate: await many(3000, true),
      salesToEdit: await many(8, false),
      admin: (await signIn(admin.email, PASSWORD)).token,
      commercial: (await signIn(commercial.email, PASSWORD)).token,
    };
  });
}

type Acknowledged = {
  readonly validated: readonly string[];
  /** The last description that each sale's writer was told is kept. */
  readonly described: ReadonlyMap<string, number>;
  readonly statuses: ReadonlySet<number>;
};

/** Values that a screen shows of each sale to validate. */
const SEEN = {
  seen_version: 1,
  expected_contract_amount: '1234.56',
  expected_client_commission_amount: '123.46',
  expected_commercial_commission_amount: '50.00',
};

/** Sixteen writers: half validate sales, half rewrite one each, one call after the other. */
function writeUntilStopped(company: Company): {
  readonly acknowledged: (count: number) => Promise<void>;
  readonly stop: () => Promise<Acknowledged>;
} {
  const validated: string[] = [];
  const described = new Map<string, number>();
  const statuses = new Set<number>();
  let count = 0;
  let isStopped = false;

  async function call(token: string, body: Record<string, unknown>): Promise<boolean> {
    try {
      const reply = await fetch(`${origin()}/functions/v1/sales-management`, {
        method: 'POST',
        headers: { apikey: await key(), authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      statuses.add(reply.status);
      if (reply.status === 200) count += 1;
      else await wait(20);
      return reply.status === 200;
    } catch {
      // Nobody is there: nothing was acknowledged.
      // Time itself: the pace of somebody who tries again.
      await wait(20);
      return false;
    }
  }
  let publishableKey: string | undefined;
  async function key(): Promise<string> {
    publishableKey ??= ((await (await fetch(`${origin()}/config.json`)).json()) as { publishableKey: string })
      .publishableKey;
    return publishableKey;
  }

  const remaining = [...company.salesToValidate];
  const validators = Array.from({ length: 8 }, async () => {
    for (let id = remaining.pop(); id !== undefined && !isStopped; id = remaining.pop()) {
      if (await call(company.admin, { action: 'validate', sale_id: id, ...SEEN })) validated.push(id);
    }
  });
  const editors = company.salesToEdit.map(async (id) => {
    for (let version = 1; !isStopped; version += 1) {
      const body = {
        action: 'update_status',
        sale_id: id,
        status: 'in_negotiation',
        contract_amount: version,
        contract_description: `Version ${version}`,
      };
      if (await call(company.commercial, body)) described.set(id, version);
    }
  });
  return {
    async acknowledged(more) {
      const target = count + more;
      const deadline = Date.now() + 240_000;
      while (count < target) {
        if (Date.now() > deadline) throw new Error(`Only ${count} writes; statuses ${[...statuses].join(', ')}`);
        await wait(5);
      }
    },
    async stop() {
      isStopped = true;
      await Promise.all([...validators, ...editors]);
      return { validated, described, statuses };
    },
  };
}

async function expectKept(acknowledged: Acknowledged): Promise<void> {
  await withDatabase(async (db) => {
    const kept = await db.asOwner<{ id: string }>(
      'select id from public.sales where admin_validated and id = any ($1)',
      [acknowledged.validated],
    );
    expect(kept).toHaveLength(acknowledged.validated.length);
    for (const [id, version] of acknowledged.described) {
      const [sale] = await db.asOwner<{ amount: number }>(
        'select contract_amount::float8 as amount from public.sales where id = $1',
        [id],
      );
      expect(sale?.amount).toBeGreaterThanOrEqual(version);
    }
    const findings = await verify((sql) => db.asOwner(sql));
    expect(findings.filter((finding) => finding.violations.length > 0)).toEqual([]);
  });
}

async function withDatabase<T>(work: (db: OpenedDatabase) => Promise<T>): Promise<T> {
  const borrowed = await borrowEmbedded(dataDir);
  expect(borrowed.isBorrowed).toBe(true);
  const db = openTestDatabase(borrowed.owner);
  try {
    return await work(db);
  } finally {
    await db.close();
    await borrowed.stop();
  }
}

async function signIn(email: string, password: string): Promise<{ readonly token: string; readonly role: string }> {
  const { publishableKey } = (await (await fetch(`${origin()}/config.json`)).json()) as { publishableKey: string };
  const reply = await fetch(`${origin()}/functions/v1/auth-signin`, {
    method: 'POST',
    headers: { apikey: publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  expect(reply.status).toBe(200);
  const body = (await reply.json()) as { access_token: string; profile: { role: string } };
  return { token: body.access_token, role: body.profile.role };
}

function spawnServer(environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
    env: {
      ...leastEnvironment,
      DATA_DIR: dataDir,
      PORT: String(port),
      DEMO: '0',
      LOG_LEVEL: 'silent',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.push(child);
  return child;
}

async function start(
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly child: ChildProcess; readonly printed: () => string }> {
  const child = spawnServer(environment);
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`The server did not start:\n${printed}`))),
  ]);
  return { child, printed: () => printed };
}

async function command(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', path.join(import.meta.dirname, 'commands', `${name}.ts`)],
    { env: { ...leastEnvironment, DATA_DIR: dataDir, DEMO: '0' } },
  );
  return stdout;
}

/** Reads the body too: a connection whose answer is not read is not used again, and the server closes those that are idle longest. */
async function statusOf(address: string): Promise<number> {
  const reply = await fetch(origin() + address);
  await reply.arrayBuffer();
  return reply.status;
}

async function isZombie(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return /^\d+ \(.*\) Z /su.test(stat);
}

const origin = (): string => `http://127.0.0.1:${port}`;

async function postmasterPid(): Promise<number | null> {
  const text = await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => null);
  return text === null ? null : Number(text.split('\n')[0]);
}
