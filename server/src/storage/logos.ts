import { createHash, randomBytes } from 'node:crypto';

import type { Transaction } from '#platform/database';

export const BUCKET = 'logos';

/** A file as it is kept. */
export type StoredObject = {
  readonly id: string;
  readonly name: string;
  readonly content_type: string;
  readonly cache_control: string;
  readonly etag: string;
  readonly size: number;
  readonly created_at: Date;
  readonly updated_at: Date;
};

/** The columns of a StoredObject. */
export const objectColumns =
  'id, name, content_type, cache_control, etag, octet_length(content) as size, created_at, updated_at';

/** A name's content never changes, so whoever has it need not ask again. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The address of a stored file, for everyone. */
export function publicObjectUrl(publicUrl: string, name: string): string {
  return `${publicUrl}/storage/v1/object/public/${BUCKET}/${name.split('/').map(encodeURIComponent).join('/')}`;
}

export function etagOf(content: Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
}

/**
 * Keeps a new logo, in the caller's transaction, under a name that nobody can guess and that is never used again.
 * @returns the file's name.
 */
export async function storeLogo(tx: Transaction, image: Buffer, owner: string): Promise<string> {
  const name = `logo-${randomBytes(16).toString('hex')}.png`;
  await tx.asService('store the logo', () =>
    tx.query(
      `insert into storage.objects (bucket_id, name, owner, content, content_type, cache_control, etag)
       values ($1, $2, $3, $4, 'image/png', $5, $6)`,
      [BUCKET, name, owner, image, IMMUTABLE, etagOf(image)],
    ),
  );
  return name;
}

/** Forgets every logo stored by `storeLogo` but this one. Once the settings name it, so that two uploads at once leave one. */
export async function forgetOtherLogos(tx: Transaction, name: string): Promise<void> {
  await tx.asService('forget the replaced logo', () =>
    tx.query(`delete from storage.objects where bucket_id = $1 and name <> $2 and name ~ '^logo-[0-9a-f]{32}[.]png$'`, [
      BUCKET,
      name,
    ]),
  );
}
