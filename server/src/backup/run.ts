import { connectAsOwner } from '@parrain/database/connect';
import type { Owner } from '@parrain/database/connect';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { recordRun } from '#platform/maintenance';
import type { RecordQuery } from '#platform/maintenance';

import type { BackupOrder, BackupResult } from './make.ts';
import { isBackupOf, placeAt } from './place.ts';

/**
 * Makes a backup on a thread of its own, so that no request waits while it is encrypted, and keeps the record of it that
 * « État du système » reads.
 */
export async function runBackup(order: BackupOrder, signal?: AbortSignal): Promise<BackupResult> {
  const query = asService(order.owner);
  const [known] = await query(`select to_regclass('private.maintenance_runs') is not null as exists`, []);
  // A schema older than these records keeps none.
  if (known?.['exists'] !== true) return onThread(order, signal);
  const { details } = await recordRun(query, 'backup', async () => ({
    succeeded: true,
    details: await onThread(order, signal),
  }));
  return details;
}

async function onThread(order: BackupOrder, signal: AbortSignal | undefined): Promise<BackupResult> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: order });
  const stop = (): void => void worker.terminate();
  signal?.addEventListener('abort', stop);
  try {
    const ended = once(worker, 'exit').then(() => Promise.reject(new Error('The backup was interrupted')));
    ended.catch(() => undefined);
    const [message]: unknown[] = await Promise.race([once(worker, 'message'), ended]);
    return message as BackupResult;
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

/**
 * Removes the oldest backups of this host beyond so many.
 * @returns the names of those removed.
 */
export async function pruneBackups(order: Pick<BackupOrder, 'to' | 'host'>, keep: number): Promise<readonly string[]> {
  const place = placeAt(order.to);
  const names = (await place.list()).map(({ name }) => name).filter((name) => isBackupOf(order.host, name));
  const over = names.slice(0, Math.max(0, names.length - keep));
  for (const name of over) await place.remove(name);
  return over;
}

/** On a connection for each statement: a backup may take as long as its place is slow. */
function asService(owner: Owner): RecordQuery {
  return async (text, values) => {
    const client = await connectAsOwner(owner);
    try {
      await client.query('set role parrain_service');
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };
}
