import { randomUUID } from 'node:crypto';

import { unavailable } from '#platform/errors';
import { s3Store } from '#platform/s3';
import type { ByteStore } from '#platform/s3';
import type { Services } from '#platform/services';

import { etagOf } from './logos.ts';
import type { LogoBytes } from './logos.ts';

/** The place of a file's bytes, two columns of storage.objects: in the row itself, or in S3 under a name. */
export type BytesPlace = { readonly content: Buffer | null; readonly blob: string | null; readonly size: number };

const stores = new Map<string, ByteStore>();

/** The S3 service of the configuration; null where files are in the database. */
function storeOf({ config }: Pick<Services, 'config'>): ByteStore | null {
  if (config.s3Url === null) return null;
  const known = stores.get(config.s3Url) ?? s3Store(config.s3Url);
  stores.set(config.s3Url, known);
  return known;
}

/**
 * Stores bytes for a row that is about to name them. Their S3 name is noted first, so that bytes which no row names in
 * the end are swept (`sweepLooseBlobs`).
 * @throws Failure `unavailable` where the service does not answer.
 */
export async function keepBytes(services: Pick<Services, 'config' | 'db'>, bytes: Buffer): Promise<BytesPlace> {
  const store = storeOf(services);
  if (store === null) return { content: bytes, blob: null, size: bytes.length };
  const blob = randomUUID();
  await services.db.asService('announce bytes in S3', (tx) =>
    tx.query('insert into storage.loose_blobs (blob) values ($1)', [blob]),
  );
  await answered(store.put(blob, bytes));
  return { content: null, blob, size: bytes.length };
}

/** Stores the bytes of a logo, before the transaction that names them. */
export async function keepLogo(services: Pick<Services, 'config' | 'db'>, image: Buffer): Promise<LogoBytes> {
  return { place: await keepBytes(services, image), etag: etagOf(image) };
}

/** Bytes in S3; null where they are gone, as when the file was replaced meanwhile. */
export async function fetchBytes(
  services: Pick<Services, 'config'>,
  blob: string,
  range?: { readonly first: number; readonly last: number },
): Promise<Buffer | null> {
  const store = storeOf(services);
  if (store === null) throw unavailable(60);
  return answered(store.get(blob, range));
}

/** Deletes the bytes in S3 that no row has named for an hour. A job runs it on one node at a time. */
export async function sweepLooseBlobs(services: Pick<Services, 'config' | 'db'>): Promise<void> {
  const store = storeOf(services);
  if (store === null) return;
  await services.db.asService('sweep loose bytes', async (tx) => {
    const { rows } = await tx.query<{ blob: string }>(
      `select blob from storage.loose_blobs where since < now() - interval '1 hour' limit 100 for update skip locked`,
    );
    for (const { blob } of rows) await answered(store.remove(blob));
    await tx.query('delete from storage.loose_blobs where blob = any ($1::text[])', [rows.map(({ blob }) => blob)]);
  });
}

async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw Object.assign(unavailable(5), { cause: error });
  }
}
