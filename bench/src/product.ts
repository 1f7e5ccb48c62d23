import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { borrowEmbedded, freePort } from '@parrain/database/embedded';
import type { OwnerConnection } from '@parrain/database/embedded';

import { stopAtTheEnd, stopServer } from './tidy.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', 'server', 'src', 'main.ts');
const START_TIMEOUT_MS = 60_000;

/** The whole server in a process of its own, as `npm start` runs it, on a data directory. */
export type Product = {
  readonly port: number;
  readonly url: string;
  readonly dataDir: string;
  /** From the process's birth to its first 200, in seconds. */
  readonly startedIn: number;
  readonly publishableKey: string;
  /** The owner's connection to its database. */
  readonly owner: () => Promise<OwnerConnection>;
  /** Server and PostgreSQL, in MiB: what they would give back if they ended. */
  readonly memory: () => Promise<{ readonly server: number; readonly postgres: number }>;
  /** CPU time of the server itself since its start, in seconds. */
  readonly cpuSeconds: () => Promise<number>;
  /** The same of the server and of PostgreSQL's processes that run now. */
  readonly cpuSecondsOfAll: () => Promise<number>;
  readonly stop: () => Promise<void>;
  /** Kills the server and PostgreSQL at once, as a power cut does. */
  readonly kill: () => Promise<void>;
};

export async function startProduct(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Product> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      NODE_ENV: 'production',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  stopAtTheEnd(child);
  let stderrText = '';
  child.stderr.on('data', (chunk: Buffer) => (stderrText += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await firstAnswer(`${url}/health`, child, () => stderrText);
  const startedIn = (performance.now() - started) / 1000;
  const config = (await (await fetch(`${url}/config.json`)).json()) as { readonly publishableKey: string };

  return {
    port,
    url,
    dataDir,
    startedIn,
    publishableKey: config.publishableKey,
    owner: async () => (await borrowEmbedded(dataDir)).owner,
    async memory() {
      const postmaster = await postmasterOf(dataDir);
      const [server, ...postgres] = await Promise.all(
        [child.pid ?? 0, ...(await familyOf(postmaster))].map(proportionalSize),
      );
      return { server: server ?? 0, postgres: postgres.reduce((sum, size) => sum + size, 0) };
    },
    cpuSeconds: () => secondsOf(child.pid ?? 0),
    async cpuSecondsOfAll() {
      const pids = [child.pid ?? 0, ...(await familyOf(await postmasterOf(dataDir)))];
      return (await Promise.all(pids.map(secondsOf))).reduce((sum, one) => sum + one, 0);
    },
    stop: () => stopServer(child),
    async kill() {
      const postgres = await familyOf(await postmasterOf(dataDir));
      child.kill('SIGKILL');
      for (const pid of postgres) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended with the others.
        }
      }
      await exited;
    },
  };
}

/** The processor time of a process. Its name may hold spaces; what follows its parenthesis does not. A hundred ticks are a second. */
async function secondsOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function firstAnswer(url: string, child: ChildProcess, stderrOf: () => string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The server did not start: ${stderrOf()}`);
    try {
      const response = await fetch(url);
      await response.arrayBuffer();
      if (response.status === 200) return;
    } catch {
      // The server does not listen yet.
    }
    await wait(5);
  }
  throw new Error(`The server did not answer in time: ${stderrOf()}`);
}

async function postmasterOf(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** A process and its children; only itself where the system does not say. */
async function familyOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return [
    pid,
    ...children
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  ];
}

/** Proportional set size (PSS) of a process; NaN outside Linux. */
async function proportionalSize(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss: +(\d+) kB/mu.exec(rollup)?.[1] ?? Number.NaN) / 1024;
}
