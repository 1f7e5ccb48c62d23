import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const folders = new Set<string>();
const servers = new Set<ChildProcess>();

/** A folder of the bench's own, with how to remove it; an interrupted bench removes it as well. */
export async function temporaryFolder(): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'parrain-bench-'));
  folders.add(folder);
  return {
    folder,
    async remove() {
      await rm(folder, { recursive: true, force: true });
      folders.delete(folder);
    },
  };
}

/** A server that an interrupted bench stops, in order, before it removes the data. */
export function stopAtTheEnd(server: ChildProcess): void {
  servers.add(server);
  server.once('exit', () => servers.delete(server));
}

/** Asks a server to stop, once: asked twice, it would leave its PostgreSQL behind. */
export async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  if (!server.killed) server.kill('SIGTERM');
  await exited;
}

async function tidyUp(): Promise<never> {
  // Requests in flight fail with their server: expected here.
  process.on('uncaughtException', () => undefined);
  process.on('unhandledRejection', () => undefined);
  await Promise.all([...servers].map(stopServer));
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
  process.exit(130);
}
process.once('SIGINT', () => void tidyUp());
process.once('SIGTERM', () => void tidyUp());
