import { statfs } from 'node:fs/promises';

import type { Database } from './database.ts';
import type { Services } from './services.ts';

/** The database's own measures: `private.system_figures`. */
export type SystemFigures = {
  readonly mails: {
    readonly queued: number;
    readonly retried: number;
    readonly sending: number;
    readonly failed: number;
    readonly oldest_waiting_at: string | null;
    readonly given_up_at: string | null;
    readonly last_error: string | null;
  };
  readonly jobs: {
    readonly waiting: number;
    readonly retried: number;
    readonly failed: number;
    readonly oldest_waiting_at: string | null;
  };
  readonly runs: Readonly<Record<'backup' | 'verification', LastRun>>;
  /** The hosts of webhooks that fail, or that were turned off for it. */
  readonly failing_webhooks: readonly string[];
  /** The queue to the plateforme agréée: since when it is kept from leaving, and by what. */
  readonly e_invoices: { readonly failing_since: string | null; readonly last_error: string | null };
  readonly database_bytes: number;
  readonly installed_at: string;
};

export type LastRun = {
  readonly last: {
    readonly started_at: string;
    readonly finished_at: string;
    readonly succeeded: boolean;
    readonly details: Readonly<Record<string, unknown>> | null;
  } | null;
  readonly last_success_at: string | null;
};

/** @param timeoutMs after which PostgreSQL gives up. */
export async function readSystemFigures(db: Database, timeoutMs = 8000): Promise<SystemFigures> {
  const { rows } = await db.queryAsService<{ figures: SystemFigures }>(
    'system figures',
    { text: 'select private.system_figures() as figures' },
    { readOnly: true, statementTimeoutMs: timeoutMs },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('system_figures gave no row');
  return row.figures;
}

export type Disk = { readonly freeBytes: number; readonly totalBytes: number };

/** The disk under a folder. */
export async function diskUnder(folder: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** The disk under the embedded database; null where the database is another machine's, or the disk cannot be asked. */
export async function readDisk({ config, log }: Pick<Services, 'config' | 'log'>): Promise<Disk | null> {
  if (config.databaseUrl !== null) return null;
  try {
    return await diskUnder(config.dataDir);
  } catch (error) {
    log.warn({ err: error }, 'The disk cannot be asked for its room');
    return null;
  }
}
