import type { Owner } from '@parrain/database/connect';
import type { DumpHeader, DumpTrailer } from '@parrain/database/dump';
import { requireEmpty, requireKnown, restore, RestoreRefused } from '@parrain/database/restore';
import { open, rename } from 'node:fs/promises';
import path from 'node:path';

import type { Config } from '../config.ts';
import type { Backup } from './open.ts';

type Target = Pick<Config, 'secretKey' | 'databaseUrl' | 'dataDir'>;

/**
 * Refuses what a look at the header tells: a dump of another version, or a key that is not the one it was sealed with.
 * The backup's own key rules: everything sealed in it opens with no other.
 */
export async function requireFitting(header: DumpHeader, config: Target): Promise<void> {
  await requireKnown(header);
  if (config.secretKey === null || config.secretKey.equals(Buffer.from(header.masterKey, 'hex'))) return;
  throw new RestoreRefused(
    "SECRET_KEY n'est pas la clé de cette sauvegarde, qui porte la sienne. Rien n'a été écrit. Restaurez sans SECRET_KEY : " +
      (config.databaseUrl === null
        ? 'la clé de la sauvegarde sera gardée dans DATA_DIR/master.key.'
        : 'la clé de la sauvegarde sera gardée dans la base.'),
  );
}

/**
 * Puts a backup that was read to its end into an empty installation.
 * @throws RestoreRefused and what else may befall; the installation is as empty as before.
 */
export async function restoreBackup(
  backup: Backup,
  header: DumpHeader,
  owner: Owner,
  config: Target,
): Promise<DumpTrailer> {
  await requireEmpty(owner, header);
  const isKeyGiven = config.secretKey !== null;
  return restore(owner, backup.parts(), {
    keepsMasterKey: !isKeyGiven && config.databaseUrl !== null,
    beforeCommit: async () => {
      if (!isKeyGiven && config.databaseUrl === null) await writeKeyFile(config.dataDir, header.masterKey);
    },
  });
}

/** In the place of one that an installation without any account had. */
async function writeKeyFile(dataDir: string, masterKey: string): Promise<void> {
  const file = path.join(dataDir, 'master.key');
  const draft = `${file}.${process.pid}`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(masterKey);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
