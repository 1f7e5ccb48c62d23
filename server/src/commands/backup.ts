import { connectAsOwner } from '@parrain/database/connect';
import type { Owner } from '@parrain/database/connect';
import { requireInstallation } from '@parrain/database/migrate';
import path from 'node:path';

import { runBackup } from '../backup/run.ts';
import { newIdentity } from '../backup/seal.ts';
import type { SealKey } from '../backup/seal.ts';
import { sealKeyOf } from '../backup/settings.ts';
import { PASSPHRASE_LENGTH_MIN } from '../config.ts';
import type { Config } from '../config.ts';
import { openSecrets } from '../platform/master-key.ts';
import type { Secrets } from '../platform/secrets.ts';
import { askSecret } from './ask-secret.ts';
import { CommandError, runOwnerCommand } from './context.ts';

const USAGE = 'Usage : npm run backup -- [dossier], ou npm run backup -- --new-key';

// npm run backup: everything in one sealed file, while servers run. npm run backup -- --new-key: a pair of keys for it.
const [given, ...more] = process.argv.slice(2);
if (given === '--new-key' && more.length === 0) {
  const { identity, recipient } = await newIdentity();
  process.stdout.write(
    `Clé publique, à mettre sur le serveur (elle ferme les sauvegardes) :\n  BACKUP_RECIPIENT=${recipient}\n` +
      `Clé secrète, à garder ailleurs et à ne pas perdre (elle seule les ouvre) :\n  BACKUP_IDENTITY=${identity}\n`,
  );
} else {
  // A new version backs up what the former one left, before it migrates it.
  await runOwnerCommand(async ({ config, owner }) => {
    if (more.length > 0 || given?.startsWith('-') === true) throw new CommandError(USAGE);
    const { masterKey } = await openSecretsOf(config, owner);
    const key = sealKeyOf(config) ?? (await askPassphrase());
    const result = await runBackup({
      owner,
      masterKey,
      filesUrl: config.s3Url,
      key,
      to: placeOf(given, config),
      host: new URL(config.publicUrl ?? 'http://localhost').hostname,
    }).catch(sayWhy);
    const megabytes = (result.bytes / 1e6).toLocaleString('fr-FR', { maximumFractionDigits: 1 });
    process.stdout.write(
      `Sauvegarde faite en ${result.seconds.toLocaleString('fr-FR')} s : ${result.place}/${result.name} ` +
        `(${megabytes} Mo, ${result.rows.toLocaleString('fr-FR')} lignes).\n`,
    );
    if (result.filesMissing > 0) {
      process.stdout.write(`${result.filesMissing} fichiers envoyés n'ont pas pu être lus : ils n'y sont pas.\n`);
    }
    if (result.leftOut.length > 0) {
      process.stdout.write(`Ces tables ne sont pas du programme et n'y sont pas : ${result.leftOut.join(', ')}.\n`);
    }
    return 0;
  }, requireInstallation);
}

async function openSecretsOf(config: Config, owner: Owner): Promise<Secrets> {
  const client = await connectAsOwner(owner);
  try {
    return await openSecrets(config, client, false);
  } finally {
    await client.end();
  }
}

function sayWhy(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  throw new CommandError(`La sauvegarde n'a pas pu être faite : ${message}.`, { cause: error });
}

/** Folders are meant from where the command was typed; npm runs it elsewhere. */
function placeOf(place: string | undefined, config: Config): string {
  if (place === undefined) return config.backupTo ?? path.resolve('backups');
  return /^https?:\/\//u.test(place) ? place : path.resolve(process.env['INIT_CWD'] ?? '.', place);
}

async function askPassphrase(): Promise<SealKey> {
  const passphrase = await askSecret(
    `Phrase secrète de la sauvegarde (${PASSPHRASE_LENGTH_MIN} caractères au moins ; sans elle, personne ne pourra l'ouvrir) : `,
  );
  if (passphrase === null) {
    throw new CommandError(
      'Une sauvegarde est toujours chiffrée : indiquez BACKUP_RECIPIENT (npm run backup -- --new-key en donne une) ou BACKUP_PASSPHRASE.',
    );
  }
  if (passphrase.length < PASSPHRASE_LENGTH_MIN) {
    throw new CommandError(`La phrase est trop courte : il faut au moins ${PASSPHRASE_LENGTH_MIN} caractères.`);
  }
  if ((await askSecret('La même, encore une fois : ')) !== passphrase) {
    throw new CommandError('Les deux phrases ne sont pas les mêmes.');
  }
  return { passphrase };
}
