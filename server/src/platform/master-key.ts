import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from 'pg';

import { ConfigurationError } from '../config.ts';
import type { Config } from '../config.ts';
import { API_KEY_PURPOSE } from './keys.ts';
import { createSecrets, MASTER_KEY_LENGTH } from './secrets.ts';
import type { Secrets } from './secrets.ts';

/** Configuration that the master key may come from. */
export type KeySource = Pick<Config, 'secretKey' | 'databaseUrl' | 'dataDir'>;

export const CHECK = 'key_check';
export const STORED = 'master_key';
/** Keys that outlive the master key they derive from stand under this and their purpose. */
export const KEPT_PREFIX = 'kept ';
export const KEPT_PURPOSE = 'kept-key';

/**
 * Finds the master key and compares it with the one that this database was sealed with, before anything is written.
 * @param isServer a server makes what a new installation lacks; a command makes nothing.
 * @throws ConfigurationError saying which key is wrong or missing, and what to do.
 */
export async function openSecrets(source: KeySource, client: Client, isServer: boolean): Promise<Secrets> {
  const keyFacts = await readKeyFacts(client);
  if (!isServer && !keyFacts.isComplete) {
    throw new ConfigurationError(
      "Cette base n'a pas encore servi : démarrez d'abord le serveur (npm start). Rien n'a été changé.",
    );
  }
  const stored = source.databaseUrl === null ? await readKeyFile(source.dataDir) : keyFacts.masterKey;
  const key = source.secretKey ?? stored;
  if (key !== null) {
    const secrets = createSecrets(key);
    if (keyFacts.isSealedWith(secrets) === false) throw wrongKey(source, stored !== null && keyFacts.opensWith(stored));
    if (isServer && keyFacts.check === null) await keepCheck(client, secrets);
    return createSecrets(key, keyFacts.keysOf(secrets));
  }
  if (keyFacts.isSealed) throw missingKey(source);
  const made =
    source.databaseUrl === null
      ? await makeKeyFile(source.dataDir)
      : await makeSecret(client, STORED, randomBytes(MASTER_KEY_LENGTH));
  const secrets = createSecrets(made);
  await keepCheck(client, secrets);
  return secrets;
}

/** A public check value of a master key, by which another one is compared with it. */
export function checkValueOf(secrets: Secrets): Buffer {
  return createHmac('sha256', secrets.derive('key check')).update('parrain').digest();
}

/** The password of the database's own login. */
export function loginPasswordOf(secrets: Secrets, login: string): string {
  return secrets.derive(`login of ${login}`, 24).toString('base64url');
}

type KeptKeyFacts = {
  readonly check: Buffer | null;
  /** The key stored in an external database where none was configured. */
  readonly masterKey: Buffer | null;
  /** True when a server has started on it: the rows of a first start exist. */
  readonly isComplete: boolean;
  readonly isSealed: boolean;
  /** Null where nothing has been sealed yet. */
  readonly isSealedWith: (secrets: Secrets) => boolean | null;
  readonly opensWith: (key: Buffer) => boolean;
  /** The keys of former master keys that go on being used, by purpose. */
  readonly keysOf: (secrets: Secrets) => ReadonlyMap<string, Buffer>;
};

export async function readKeyFacts(client: Client): Promise<KeptKeyFacts> {
  const values = new Map<string, Buffer>();
  let hasSigningKey = false;
  await asService(client, async () => {
    const { rows } = await client.query<{ name: string; value: Buffer }>(
      'select name, value from private.secrets where name = any ($1) or starts_with(name, $2)',
      [[CHECK, STORED, 'publishable_key'], KEPT_PREFIX],
    );
    for (const { name, value } of rows) values.set(name, value);
    const { rows: signing } = await client.query<{ exists: boolean }>(
      'select exists (select from auth.signing_keys) as exists',
    );
    hasSigningKey = signing[0]?.exists === true;
  });
  const check = values.get(CHECK) ?? null;
  const apiKey = values.get('publishable_key') ?? null;
  const isSealedWith = (secrets: Secrets): boolean | null => {
    if (check !== null) return timingSafeEqual(check, checkValueOf(secrets));
    // Earlier versions stored no check value: a sealed value serves instead.
    return apiKey === null ? null : opens(secrets, apiKey);
  };
  return {
    check,
    masterKey: values.get(STORED) ?? null,
    isComplete: apiKey !== null && hasSigningKey,
    isSealed: check !== null || apiKey !== null,
    isSealedWith,
    keysOf: (secrets) =>
      new Map(
        [...values]
          .filter(([name]) => name.startsWith(KEPT_PREFIX))
          .map(([name, value]) => [name.slice(KEPT_PREFIX.length), secrets.open(KEPT_PURPOSE, value, name)]),
      ),
    opensWith: (key) => key.length >= MASTER_KEY_LENGTH && isSealedWith(createSecrets(key)) === true,
  };
}

function opens(secrets: Secrets, apiKey: Buffer): boolean {
  try {
    secrets.open(API_KEY_PURPOSE, apiKey, 'publishable_key');
    return true;
  } catch {
    return false;
  }
}

/** Of nodes that start together with different keys, the first decides. */
async function keepCheck(client: Client, secrets: Secrets): Promise<void> {
  const check = checkValueOf(secrets);
  const storedCheck = await makeSecret(client, CHECK, check);
  if (!timingSafeEqual(storedCheck, check)) throw new ConfigurationError(WRONG);
}

async function makeSecret(client: Client, name: string, value: Buffer): Promise<Buffer> {
  return asService(client, async () => {
    await client.query('insert into private.secrets (name, value) values ($1, $2) on conflict (name) do nothing', [
      name,
      value,
    ]);
    const { rows } = await client.query<{ value: Buffer }>('select value from private.secrets where name = $1', [name]);
    const [row] = rows;
    if (row === undefined) throw new Error(`The secret ${name} is missing`);
    return row.value;
  });
}

/** Row level security is forced: an owner who is no superuser sees nothing without this role. */
async function asService<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    await client.query('set local role parrain_service');
    const value = await work();
    await client.query('commit');
    return value;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

const WRONG =
  "SECRET_KEY n'est pas la clé de cette base. Rien n'a été changé. Donnez la clé avec laquelle cette installation a été créée : " +
  'sans elle, ses clés et ses coordonnées bancaires ne peuvent pas être lues.';

function wrongKey(source: KeySource, storedIsRight: boolean): ConfigurationError {
  const place = source.databaseUrl === null ? keyFileOf(source.dataDir) : 'dans la base';
  if (storedIsRight) {
    return new ConfigurationError(
      `SECRET_KEY n'est pas la clé de cette base, qui garde la sienne (${place}). Rien n'a été changé. ` +
        'Retirez SECRET_KEY ; ou passez à cette clé : arrêtez les serveurs, puis npm run rotate-keys -- --master.',
    );
  }
  if (source.secretKey !== null) return new ConfigurationError(WRONG);
  return new ConfigurationError(
    `La clé gardée par cette installation (${place}) n'est pas celle de cette base. Rien n'a été changé. ` +
      'Restaurez ensemble la base et sa clé, ou donnez la bonne clé avec SECRET_KEY.',
  );
}

function missingKey(source: KeySource): ConfigurationError {
  const sought =
    source.databaseUrl === null
      ? `elle n'est ni dans SECRET_KEY, ni dans le fichier ${keyFileOf(source.dataDir)}`
      : "elle n'est pas dans SECRET_KEY, et la base ne la garde pas";
  return new ConfigurationError(
    `La clé de cette base manque : ${sought}. Rien n'a été changé. Donnez le SECRET_KEY avec lequel le serveur a été démarré.`,
  );
}

export const keyFileOf = (dataDir: string): string => path.join(dataDir, 'master.key');

/** The master key beside an embedded database; null where there is none. */
export async function readKeyFile(dataDir: string): Promise<Buffer | null> {
  const file = keyFileOf(dataDir);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length < MASTER_KEY_LENGTH) {
    throw new ConfigurationError(`Le fichier ${file} est abîmé : il faut 32 octets en hexadécimal.`);
  }
  return key;
}

/** Makes the key at the first start, readable by its owner only. In a race of two first starts, both use the first one's. */
export async function makeKeyFile(dataDir: string): Promise<Buffer> {
  const file = keyFileOf(dataDir);
  // Written beside, then linked whole: who lost the race, or starts after a crash, never reads a half of it.
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, randomBytes(MASTER_KEY_LENGTH).toString('hex'), { mode: 0o600, flag: 'wx' });
    await link(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await chmod(file, 0o600);
  const key = await readKeyFile(dataDir);
  if (key === null) throw new Error('The master key is missing');
  return key;
}
