import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { leastEnvironment } from './testing/processes.ts';

// The server behind npm, npm's shell and our own supervisor, of which any may be told to stop, or killed.

const PROJECT = path.join(import.meta.dirname, '..', '..');
const DRAIN_SECONDS = 2;

let folder: string;
let npm: ChildProcess;

// One installation for all that let it serve: the first start costs more than the others together.
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-stopping-'));
  // Under root, PostgreSQL runs as another account, which has to pass through.
  await chmod(folder, 0o755);
});

afterEach(async () => {
  for (const pid of await ours()) kill(pid, 'SIGKILL');
});

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

describe.skipIf(process.platform !== 'linux')('the server behind npm', () => {
  const stops: readonly (readonly [string, () => Promise<void>])[] = [
    ['SIGTERM to npm alone', async () => kill(npm.pid, 'SIGTERM')],
    ['SIGTERM to the whole group', async () => kill(-(npm.pid ?? 0), 'SIGTERM')],
    [
      'SIGTERM to the whole group, and again',
      async () => {
        kill(-(npm.pid ?? 0), 'SIGTERM');
        // Time itself: the second comes while the first is being obeyed.
        await wait(200);
        kill(-(npm.pid ?? 0), 'SIGTERM');
      },
    ],
    [
      'Ctrl-C in the terminal, twice',
      async () => {
        kill(-(npm.pid ?? 0), 'SIGINT');
        // Time itself: the second comes while the first is being obeyed.
        await wait(200);
        kill(-(npm.pid ?? 0), 'SIGINT');
      },
    ],
    [
      'SIGTERM, three times, to the server itself',
      async () => {
        const server = await pidOf('server/src/main.ts', 'scripts/');
        for (let times = 0; times < 3; times += 1) {
          kill(server, 'SIGTERM');
          // Time itself: the next comes while the first is being obeyed.
          await wait(100);
        }
      },
    ],
    ['a kill of the supervisor', async () => kill(await pidOf('scripts/run.mjs', 'sh -c'), 'SIGKILL')],
    ['a kill of npm', async () => kill(npm.pid, 'SIGKILL')],
  ];
  for (const [how, stop] of stops)
    test(
      `[FX-24] after ${how}, drains and leaves no process behind`,
      { tags: how === 'SIGTERM to the whole group' ? [] : 'long' },
      async () => {
        const { printed } = await runThroughNpm('data');
        await expect.poll(printed, { interval: 50 }).toContain('prêt : http:');
        await stop();
        await expect.poll(ours, { interval: 200 }).toEqual([]);
        // Each of these is an orderly end's alone: a second signal used to end it in 0.06 s.
        const [told, ended] = ['The server stops', 'The server has stopped'].map((message) =>
          timeOf(printed(), message),
        );
        expect(Number(ended) - Number(told)).toBeGreaterThanOrEqual(DRAIN_SECONDS * 1000);
        expect(await readFile(path.join(folder, 'data', 'postgres', 'postmaster.pid')).catch(() => null)).toBeNull();
      },
    );

  test('[FX-24] told to stop while it starts, stops, and leaves no PostgreSQL behind', async () => {
    const { printed } = await runThroughNpm('unmade');
    await expect.poll(async () => (await ours()).length, { interval: 20 }).toBeGreaterThan(3);
    kill(npm.pid, 'SIGTERM');
    await expect.poll(ours, { interval: 200 }).toEqual([]);
    expect(printed()).not.toContain('    at ');
  });
});

/** npm with a script of its own, in a group of its own as a terminal or a supervisor makes it. */
async function runThroughNpm(data: string): Promise<{ readonly printed: () => string }> {
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ scripts: { start: `node ${PROJECT}/scripts/run.mjs server/src/main.ts` } }),
  );
  npm = spawn('npm', ['start', '--loglevel=error'], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...leastEnvironment,
      HOME: folder,
      DATA_DIR: path.join(folder, data),
      PORT: '0',
      DEMO: '0',
      LOG_LEVEL: 'info',
      DRAIN_SECONDS: String(DRAIN_SECONDS),
    },
  });
  let printed = '';
  npm.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  npm.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await once(npm, 'spawn');
  return { printed: () => printed };
}

/** Time of a message in the log, in milliseconds; NaN where it is not there. */
function timeOf(printed: string, message: string): number {
  const line = printed.split('\n').find((candidate) => candidate.includes(`"msg":"${message}"`)) ?? '{}';
  return Date.parse((JSON.parse(line) as { readonly time?: string }).time ?? '');
}

/** The processes that were started here: their environment names the folder. */
async function ours(): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/u.test(name)) continue;
    const [environment, command] = await Promise.all(
      ['environ', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
    );
    if (`${environment ?? ''}${command ?? ''}`.includes(folder)) found.push(Number(name));
  }
  return found;
}

async function pidOf(text: string, not: string): Promise<number> {
  for (const pid of await ours()) {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
    if (command.includes(text) && !command.includes(not)) return pid;
  }
  throw new Error(`No process runs ${text}`);
}

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined && pid !== 0) process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}
