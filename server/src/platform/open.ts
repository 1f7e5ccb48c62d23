import { connectAsOwner } from '@parrain/database/connect';
import type { Owner } from '@parrain/database/connect';
import { withMigrationLock } from '@parrain/database/migrate';
import { ensureLogin, isLoginComplete, loginRoleOf } from '@parrain/database/roles';
import { Client } from 'pg';

import { ConfigurationError } from '../config.ts';
import type { Config } from '../config.ts';
import type { Clock } from './clock.ts';
import { createDatabase } from './database.ts';
import type { DatabaseAddress } from './database.ts';
import { createHosts } from './hosts.ts';
import type { Hosts } from './hosts.ts';
import { createJobs } from './jobs.ts';
import { API_KEYS_CHANNEL, loadApiKeys } from './keys.ts';
import { createListener } from './listener.ts';
import type { Log } from './log.ts';
import { createMailService } from './mail.ts';
import { loginPasswordOf, openSecrets } from './master-key.ts';
import { createRateLimit } from './rate-limit.ts';
import type { Secrets } from './secrets.ts';
import type { Services } from './services.ts';
import { listenerNameOf, tellOtherSettings } from './same-settings.ts';
import { SIGNING_KEYS_CHANNEL } from './signing-keys.ts';
import { loadTokens } from './tokens.ts';

export type Platform = Services & {
  /** Stops the jobs, then closes the database's connections. */
  readonly close: () => Promise<void>;
};

/** Each holds a snapshot of the database for as long as it lasts. */
export const LONG_READINGS_MAX = 3;

/**
 * Builds everything the doors stand on, over a migrated database. The owner's connection serves to check the master key and
 * to make the database's own login, which is the only one used from then on.
 */
export async function openPlatform(options: {
  readonly config: Config;
  readonly owner: Owner;
  readonly log: Log;
  readonly clock: Clock;
  readonly publicUrl: () => string;
  /** A server makes what a new installation lacks; a command changes nothing that it was not asked to. */
  readonly isServer: boolean;
}): Promise<Platform> {
  const { config, owner, log, clock, publicUrl, isServer } = options;
  const client = await connectAsOwner(owner);
  let secrets: Secrets;
  let hosts: Hosts;
  try {
    secrets = await openSecrets(config, client, isServer);
    hosts = await openLogin(owner, client, secrets, { isServer, log });
  } finally {
    await client.end();
  }
  const { address } = hosts;
  const db = createDatabase(address, log);
  const longReadings = createDatabase(address, log, {
    poolSize: LONG_READINGS_MAX,
    applicationName: 'parrain long readings',
  });
  const jobs = createJobs(address, log);
  const listener = createListener(address, log, listenerNameOf(config));
  // Of an embedded database there is one server.
  if (isServer && config.databaseUrl !== null) await tellOtherSettings(config, address, log);
  const [keys, tokens] = await Promise.all([
    loadApiKeys(db, secrets, clock),
    loadTokens(db, secrets, clock, () => `${publicUrl()}/auth/v1`),
  ]);
  listener.listen(SIGNING_KEYS_CHANNEL, tokens.forgetKeys);
  listener.onOpen(tokens.forgetKeys);
  // Notifications were lost with the connection: each opening reads again.
  const refreshKeys = (): void =>
    void keys.refresh().catch((error: unknown) => log.warn({ err: error }, 'The API keys could not be read again'));
  listener.listen(API_KEYS_CHANNEL, refreshKeys);
  listener.onOpen(refreshKeys);
  const mail = createMailService({ smtpUrl: config.smtpUrl, from: config.mailFrom }, db, jobs, secrets, log);
  return {
    config,
    publicUrl,
    db,
    longReadings,
    secrets,
    keys,
    tokens,
    jobs,
    listener,
    mail,
    rateLimit: createRateLimit(db),
    gauges: new Map([
      ['parrain_pool_connections', { help: 'Open connections to the database', read: () => db.load().connections }],
      ['parrain_pool_idle_connections', { help: 'Those that nobody uses', read: () => db.load().idle }],
      ['parrain_pool_waiting', { help: 'Requests that wait for a connection', read: () => db.load().waiting }],
    ]),
    log,
    clock,
    async close() {
      await jobs.stop();
      await listener.close();
      await Promise.all([db.close(), longReadings.close()]);
      hosts.close();
    },
  };
}

/**
 * Makes sure that this database's own login has the password that derives from the master key and, at each start of a server,
 * all that this version needs of the roles. A command changes nothing.
 */
async function openLogin(
  owner: Owner,
  client: Client,
  secrets: Secrets,
  { isServer, log }: { readonly isServer: boolean; readonly log: Log },
): Promise<Hosts> {
  const user = await loginRoleOf(client);
  const password = loginPasswordOf(secrets, user);
  const hosts = reach(owner, user, password, log);
  const connects = await canConnect(hosts.address);
  if (connects && (!isServer || (await isLoginComplete(client)))) return hosts;
  if (!isServer) {
    hosts.close();
    throw new ConfigurationError(
      `Le rôle ${user} ne peut pas se connecter à la base : démarrez d'abord le serveur (npm start), qui le remet en état. Rien n'a été changé.`,
    );
  }
  // Of nodes that start together one makes it.
  await withMigrationLock(owner, (locked) => ensureLogin(locked, password));
  return hosts;
}

function reach(owner: Owner, user: string, password: string, log: Log): Hosts {
  if (typeof owner !== 'string') return { address: { ...owner, user, password }, close: () => undefined };
  return createHosts(asUser(owner, user, password), log);
}

/** The same address for another login. Its parameters take precedence over its authority part. */
function asUser(address: string, user: string, password: string): string {
  return address
    .replace(/(?<=[?&])(?:user|password)=[^&]*&?/gu, '')
    .replace(/^(\w+:\/\/)(?:[^/?#]*@)?/u, `$1${user}:${password}@`);
}

/** False only where the login is refused: any other trouble is the caller's to see. */
async function canConnect(address: DatabaseAddress): Promise<boolean> {
  const { Client: Connecting = Client, ...settings } = address;
  const client = new Connecting(settings);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // 28P01: wrong password, or no such role; 28000: no login allowed; 42501: this database is closed to it.
    if (code === '28P01' || code === '28000' || code === '42501') return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
