import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** A program of the machine, by the names that it may have; undefined where it has none of them. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => existsSync(file));
}

/** Starts a program in a group of its own, so that what it starts ends with it; and waits for the words that say it is ready. */
export async function startProgram(
  file: string,
  parameters: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<{ words: Readonly<Record<string, string>>; stop: () => Promise<void> }> {
  const child = spawn(file, parameters, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  const words = await new Promise<Readonly<Record<string, string>>>((resolve, reject) => {
    const read = (text: string) => {
      output += text;
      const found = ready.exec(output);
      if (found) resolve(found.groups ?? {});
    };
    // What says nothing is ready as it starts.
    if (ready.test('')) child.once('spawn', () => resolve({}));
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}: ${output}`)));
  });
  return { words, stop: () => stopGroup(child) };
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
