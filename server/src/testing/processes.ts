import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const SOURCES = path.join(import.meta.dirname, '..');

/** The environment of the product's programs in tests: nothing of this machine, but what Node compiled once, as in `npm start`. */
export const leastEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? path.join(SOURCES, '../../node_modules/.cache/node'),
};

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** Runs a command of the product, as `npm run <name> -- …` does, to its end. */
export async function runNpmCommand(
  name: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = spawnNode(['commands', `${name}.ts`], parameters, environment);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

export type ServerProcess = {
  readonly url: string;
  readonly stop: () => Promise<void>;
  /** Ends it at once, in the midst of whatever it does. */
  readonly kill: () => void;
};

/**
 * The server as `npm start` runs it, on a port of its own choice.
 *
 * @param sources where the program is: this one, or another version's.
 */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
  sources = SOURCES,
): Promise<ServerProcess> {
  const child = spawnNode(['main.ts'], [], { PORT: '0', DEMO: '0', LOG_LEVEL: 'silent', ...environment }, sources);
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`The server did not start:\n${printed}`))),
  ]);
  const url = /http:\/\/\S+/u.exec(printed)?.[0];
  if (url === undefined) throw new Error(`The server did not say where it is:\n${printed}`);
  return {
    url,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

function spawnNode(
  file: readonly string[],
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  sources = SOURCES,
): ChildProcess {
  return spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', path.join(sources, ...file), ...parameters],
    {
      env: { ...leastEnvironment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
}
