import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CryptoKey, JWK } from 'jose';

import type { Clock } from './clock.ts';
import type { Database, Transaction } from './database.ts';
import type { Secrets } from './secrets.ts';

export const SIGNING_ALGORITHM = 'ES256';
/** The channel on which PostgreSQL notifies every node of changed keys. */
export const SIGNING_KEYS_CHANNEL = 'signing_keys';
/** The cache lifetime of the public keys: a key is published longer than that before it signs. */
export const PUBLISHED_SECONDS = 600;

const PURPOSE = 'signing-key';
/** The interval at which a node polls without a notification. */
const FRESH_MS = 60_000;
/** Another node may have made a key since: an unknown `kid` reads them again, at most this often; so does a failed reading. */
const AGAIN_AFTER_MS = 10_000;
/** The margin for which an old key outlives its last token: clocks differ, and a node may learn late. */
const MARGIN_SECONDS = 300;

export type SigningKey = {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
  readonly signsFrom: Date;
  /** From then on its signatures are not believed. */
  readonly retiredAt: Date | null;
};

/** The keys of access tokens, as this node last read them. One signs; all that are not retired verify. */
export type SigningKeys = {
  /** Resolves at once where they were read lately, else once they are read again. */
  readonly fresh: () => Promise<void>;
  /** Reads them again, where they were not read this very moment: a key was named that is not among them. */
  readonly seek: () => Promise<void>;
  readonly current: () => SigningKey;
  readonly known: (kid: string | undefined) => SigningKey | undefined;
  /** The public halves, the next key's included: it is known before it signs. */
  readonly published: () => readonly JWK[];
  /** Drops the cache, after a notification: the next use reads again. */
  readonly forget: () => void;
};

/** Reads the keys, making the first one where there is none. */
export async function loadSigningKeys(database: Database, secrets: Secrets, clock: Clock): Promise<SigningKeys> {
  let keys = await readKeys(database, secrets);
  let readAt = clock.now().getTime();
  let isForgotten = false;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    // A notification meanwhile asks for another reading.
    isForgotten = false;
    try {
      keys = await readKeys(database, secrets);
      readAt = clock.now().getTime();
    } catch {
      // Without a database nothing else works either; the keys at hand stay good until it is back.
      readAt = clock.now().getTime() - FRESH_MS + AGAIN_AFTER_MS;
    } finally {
      reading = null;
    }
  }

  const readOnce = (): Promise<void> => (reading ??= read());
  const age = (): number => Math.abs(clock.now().getTime() - readAt);
  const usable = (): SigningKey[] => {
    const now = clock.now();
    return keys.filter((key) => key.retiredAt === null || key.retiredAt > now);
  };

  return {
    fresh: () => (isForgotten || age() > FRESH_MS ? readOnce() : Promise.resolve()),
    seek: () => (isForgotten || age() > AGAIN_AFTER_MS ? readOnce() : Promise.resolve()),
    current() {
      const now = clock.now();
      // A key made this instant by a database whose clock is ahead is the only one there is.
      const key = usable().find((candidate) => candidate.signsFrom <= now) ?? usable().at(-1);
      if (key === undefined) throw new Error('There is no signing key');
      return key;
    },
    known: (kid) => usable().find((key) => key.kid === kid),
    published: () => usable().map((key) => key.publicJwk),
    forget: () => void (isForgotten = true),
  };
}

export type Rotation = {
  readonly kid: string;
  readonly signsFrom: Date;
  /** The keys that leave, and when. */
  readonly leaving: readonly { readonly kid: string; readonly at: Date }[];
};

/**
 * Rotates the signing key (AU-18).
 * - `planned`: the new one is published now and signs once every reader of the public keys has had time to see it.
 * - `now`: the new one signs at once; a planned key that waits is used for it.
 * - `compromised`: the new one signs at once, and no other key's signature is believed from this commit on.
 * The old ones stay published until their last token has expired.
 * @returns null where a planned one waits already
 */
export async function rotateSigningKeys(
  tx: Transaction,
  secrets: Secrets,
  how: 'planned' | 'now' | 'compromised',
  tokenSeconds: number,
): Promise<Rotation | null> {
  await tx.query('lock table auth.signing_keys in share row exclusive mode');
  const { rows: waiting } = await tx.query<{ kid: string }>(
    'select kid from auth.signing_keys where signs_from > now() and retired_at is null order by signs_from limit 1',
  );
  if (how === 'planned' && waiting[0] !== undefined) return null;
  const kid = how === 'now' && waiting[0] !== undefined ? waiting[0].kid : await insertKey(tx, secrets);
  const { rows } = await tx.query<{ signs_from: Date }>(
    'update auth.signing_keys set signs_from = now() + make_interval(secs => $2) where kid = $1 returning signs_from',
    [kid, how === 'planned' ? PUBLISHED_SECONDS + MARGIN_SECONDS : 0],
  );
  const signsFrom = rows[0]?.signs_from;
  if (signsFrom === undefined) throw new Error('The new signing key is missing');
  const { rows: leaving } = await tx.query<{ kid: string; at: Date }>(
    `update auth.signing_keys set retired_at =
       case when $2 then now() else $3::timestamptz + make_interval(secs => $4) end
     where kid <> $1 and (retired_at is null or ($2 and retired_at > now())) returning kid, retired_at as at`,
    [kid, how === 'compromised', signsFrom, tokenSeconds + MARGIN_SECONDS],
  );
  await tx.query('select pg_notify($1, $2)', [SIGNING_KEYS_CHANNEL, kid]);
  return { kid, signsFrom, leaving };
}

type SigningKeyRow = {
  readonly kid: string;
  readonly public_jwk: JWK;
  readonly private_jwk_sealed: Buffer;
  readonly signs_from: Date;
  readonly retired_at: Date | null;
};

async function readKeys(database: Database, secrets: Secrets): Promise<SigningKey[]> {
  const rows = await database.asService('signing keys', async (tx) => {
    const read = async (): Promise<SigningKeyRow[]> => {
      const { rows: found } = await tx.query<SigningKeyRow>(
        `select kid, public_jwk, private_jwk_sealed, signs_from, retired_at from auth.signing_keys
         where retired_at is null or retired_at > now() order by signs_from desc, kid`,
      );
      return found;
    };
    const existing = await read();
    if (existing.length > 0) return existing;
    // Nodes that start together wait here, and the later ones find the first one's key.
    await tx.query('lock table auth.signing_keys in share row exclusive mode');
    const meanwhile = await read();
    if (meanwhile.length > 0) return meanwhile;
    await insertKey(tx, secrets);
    return read();
  });
  return Promise.all(
    rows.map(async (row) => ({
      kid: row.kid,
      publicJwk: row.public_jwk,
      publicKey: await importedKey(row.public_jwk),
      privateKey: await importedKey(
        JSON.parse(secrets.open(PURPOSE, row.private_jwk_sealed, row.kid).toString()) as JWK,
      ),
      signsFrom: row.signs_from,
      retiredAt: row.retired_at,
    })),
  );
}

async function insertKey(tx: Transaction, secrets: Secrets): Promise<string> {
  const pair = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const exported = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(exported);
  const privateJwk = await exportJWK(pair.privateKey);
  await tx.query(
    `insert into auth.signing_keys (kid, algorithm, public_jwk, private_jwk_sealed) values ($1, $2, $3, $4)`,
    [
      kid,
      SIGNING_ALGORITHM,
      { ...exported, kid, alg: SIGNING_ALGORITHM, use: 'sig', key_ops: ['verify'], ext: true },
      secrets.seal(PURPOSE, JSON.stringify({ ...privateJwk, kid, alg: SIGNING_ALGORITHM }), kid),
    ],
  );
  return kid;
}

async function importedKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNING_ALGORITHM);
  if (key instanceof Uint8Array) throw new Error('A signing key is not an elliptic curve key');
  return key;
}
