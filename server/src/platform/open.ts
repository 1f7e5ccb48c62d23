import type { OwnerConnection } from '@parrain/database/embedded';
import { withMigrationLock } from '@parrain/database/migrate';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

import type { Config } from '../config.ts';
import type { Clock } from './clock.ts';
import { createDatabase } from './database.ts';
import type { DatabaseAddress } from './database.ts';
import { createJobs } from './jobs.ts';
import { loadApiKeys } from './keys.ts';
import { createListener } from './listener.ts';
import type { Log } from './log.ts';
import { createMailService } from './mail.ts';
import { createRateLimit } from './rate-limit.ts';
import { createSecrets, MASTER_KEY_LENGTH, masterKeyFromFile } from './secrets.ts';
import type { Secrets } from './secrets.ts';
import type { Services } from './services.ts';
import { SIGNING_KEYS_CHANNEL } from './signing-keys.ts';
import { loadTokens } from './tokens.ts';

/** The owner's connection: to an embedded database, or the address of an external one. */
export type Owner = OwnerConnection | string;

export type Platform = Services & {
  /** Stops the jobs, then closes the database's connections. */
  readonly close: () => Promise<void>;
};

/**
 * Builds everything the doors stand on, over a migrated database. The owner's connection serves to set the login of
 * `authenticator`, which is the only one used from then on.
 */
export async function openPlatform(options: {
  readonly config: Config;
  readonly owner: Owner;
  readonly log: Log;
  readonly clock: Clock;
  readonly publicUrl: () => string;
}): Promise<Platform> {
  const { config, owner, log, clock, publicUrl } = options;
  const secrets = await openSecrets(config, owner);
  const address = await openAuthenticator(owner, secrets);
  const db = createDatabase(address, log);
  const jobs = createJobs(address, log);
  const listener = createListener(address, log);
  const [keys, tokens] = await Promise.all([
    loadApiKeys(db, secrets),
    loadTokens(db, secrets, clock, () => `${publicUrl()}/auth/v1`),
  ]);
  listener.listen(SIGNING_KEYS_CHANNEL, tokens.forgetKeys);
  listener.onOpen(tokens.forgetKeys);
  const mail = createMailService({ smtpUrl: config.smtpUrl, from: config.mailFrom }, db, jobs, secrets, log);
  return {
    config,
    publicUrl,
    db,
    secrets,
    keys,
    tokens,
    jobs,
    listener,
    mail,
    rateLimit: createRateLimit(db),
    log,
    clock,
    async close() {
      await jobs.stop();
      await listener.close();
      await db.close();
    },
  };
}

/** The master key: given, or kept beside the embedded database, or in the external one. */
async function openSecrets(
  config: Pick<Config, 'secretKey' | 'databaseUrl' | 'dataDir'>,
  owner: Owner,
): Promise<Secrets> {
  if (config.secretKey !== null) return createSecrets(config.secretKey);
  if (config.databaseUrl === null) return createSecrets(await masterKeyFromFile(config.dataDir));
  return withMigrationLock(owner, async (client) => {
    await client.query(
      `insert into private.secrets (name, value) values ('master_key', $1) on conflict (name) do nothing`,
      [randomBytes(MASTER_KEY_LENGTH)],
    );
    const { rows } = await client.query<{ value: Buffer }>(
      `select value from private.secrets where name = 'master_key'`,
    );
    const row = rows[0];
    if (row === undefined) throw new Error('The master key is missing');
    return createSecrets(row.value);
  });
}

/** Makes sure that `authenticator` may log in with the password that derives from the master key. */
async function openAuthenticator(owner: Owner, secrets: Secrets): Promise<DatabaseAddress> {
  const address = addressFor(
    owner,
    'authenticator',
    secrets.derive('authenticator password', 24).toString('base64url'),
  );
  if (await canConnect(address)) return address;
  await withMigrationLock(owner, async (client) => {
    await client.query(`alter role authenticator login password ${client.escapeLiteral(address.password)}`);
  });
  return address;
}

function addressFor(owner: Owner, user: string, password: string): AuthenticatorAddress {
  if (typeof owner !== 'string') return { ...owner, user, password };
  const url = new URL(owner);
  url.username = user;
  url.password = password;
  return { connectionString: url.href, password };
}

type AuthenticatorAddress = DatabaseAddress & { readonly password: string };

/** False only where the password is refused: any other trouble is the caller's to see. */
async function canConnect(address: DatabaseAddress): Promise<boolean> {
  const client = new Client({ ...address });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // 28P01: wrong password; 28000: no login allowed yet.
    if (code === '28P01' || code === '28000') return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
