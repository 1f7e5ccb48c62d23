import { startEmbedded } from '@parrain/database/embedded';
import { stat } from 'node:fs/promises';
import path from 'node:path';

import { checkBackup, openBackup } from '../backup/open.ts';
import { placeAt } from '../backup/place.ts';
import type { Place } from '../backup/place.ts';
import { requireFitting, restoreBackup } from '../backup/restore.ts';
import type { OpenKey } from '../backup/seal.ts';
import type { Config } from '../config.ts';
import { askSecret } from './ask-secret.ts';
import { CommandError, explained, isExplained } from './context.ts';
import { printVerification } from './verification.ts';

const USAGE = 'Usage : npm run restore -- <sauvegarde> [--check]';

// npm run restore -- <backup>: into an empty installation, all or nothing, then verified. --check only reads it.
await explained(async (config) => {
  const options = process.argv.slice(2);
  const isCheck = options.includes('--check');
  const [given, ...more] = options.filter((option) => option !== '--check');
  if (given === undefined || given.startsWith('-') || more.length > 0) {
    throw new CommandError([USAGE, ...(await known(config))].join('\n'));
  }
  const { place, name } = await find(given, config);
  const backup = openBackup(() => place.read(name), await openKeyOf(config));
  const { header, trailer } = await checkBackup(backup);
  const rows = Object.values(trailer.rows).reduce((sum, count) => sum + count, 0);
  const what = `Sauvegarde du ${inFrench(header.madeAt)} (${rows.toLocaleString('fr-FR')} lignes)`;
  if (isCheck) {
    process.stdout.write(`${what} : elle est entière, et cette clé l'ouvre.\n`);
    return 0;
  }
  await requireFitting(header, config);
  const postgres = config.databaseUrl === null ? await startEmbedded({ dataDir: config.dataDir }) : null;
  const owner = config.databaseUrl ?? postgres?.owner ?? '';
  try {
    const started = performance.now();
    await restoreBackup(backup, header, owner, config).catch(sayThatNothingRemains);
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    process.stdout.write(`${what} restaurée en ${seconds.toLocaleString('fr-FR')} s.\n`);
    return await printVerification(owner);
  } finally {
    await postgres?.stop();
  }
});

function sayThatNothingRemains(error: unknown): never {
  if (isExplained(error)) throw error;
  const message = error instanceof Error ? error.message : String(error);
  throw new CommandError(`La restauration a échoué : ${message}. Rien n'en est resté.`, { cause: error });
}

/** A file, the address of one in an S3 service, or the name of one in BACKUP_TO. */
async function find(given: string, config: Config): Promise<{ readonly place: Place; readonly name: string }> {
  if (/^https?:\/\//u.test(given)) {
    const url = new URL(given);
    const name = path.posix.basename(url.pathname);
    url.pathname = path.posix.dirname(url.pathname);
    return { place: placeAt(url.href), name: decodeURIComponent(name) };
  }
  const file = path.resolve(process.env['INIT_CWD'] ?? '.', given);
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (isThere) return { place: placeAt(path.dirname(file)), name: path.basename(file) };
  if (config.backupTo !== null) {
    const place = placeAt(config.backupTo);
    if ((await place.list()).some(({ name }) => name === given)) return { place, name: given };
  }
  throw new CommandError([`Il n'y a pas de sauvegarde ${given}.`, ...(await known(config))].join('\n'));
}

async function known(config: Config): Promise<readonly string[]> {
  if (config.backupTo === null) return [];
  const place = placeAt(config.backupTo);
  const names = (await place.list()).map(({ name }) => `  ${name}`);
  return names.length === 0 ? [] : [`Sauvegardes de ${place.description} :`, ...names];
}

async function openKeyOf(config: Config): Promise<OpenKey> {
  if (config.backupIdentity !== null) return { identity: config.backupIdentity.toUpperCase() };
  if (config.backupPassphrase !== null) return { passphrase: config.backupPassphrase };
  const typed = await askSecret('Phrase ou clé secrète de la sauvegarde : ');
  if (typed === null || typed === '') {
    throw new CommandError(
      'Indiquez ce qui ouvre la sauvegarde : BACKUP_IDENTITY (AGE-SECRET-KEY-1…) ou BACKUP_PASSPHRASE.',
    );
  }
  return /^age-secret-key-1/iu.test(typed) ? { identity: typed.toUpperCase() } : { passphrase: typed };
}

function inFrench(instant: string): string {
  return new Date(instant).toLocaleString('fr-FR', {
    timeZone: 'Europe/Paris',
    dateStyle: 'short',
    timeStyle: 'medium',
  });
}
