import { connectAsOwner } from '@parrain/database/connect';
import type { Owner } from '@parrain/database/connect';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Client } from 'pg';

import type { BackupOrder, BackupResult } from './make.ts';
import { isBackupOf, placeAt } from './place.ts';

/**
 * Makes a backup on a thread of its own, so that no request waits while it is encrypted, and keeps the record of it that
 * « État du système » reads.
 */
export async function runBackup(order: BackupOrder): Promise<BackupResult> {
  const record = await beginRecord(order.owner);
  try {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: order });
    const [message]: unknown[] = await once(worker, 'message');
    const result = message as BackupResult;
    await record.end(true, result);
    return result;
  } catch (error) {
    await record.end(false, { place: placeAt(order.to).description, error: messageOf(error) });
    throw error;
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

type RunRecord = { readonly end: (succeeded: boolean, details: object) => Promise<void> };

/** A database whose schema is older than these records keeps none. */
async function beginRecord(owner: Owner): Promise<RunRecord> {
  const started = new Date();
  const id = await asService(owner, async (client) => {
    const { rows } = await client.query<{ exists: boolean }>(
      `select to_regclass('private.maintenance_runs') is not null as exists`,
    );
    if (rows[0]?.exists !== true) return null;
    const made = await client.query<{ id: string }>(
      `insert into private.maintenance_runs (kind, started_at) values ('backup', $1) returning id`,
      [started],
    );
    return made.rows[0]?.id ?? null;
  });
  return {
    async end(succeeded, details) {
      if (id === null) return;
      await asService(owner, (client) =>
        client.query(
          'update private.maintenance_runs set finished_at = greatest(started_at, now()), succeeded = $2, details = $3 where id = $1',
          [id, succeeded, JSON.stringify(details)],
        ),
      );
    },
  };
}

async function asService<T>(owner: Owner, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectAsOwner(owner);
  try {
    await client.query('set role parrain_service');
    return await work(client);
  } finally {
    await client.end();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
