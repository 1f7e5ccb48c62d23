import { createHash, randomBytes } from 'node:crypto';

import type { Transaction } from '#platform/database';

import type { BytesPlace } from './bytes.ts';

export const BUCKET = 'logos';

/** A row of storage.objects. */
export type StoredObject = {
  readonly id: string;
  readonly name: string;
  readonly content_type: string;
  readonly cache_control: string;
  readonly etag: string;
  readonly size: number;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
  readonly updated_at: Date;
};

/** The columns of a StoredObject. */
export const objectColumns = 'id, name, content_type, cache_control, etag, size, user_metadata, created_at, updated_at';

/** A name's content never changes, so a browser that has it need not ask again. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The public path of a stored file, without a host: the server may be reached under several. */
export function publicObjectPath(name: string): string {
  return `/storage/v1/object/public/${BUCKET}/${name.split('/').map(encodeURIComponent).join('/')}`;
}

export function etagOf(content: Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
}

/** A logo whose bytes are stored and whose row is not. */
export type LogoBytes = { readonly place: BytesPlace; readonly etag: string };

/** Files that the product itself keeps in the bucket: their extension and their type. */
const KINDS = {
  logo: { extension: 'png', type: 'image/png' },
  picture: { extension: 'jpg', type: 'image/jpeg' },
} as const;
type Kind = keyof typeof KINDS;

/**
 * Gives a new image its row, in the caller's transaction, under a name that nobody can guess and that is never used again.
 * @returns the file's name.
 */
export async function storeImage(
  tx: Transaction,
  kind: Kind,
  { place, etag }: LogoBytes,
  owner: string,
): Promise<string> {
  const { extension, type } = KINDS[kind];
  const name = `${kind}-${randomBytes(16).toString('hex')}.${extension}`;
  await tx.asService('store an image of the company', () =>
    tx.query(
      `insert into storage.objects (bucket_id, name, owner, content, blob, size, content_type, cache_control, etag)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [BUCKET, name, owner, place.content, place.blob, place.size, type, IMMUTABLE, etag],
    ),
  );
  return name;
}

/** The row of the company's logo as it is now, by its address in the settings. */
export async function currentLogo(
  tx: Transaction,
): Promise<{ readonly content: Buffer | null; readonly blob: string | null } | null> {
  const { rows } = await tx.query<{ content: Buffer | null; blob: string | null }>(
    `select o.content, o.blob from public.company_settings c
     join storage.objects o on o.bucket_id = $1 and c.logo_url = $2 || o.name where c.id = 1`,
    [BUCKET, publicObjectPath('')],
  );
  return rows[0] ?? null;
}

/**
 * Deletes every image of `storeImage` of this kind but this one, once the settings name it: a race of two uploads leaves one. Without
 * `name` none is left.
 */
export async function forgetOtherImages(tx: Transaction, kind: Kind, name: string | null): Promise<void> {
  await tx.asService('forget the replaced images', () =>
    tx.query('delete from storage.objects where bucket_id = $1 and name is distinct from $2 and name ~ $3', [
      BUCKET,
      name,
      `^${kind}-[0-9a-f]{32}[.]${KINDS[kind].extension}$`,
    ]),
  );
}
