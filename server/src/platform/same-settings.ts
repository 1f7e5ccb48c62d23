import { createHash } from 'node:crypto';
import { Client } from 'pg';

import type { Config } from '../config.ts';
import type { DatabaseAddress } from './database.ts';
import { LISTENER_NAME } from './listener.ts';
import type { Log } from './log.ts';

/** Settings that every node of one database must share: else mails lead elsewhere, or files are where only some look. */
const settingsOf = (config: Config): Readonly<Record<string, unknown>> => ({
  PUBLIC_URL: config.publicUrl,
  STORAGE_S3_URL: config.s3Url,
  SMTP_URL: config.smtpUrl,
  MAIL_FROM: config.mailFrom,
  CALENDLY_URL: config.calendlyUrl,
  DEMO: config.demo,
  BACKUP_TO: config.backupTo,
  SIGNUP_DISABLED: config.signupDisabled,
  SIGNUP_CONFIRMATION: config.signupConfirmation,
  REDIRECT_URLS: config.redirectUrls,
  CORS_ORIGINS: config.corsOrigins,
});

/** Sixteen bits of a hash: a name of a connection has 63 characters, and says nothing of a secret. */
const MARK_LENGTH = 4;
const markOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, MARK_LENGTH);

/** The name of a node's listening connection, with a mark of each setting that nodes share. */
export function listenerNameOf(config: Config): string {
  return `${LISTENER_NAME} ${Object.values(settingsOf(config)).map(markOf).join('')}`;
}

/** The settings that differ between a node and the one whose listening connection has this name. */
function differencesFrom(config: Config, other: string): readonly string[] {
  const marks = other.slice(LISTENER_NAME.length + 1);
  return Object.entries(settingsOf(config)).flatMap(([name, value], place) =>
    marks.slice(place * MARK_LENGTH, (place + 1) * MARK_LENGTH) === markOf(value) ? [] : [name],
  );
}

/** The nodes of this database that run, each by the settings that it holds otherwise: none where all are alike. */
export async function settingsOfNodes(client: Client, config: Config): Promise<readonly (readonly string[])[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name like $1`,
    [`${LISTENER_NAME} %`],
  );
  return rows.map(({ name }) => differencesFrom(config, name));
}

/** Says which settings other nodes of this database hold otherwise, as they run now (DF-75). */
export async function tellOtherSettings(config: Config, address: DatabaseAddress, log: Log): Promise<void> {
  const { Client: Connecting = Client, ...settings } = address;
  // As the login itself: in the service's role the names of its own connections are hidden.
  const client = new Connecting(settings);
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (const different of await settingsOfNodes(client, config)) {
      if (different.length > 0) {
        log.error({ settings: different }, 'Another node of this database has other settings');
      }
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}
