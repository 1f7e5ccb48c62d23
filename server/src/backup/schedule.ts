import type { Owner } from '@parrain/database/connect';

import type { Services } from '#platform/services';

import type { BackupOrder } from './make.ts';
import { pruneBackups, runBackup } from './run.ts';
import { sealKeyOf } from './settings.ts';

const TASK = 'backup';

/**
 * Makes backups at the times that the configuration names, where it names a place: one node of all makes each, and one
 * missed while every node was stopped is made at the next start.
 */
export function scheduleBackups(services: Services, owner: Owner): void {
  const { config, jobs, secrets, log } = services;
  const { backupTo: to } = config;
  const key = sealKeyOf(config);
  if (to === null || key === null) return;
  jobs.define(
    TASK,
    async (_payload, { signal }) => {
      const order: BackupOrder = {
        owner,
        masterKey: secrets.masterKey,
        filesUrl: config.s3Url,
        key,
        to,
        host: new URL(services.publicUrl()).hostname,
      };
      const result = await runBackup(order, signal);
      log.info({ backup: result }, 'Backed up');
      // The backup is there: it is not made again because an old one stays.
      const removed = await pruneBackups(order, config.backupKeep).catch((error: unknown) => {
        log.warn({ err: error }, 'Old backups could not be removed');
        return [];
      });
      if (removed.length > 0) log.info({ removed }, 'Removed old backups');
      if (result.leftOut.length > 0)
        log.warn({ tables: result.leftOut }, 'Tables of another hand are not in the backup');
    },
    { isLong: true },
  );
  for (const time of config.backupAt) {
    const [hour = '', minute = ''] = time.split(':');
    jobs.schedule(TASK, `${Number(minute)} ${hour === '*' ? '*' : Number(hour)} * * *`, {
      id: `backup_${hour === '*' ? 'hourly' : hour}_${minute}`,
      catchUpHours: 24,
      maxAttempts: 3,
    });
  }
}
