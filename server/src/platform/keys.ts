import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

import type { Database } from './database.ts';
import type { Secrets } from './secrets.ts';

/** What an API key opens: the publishable one a visitor's rights, the secret one every reading, past row level security. */
export type ApiKeyKind = 'publishable' | 'secret';

export type ApiKeys = {
  readonly publishableKey: string;
  readonly secretKey: string;
  /** Which key this is, or null; every comparison takes the same time. */
  readonly resolve: (given: string) => ApiKeyKind | null;
};

export const API_KEY_PURPOSE = 'api-key';

/** Reads both keys, making them at the first start. Nodes that start together agree on the first one's. */
export async function loadApiKeys(database: Database, secrets: Secrets): Promise<ApiKeys> {
  return database.asService('api keys', async (tx) => {
    async function keyNamed(name: string, prefix: string): Promise<string> {
      const read = async (): Promise<string | null> => {
        const { rows } = await tx.query<{ value: Buffer }>('select value from private.secrets where name = $1', [name]);
        const [row] = rows;
        return row === undefined ? null : secrets.open(API_KEY_PURPOSE, row.value, name).toString();
      };
      const existing = await read();
      if (existing !== null) return existing;
      const made = prefix + randomBytes(24).toString('base64url');
      await tx.query('insert into private.secrets (name, value) values ($1, $2) on conflict (name) do nothing', [
        name,
        secrets.seal(API_KEY_PURPOSE, made, name),
      ]);
      const key = await read();
      if (key === null) throw new Error(`The ${name} is missing`);
      return key;
    }

    const publishableKey = await keyNamed('publishable_key', 'sb_publishable_');
    const secretKey = await keyNamed('secret_key', 'sb_secret_');
    return createApiKeys(publishableKey, secretKey);
  });
}

export function createApiKeys(publishableKey: string, secretKey: string): ApiKeys {
  const publishable = digest(publishableKey);
  const secret = digest(secretKey);
  return {
    publishableKey,
    secretKey,
    resolve(key) {
      const given = digest(key);
      const isPublishable = timingSafeEqual(given, publishable);
      const isSecret = timingSafeEqual(given, secret);
      return isPublishable ? 'publishable' : isSecret ? 'secret' : null;
    },
  };
}

function digest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
