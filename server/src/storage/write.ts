import type { FastifyRequest } from 'fastify';

import { asAdmin } from './as-admin.ts';
import { logoImage } from './logo-image.ts';
import { BUCKET, etagOf } from './logos.ts';
import { StorageRefusal } from './refusal.ts';
import { uploadedFile } from './upload.ts';

/** A name that may get other content later is asked for again after an hour. */
const CACHE_CONTROL = 'public, max-age=3600';

/** Stores an image under a name of the admin's choosing, drawn anew like every logo (V-06). */
export async function uploadObject(name: string, how: 'insert' | 'upsert' | 'update', request: FastifyRequest) {
  // Who may not upload is told before the file is decoded.
  await asAdmin(request, () => Promise.resolve());
  const image = await logoImage(await uploadedFile(request, null));
  return asAdmin(request, async (tx, owner) => {
    const values = [BUCKET, name, owner, image, CACHE_CONTROL, etagOf(image)];
    const { rows } = await tx.query<{ id: string }>(
      how === 'update' ? UPDATE : how === 'upsert' ? UPSERT : INSERT,
      values,
    );
    const row = rows[0];
    if (row === undefined) throw new StorageRefusal(how === 'update' ? 'NoSuchKey' : 'KeyAlreadyExists');
    return { Id: row.id, Key: `${BUCKET}/${name}` };
  });
}

const INSERT_ROW = `insert into storage.objects (bucket_id, name, owner, content, content_type, cache_control, etag)
  values ($1, $2, $3, $4, 'image/png', $5, $6)`;
const INSERT = `${INSERT_ROW} on conflict (bucket_id, name) do nothing returning id`;
const UPSERT = `${INSERT_ROW} on conflict (bucket_id, name) do update set owner = excluded.owner,
  content = excluded.content, content_type = excluded.content_type, cache_control = excluded.cache_control,
  etag = excluded.etag, updated_at = now() returning id`;
const UPDATE = `update storage.objects set owner = $3, content = $4, content_type = 'image/png', cache_control = $5,
  etag = $6, updated_at = now() where bucket_id = $1 and name = $2 returning id`;
