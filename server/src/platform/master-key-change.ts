import { loginRoleOf } from '@parrain/database/roles';
import { rename } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';

import { ConfigurationError } from '../config.ts';
import type { Config } from '../config.ts';
import {
  CHECK,
  checkValueOf,
  KEPT_PREFIX,
  KEPT_PURPOSE,
  keyFileOf,
  loginPasswordOf,
  readKeyFile,
  readKeyFacts,
  STORED,
} from './master-key.ts';
import { createSecrets } from './secrets.ts';
import type { Secrets } from './secrets.ts';

/** The place of the values sealed for one purpose, and the binding of each. */
type Place = {
  readonly table: string;
  /** The sealed bytes, or their base64 where `isText`. */
  readonly value: string;
  readonly bound: string;
  readonly where?: string;
  /** SQL assignment of the new value, to `value` by default. */
  readonly put?: string;
  readonly isText?: boolean;
};

/** A job that waits carries what it is about, sealed. */
const inJobs = (task: string): Place => ({
  table: 'graphile_worker._private_jobs',
  value: `payload ->> 'sealed'`,
  bound: `payload ->> 'id'`,
  where: `payload ->> 'sealed' is not null and task_id = (select id from graphile_worker._private_tasks where identifier = '${task}')`,
  put: `payload = jsonb_set(t.payload::jsonb, '{sealed}', to_jsonb(u.value))::json`,
  isText: true,
});

/** Every purpose that anything is sealed for, with all the places of it: a test finds those that this list misses. */
export const SEALED: Readonly<Record<string, readonly Place[]>> = {
  'api-key': [
    {
      table: 'private.secrets',
      value: 'value',
      bound: 'name',
      where: `name ~ '^(publishable|secret)_key($| )'`,
    },
  ],
  'push-key': [{ table: 'private.secrets', value: 'value', bound: 'name', where: `name = 'push_key'` }],
  'signing-key': [{ table: 'auth.signing_keys', value: 'private_jwk_sealed', bound: 'kid' }],
  'payment-details': [
    { table: 'private.payment_secrets', value: 'details_sealed', bound: `''` },
    { table: 'private.bank_account_secrets', value: 'details_sealed', bound: `''` },
  ],
  'payment-proof': [{ table: 'private.proof_files', value: 'sealed', bound: 'request_id::text' }],
  'batch-file': [{ table: 'private.batch_files', value: 'sealed', bound: 'batch_id::text' }],
  'company-account': [{ table: 'private.company_account', value: 'sealed', bound: `''` }],
  'refresh-key': [{ table: 'auth.sessions', value: 'refresh_key_sealed', bound: 'id::text' }],
  'totp-secret': [{ table: 'auth.factors', value: 'secret_sealed', bound: 'id::text' }],
  'provider-tokens': [{ table: 'auth.flow_states', value: 'provider_tokens_sealed', bound: 'id::text' }],
  'provider-flow': [{ table: 'auth.provider_flows', value: 'sealed', bound: `encode(state_hash, 'hex')` }],
  'webhook-secret': [
    { table: 'private.webhooks', value: 'secret_sealed', bound: 'id::text' },
    { table: 'private.webhooks', value: 'former_secret_sealed', bound: 'id::text' },
  ],
  'e-invoicing-secret': [{ table: 'private.e_invoicing', value: 'secret_sealed', bound: `''` }],
  'idempotent-answer': [
    {
      table: 'private.idempotency_keys',
      value: 'body',
      bound: `coalesce(user_id, api_key_id) || ' ' || key`,
      isText: true,
    },
  ],
  mail: [{ table: 'private.mails', value: 'sealed', bound: 'id::text' }, inJobs('mail')],
  'auth-mail-request': [inJobs('auth_mail_request')],
  'auth-text-request': [inJobs('auth_text_request')],
  [KEPT_PURPOSE]: [
    { table: 'private.secrets', value: 'value', bound: 'name', where: `starts_with(name, '${KEPT_PREFIX}')` },
  ],
};

/**
 * Derived keys that outlive the master key: their products cannot be made again. They are in people's mails and wallets, or
 * are hashes of deleted values.
 */
export const KEPT = [
  'recovery-code',
  'one-time-token',
  'opted-out-mark',
  'iban-mark',
  'invented-user',
  'seal:friend-opt-out',
  'seal:notice-refusal',
  'seal:iban-confirmation',
] as const;
/** Derived keys that end with the master key: their products live for minutes, or could be forged with the former one. */
export const NOT_KEPT = [
  'signed file addresses',
  'phone-factor-code',
  'key check',
  'referral-page-stamp',
  'friend-page',
] as const;

export type KeyChange = {
  readonly sealed: number;
  /** The values that the former key could not open either, and that stay as they are. */
  readonly unreadable: number;
  /** The new place of the former key, if it was in a file. */
  readonly formerKeyFile: string | null;
};

/**
 * Reseals everything under SECRET_KEY, in one transaction: an interrupted change has changed nothing, and can be run again. The former key is OLD_SECRET_KEY, or the one that the installation keeps. No server may run meanwhile.
 * @returns null where the database is sealed with SECRET_KEY already.
 * @throws ConfigurationError saying what is missing.
 */
export async function changeMasterKey(config: Config, client: Client): Promise<KeyChange | null> {
  if (config.secretKey === null) {
    throw new ConfigurationError('Donnez la nouvelle clé avec SECRET_KEY (openssl rand -base64 32).');
  }
  const next = createSecrets(config.secretKey);
  const login = await loginRoleOf(client);
  await requireNoServer(client, login);
  const keyFile = config.databaseUrl === null ? await readKeyFile(config.dataDir) : null;
  const keyFacts = await readKeyFacts(client);
  if (keyFacts.check === null) {
    throw new ConfigurationError("Cette base n'a pas encore servi avec cette version : démarrez d'abord le serveur.");
  }
  let counted: Pick<KeyChange, 'sealed' | 'unreadable'> | null = null;
  if (keyFacts.isSealedWith(next) !== true) {
    const former = config.oldSecretKey ?? keyFile ?? keyFacts.masterKey;
    if (former === null || !keyFacts.opensWith(former)) {
      throw new ConfigurationError(
        `${former === null ? "Il manque l'ancienne clé" : "L'ancienne clé n'est pas celle de cette base"}. Rien n'a été changé. ` +
          "Donnez avec OLD_SECRET_KEY la clé d'aujourd'hui, et avec SECRET_KEY la nouvelle.",
      );
    }
    const plain = createSecrets(former);
    counted = await sealAnew(client, login, createSecrets(former, keyFacts.keysOf(plain)), next);
  }
  const formerKeyFile = keyFile === null ? null : await putAside(config.dataDir);
  return counted === null && formerKeyFile === null
    ? null
    : { ...(counted ?? { sealed: 0, unreadable: 0 }), formerKeyFile };
}

/** The connections of a server that has just stopped may still be seen for an instant. */
const STOPPED_WITHIN_MS = 5000;

async function requireNoServer(client: Client, login: string): Promise<void> {
  const deadline = Date.now() + STOPPED_WITHIN_MS;
  for (;;) {
    const { rows } = await client.query<{ connections: number }>(
      'select count(*)::int as connections from pg_stat_activity where datname = current_database() and usename = $1',
      [login],
    );
    if (rows[0]?.connections === 0) return;
    if (Date.now() > deadline) break;
    await wait(100);
  }
  throw new ConfigurationError(
    "Un serveur utilise la base : arrêtez d'abord tous les serveurs de cette installation. Rien n'a été changé.",
  );
}

async function sealAnew(
  client: Client,
  login: string,
  former: Secrets,
  next: Secrets,
): Promise<Pick<KeyChange, 'sealed' | 'unreadable'>> {
  await client.query('begin');
  try {
    // A server that starts meanwhile waits here for the new check value, and is refused with the former key.
    await client.query('lock table private.secrets in access exclusive mode');
    await client.query('set local role parrain_service');
    let sealed = 0;
    let unreadable = 0;
    for (const purpose of KEPT) await keepKey(client, purpose, former);
    for (const [purpose, places] of Object.entries(SEALED)) {
      for (const place of places) {
        const done = await sealPlace(client, place, (value, bound) =>
          next.seal(purpose, former.open(purpose, value, bound), bound),
        );
        sealed += done.sealed;
        unreadable += done.unreadable;
      }
    }
    await client.query('update private.secrets set value = $2 where name = $1', [CHECK, checkValueOf(next)]);
    await client.query('delete from private.secrets where name = $1', [STORED]);
    await client.query(
      `insert into auth.audit_entries (user_id, action, ip, detail) values (null, 'master_key_changed', 'console', $1)`,
      [{ sealed }],
    );
    await client.query('reset role');
    await client.query(`alter role ${login} password ${client.escapeLiteral(loginPasswordOf(next, login))}`);
    await client.query('commit');
    return { sealed, unreadable };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Sealed under the former key like everything else, and resealed with it. */
async function keepKey(client: Client, purpose: string, former: Secrets): Promise<void> {
  const name = KEPT_PREFIX + purpose;
  await client.query('insert into private.secrets (name, value) values ($1, $2) on conflict (name) do nothing', [
    name,
    former.seal(KEPT_PURPOSE, former.derive(purpose), name),
  ]);
}

const BATCH = 1000;

async function sealPlace(
  client: Client,
  place: Place,
  again: (value: Buffer, bound: string) => Buffer,
): Promise<{ readonly sealed: number; readonly unreadable: number }> {
  const { table, value, bound, isText = false } = place;
  let sealed = 0;
  let unreadable = 0;
  await client.query(
    `declare sealed no scroll cursor for select t.ctid::text as place, ${value} as value, ${bound} as bound
     from ${table} t where ${value} is not null and ${place.where ?? 'true'}`,
  );
  for (;;) {
    const { rows } = await client.query<{ place: string; value: Buffer | string; bound: string }>(
      `fetch ${BATCH} from sealed`,
    );
    if (rows.length === 0) break;
    const places: string[] = [];
    const values: (Buffer | string)[] = [];
    for (const row of rows) {
      try {
        const bytes = typeof row.value === 'string' ? Buffer.from(row.value, 'base64') : row.value;
        const made = again(bytes, row.bound);
        places.push(row.place);
        values.push(isText ? made.toString('base64') : made);
      } catch {
        unreadable += 1;
      }
    }
    await client.query(
      `update ${table} t set ${place.put ?? `${value} = u.value`}
       from unnest($1::text[], $2::${isText ? 'text' : 'bytea'}[]) as u (place, value) where t.ctid = u.place::tid`,
      [places, values],
    );
    sealed += places.length;
  }
  await client.query('close sealed');
  return { sealed, unreadable };
}

/** The former key still opens the backups of its time: it is put aside, not destroyed. */
async function putAside(dataDir: string): Promise<string> {
  const aside = `${keyFileOf(dataDir)}.avant-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`;
  await rename(keyFileOf(dataDir), aside);
  return aside;
}
