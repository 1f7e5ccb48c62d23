import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

import type { Clock } from './clock.ts';
import type { Database, Transaction } from './database.ts';
import type { Secrets } from './secrets.ts';

/** The rights of an API key: the publishable one's are a visitor's, the secret one reads past row level security. */
export type ApiKeyKind = 'publishable' | 'secret';

export type ApiKeys = {
  readonly publishableKey: string;
  readonly secretKey: string;
  /** The kind of this key, or null. Every comparison takes the same time: a timing attack learns nothing. */
  readonly resolve: (given: string) => ApiKeyKind | null;
};

/** The keys as they stand in the database, which another process may change. */
export type KeptApiKeys = ApiKeys & {
  /** Reads the keys again, after a notification. Where that fails, the cached ones stay. */
  readonly refresh: () => Promise<void>;
};

/** The channel on which PostgreSQL notifies every node of a replaced API key. */
export const API_KEYS_CHANNEL = 'api_keys';
export const API_KEY_PURPOSE = 'api-key';

const KINDS = {
  publishable: { name: 'publishable_key', prefix: 'sb_publishable_' },
  secret: { name: 'secret_key', prefix: 'sb_secret_' },
} as const;
const FORMER = z.object({ key: z.string(), until: z.number() });

type FormerKey = { readonly kind: ApiKeyKind; readonly key: string; readonly until: number };
type CurrentKeys = { readonly publishableKey: string; readonly secretKey: string };

/** Reads the keys, making them at the first start. Nodes that start together agree on the first one's. */
export async function loadApiKeys(database: Database, secrets: Secrets, clock: Clock): Promise<KeptApiKeys> {
  let keys = await readApiKeys(database, secrets, clock);
  let lastReading: Promise<void> = Promise.resolve();
  const read = async (): Promise<void> => {
    keys = await readApiKeys(database, secrets, clock);
  };
  return {
    get publishableKey() {
      return keys.publishableKey;
    },
    get secretKey() {
      return keys.secretKey;
    },
    resolve: (given) => keys.resolve(given),
    // One reading after the other: an earlier one that ends late would bring a replaced key back.
    refresh: () => (lastReading = lastReading.then(read, read)),
  };
}

async function readApiKeys(database: Database, secrets: Secrets, clock: Clock): Promise<ApiKeys> {
  return database.asService('api keys', async (tx) => {
    const current = { publishableKey: '', secretKey: '' };
    const former: FormerKey[] = [];
    const names = new Set((await readRows(tx)).map(({ name }) => name));
    for (const { name, prefix } of Object.values(KINDS)) {
      if (names.has(name)) continue;
      await tx.query('insert into private.secrets (name, value) values ($1, $2) on conflict (name) do nothing', [
        name,
        secrets.seal(API_KEY_PURPOSE, aKey(prefix), name),
      ]);
    }
    for (const { name, value } of await readRows(tx)) {
      const text = secrets.open(API_KEY_PURPOSE, value, name).toString();
      if (name === KINDS.publishable.name) current.publishableKey = text;
      else if (name === KINDS.secret.name) current.secretKey = text;
      else former.push({ kind: kindOf(name), ...FORMER.parse(JSON.parse(text)) });
    }
    return createApiKeys(current, former, clock);
  });
}

async function readRows(tx: Transaction): Promise<readonly { readonly name: string; readonly value: Buffer }[]> {
  const { rows } = await tx.query<{ name: string; value: Buffer }>(
    `select name, value from private.secrets where name ~ '^(publishable|secret)_key($| )' order by name`,
  );
  return rows;
}

const kindOf = (name: string): ApiKeyKind => (name.startsWith(KINDS.secret.name) ? 'secret' : 'publishable');
const aKey = (prefix: string): string => prefix + randomBytes(24).toString('base64url');

export function createApiKeys(current: CurrentKeys, former: readonly FormerKey[], clock: Clock): ApiKeys {
  const known = [
    { kind: 'publishable' as const, digest: digest(current.publishableKey), until: Infinity },
    { kind: 'secret' as const, digest: digest(current.secretKey), until: Infinity },
    ...former.map(({ kind, key, until }) => ({ kind, digest: digest(key), until })),
  ];
  return {
    ...current,
    resolve(key) {
      const given = digest(key);
      const now = clock.now().getTime();
      let found: ApiKeyKind | null = null;
      for (const { kind, digest: expected, until } of known) {
        if (timingSafeEqual(given, expected) && until > now) found = kind;
      }
      return found;
    },
  };
}

function digest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/**
 * Rotates a key (FX-16). The old one is accepted for a grace period, so that its users can take the new one. Without a grace
 * period it, and those before it, are refused from this commit on.
 */
export async function rotateApiKey(
  tx: Transaction,
  secrets: Secrets,
  kind: ApiKeyKind,
  keepSeconds: number,
): Promise<{ readonly key: string; readonly formerUntil: Date | null }> {
  const { name, prefix } = KINDS[kind];
  const { rows } = await tx.query<{ value: Buffer; now: Date }>(
    'select value, now() from private.secrets where name = $1 for update',
    [name],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`The ${name} is missing`);
  const formerUntil = keepSeconds > 0 ? new Date(row.now.getTime() + keepSeconds * 1000) : null;
  const put = (as: string, text: string) =>
    tx.query(
      'insert into private.secrets (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
      [as, secrets.seal(API_KEY_PURPOSE, text, as)],
    );
  if (formerUntil === null) {
    await tx.query('delete from private.secrets where starts_with(name, $1)', [`${name} `]);
  } else {
    await forgetLapsed(tx, secrets, row.now.getTime());
    const key = secrets.open(API_KEY_PURPOSE, row.value, name).toString();
    await put(`${name} ${randomBytes(8).toString('hex')}`, JSON.stringify({ key, until: formerUntil.getTime() }));
  }
  const key = aKey(prefix);
  await put(name, key);
  await tx.query('select pg_notify($1, $2)', [API_KEYS_CHANNEL, kind]);
  return { key, formerUntil };
}

async function forgetLapsed(tx: Transaction, secrets: Secrets, now: number): Promise<void> {
  for (const { name, value } of await readRows(tx)) {
    if (!name.includes(' ')) continue;
    const { until } = FORMER.parse(JSON.parse(secrets.open(API_KEY_PURPOSE, value, name).toString()));
    if (until <= now) await tx.query('delete from private.secrets where name = $1', [name]);
  }
}
