import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { borrowEmbedded, EmbeddedPostgresError, startEmbedded } from '../src/embedded.ts';
import type { OwnerConnection } from '../src/embedded.ts';

type Message =
  | { readonly event: 'ready'; readonly owner: OwnerConnection }
  | { readonly event: 'refused'; readonly message: string }
  | { readonly event: 'restarted' };

let dataDir: string;
let children: ChildProcess[];

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'parrain-embedded-'));
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  const left = await postmasterPid();
  if (left !== null && isAlive(left)) {
    process.kill(left, 'SIGQUIT');
    await until(() => !isAlive(left));
  }
  await rm(dataDir, { recursive: true, force: true });
});

describe('the embedded database', () => {
  test('starts, stops in order and starts again on the same folder', async () => {
    const first = await startEmbedded({ dataDir });
    await first.stop();
    const second = await startEmbedded({ dataDir });
    await second.stop();
    expect(await postmasterPid()).toBeNull();
  });

  test('is for this machine alone, behind a random password that only its owner reads, in UTF-8, French order and UTC', async () => {
    const postgres = await startEmbedded({ dataDir });
    try {
      const { rows } = await query(
        postgres.owner,
        `select current_setting('listen_addresses') as addresses, current_setting('server_encoding') as encoding,
          current_setting('TimeZone') as zone, current_setting('fsync') as fsync,
          (select string_agg(name, ' ' order by name) from unnest(array['zoé', 'Œuvre', 'eric', 'Élodie', 'étienne', 'Zara']) name) as sorted,
          (select string_agg(distinct auth_method, ' ') from pg_hba_file_rules) as auth`,
      );
      expect(rows[0]).toEqual({
        addresses: '127.0.0.1',
        encoding: 'UTF8',
        zone: 'UTC',
        fsync: 'on',
        sorted: 'Élodie eric étienne Œuvre Zara zoé',
        auth: 'scram-sha-256',
      });
      const settings = await stat(path.join(dataDir, 'postgres.json'));
      expect(settings.mode & 0o077).toBe(0);
      const tcp = { ...postgres.owner, host: '127.0.0.1', password: 'guess' };
      await expect(query(tcp, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    } finally {
      await postgres.stop();
    }
  });

  test('a second server on the same data is refused with a sentence that names the first', async () => {
    const { child } = await startChild();
    await expect(startEmbedded({ dataDir })).rejects.toThrow(EmbeddedPostgresError);
    await expect(startEmbedded({ dataDir })).rejects.toThrow(
      new RegExp(`Un autre serveur \\(processus ${child.pid}\\) utilise déjà le dossier de données ${dataDir}`, 'u'),
    );
    expect(isAlive(child.pid ?? 0)).toBe(true);
  });

  test('of two first starts at the same instant, one serves and the other is refused', { tags: 'long' }, async () => {
    const outcomes = await Promise.all([tryChild(), tryChild()]);
    expect(outcomes.map((outcome) => outcome.event).sort()).toEqual(['ready', 'refused']);
  });

  test(
    'a command borrows the database of a running server, and starts a stopped one for its own time',
    { tags: 'long' },
    async () => {
      const { child, owner } = await startChild();
      const borrowed = await borrowEmbedded(dataDir);
      expect(borrowed.isBorrowed).toBe(true);
      expect(borrowed.owner).toEqual(owner);
      await borrowed.stop();
      expect((await query(owner, 'select 1 as one')).rows).toEqual([{ one: 1 }]);
      child.kill('SIGTERM');
      await until(() => child.exitCode !== null);
      const started = await borrowEmbedded(dataDir);
      expect(started.isBorrowed).toBe(false);
      expect((await query(started.owner, 'select 1 as one')).rows).toEqual([{ one: 1 }]);
      await started.stop();
      expect(await postmasterPid()).toBeNull();
    },
  );

  test(
    'threat 84: a server killed in the middle leaves a database that the next one takes over, with all it had committed',
    { tags: 'long' },
    async () => {
      const { child, owner } = await startChild();
      await query(owner, 'create table kept (n integer)');
      await query(owner, 'insert into kept values (1)');
      child.kill('SIGKILL');
      await until(() => child.signalCode !== null);
      const next = await startEmbedded({ dataDir });
      try {
        expect((await query(next.owner, 'select n from kept')).rows).toEqual([{ n: 1 }]);
      } finally {
        await next.stop();
      }
    },
  );

  test(
    'threat 86: server and PostgreSQL killed together, with their lock files left, start again with all that was committed',
    { tags: 'long' },
    async () => {
      const { child, owner } = await startChild();
      await query(owner, 'create table kept (n integer)');
      let written = 0;
      const busy = Promise.all(
        Array.from({ length: 8 }, async (_, writer) => {
          const acknowledged: number[] = [];
          const client = new Client(owner);
          client.on('error', () => undefined);
          await client.connect();
          try {
            for (let n = writer * 10_000; ; n += 1) {
              await client.query('insert into kept values ($1)', [n]);
              acknowledged.push(n);
              written += 1;
            }
          } catch {
            return acknowledged;
          }
        }),
      );
      while (written < 50) await wait(10);
      const pid = await postmasterPid();
      expect(pid).not.toBeNull();
      child.kill('SIGKILL');
      process.kill(pid ?? 0, 'SIGKILL');
      const acknowledged = (await busy).flat();
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(await postmasterPid()).toBe(pid);

      const next = await startEmbedded({ dataDir });
      try {
        const { rows } = await query(next.owner, 'select n from kept');
        const kept = new Set(rows.map((row) => row['n']));
        expect(acknowledged.filter((n) => !kept.has(n))).toEqual([]);
      } finally {
        await next.stop();
      }
    },
  );

  test(
    'threat 86: a stale postmaster.pid whose number another program has since is no obstacle',
    { tags: 'long' },
    async () => {
      const first = await startEmbedded({ dataDir });
      await first.stop();
      const file = path.join(dataDir, 'postgres', 'postmaster.pid');
      await writeFile(file, `${process.pid}\n${dataDir}/postgres\n1700000000\n5432\n\n127.0.0.1\n  0 0\nready   \n`);
      const next = await startEmbedded({ dataDir });
      expect((await query(next.owner, 'select 1 as one')).rows).toEqual([{ one: 1 }]);
      await next.stop();
    },
  );

  test('threat 85: PostgreSQL killed under a living server is started again by it', { tags: 'long' }, async () => {
    const { child, owner } = await startChild();
    await query(owner, 'create table kept (n integer)');
    await query(owner, 'insert into kept values (1)');
    const restarted = messageOf(child, 'restarted');
    process.kill((await postmasterPid()) ?? 0, 'SIGKILL');
    await restarted;
    expect((await query(owner, 'select n from kept')).rows).toEqual([{ n: 1 }]);
    await expect(startEmbedded({ dataDir })).rejects.toThrow(/Un autre serveur/u);
  });

  test(
    '[F-16] threat 85: a server that stops while it starts PostgreSQL again leaves none behind',
    { tags: 'long' },
    async () => {
      const postgres = await startEmbedded({ dataDir });
      const killed = (await postmasterPid()) ?? 0;
      process.kill(killed, 'SIGKILL');
      await until(() => !isAlive(killed));
      await postgres.stop();
      // One that was begun meanwhile shows itself within a thousand turns of the event loop.
      for (let turn = 0; turn < 1000; turn++) {
        const left = await postmasterPid();
        expect(left !== null && isAlive(left)).toBe(false);
      }
    },
  );

  test('a folder that PostgreSQL’s account may not enter is named', { skip: process.getuid?.() !== 0 }, async () => {
    const closed = path.join(dataDir, 'closed');
    await mkdir(closed, { mode: 0o700 });
    await expect(startEmbedded({ dataDir: path.join(closed, 'data') })).rejects.toThrow(
      new RegExp(`ne peut pas entrer dans ${closed}`, 'u'),
    );
    await chmod(closed, 0o755);
  });

  test('a damaged settings file is said, and nothing is overwritten', { tags: 'long' }, async () => {
    const first = await startEmbedded({ dataDir });
    await first.stop();
    const file = path.join(dataDir, 'postgres.json');
    await writeFile(file, 'not json');
    await expect(startEmbedded({ dataDir })).rejects.toThrow(/abîmé/u);
    await rm(file);
    await expect(startEmbedded({ dataDir })).rejects.toThrow(/a disparu/u);
  });
});

async function startChild(): Promise<{ readonly child: ChildProcess; readonly owner: OwnerConnection }> {
  const child = forkServer();
  const message = await messageOf(child, 'ready');
  if (message.event !== 'ready') throw new Error('The server did not start');
  return { child, owner: message.owner };
}

async function tryChild(): Promise<Message> {
  return messageOf(forkServer(), 'any');
}

function forkServer(): ChildProcess {
  const child = fork(path.join(import.meta.dirname, 'fixtures', 'embedded-server.ts'), [dataDir], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(child);
  return child;
}

async function messageOf(child: ChildProcess, event: Message['event'] | 'any'): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: Message) => {
      if (event === 'any' || message.event === event) resolve(message);
      else if (message.event === 'refused') reject(new Error(message.message));
    });
    child.once('exit', (code) => reject(new Error(`The server ended with code ${code ?? 'none'}`)));
  });
}

async function query(owner: OwnerConnection, text: string, values: unknown[] = []) {
  const client = new Client(owner);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(text, values);
  } finally {
    await client.end();
  }
}

async function postmasterPid(): Promise<number | null> {
  const text = await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => null);
  return text === null ? null : Number(text.split('\n')[0]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(10);
}
