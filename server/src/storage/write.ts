import type { FastifyRequest } from 'fastify';

import { asAdmin } from './as-admin.ts';
import { keepBytes } from './bytes.ts';
import type { BytesPlace } from './bytes.ts';
import { logoImage } from './logo-image.ts';
import { BUCKET, etagOf } from './logos.ts';
import { metadataSchema } from './metadata.ts';
import { StorageRefusal } from './refusal.ts';
import { uploadedFile } from './upload.ts';
import type { Uploaded } from './upload.ts';
import type { Services } from '#platform/services';
import type { Transaction } from '#platform/database';

export type Writing = 'insert' | 'upsert' | 'update';

/** Stores an image under a name of the admin's choosing, redrawn like every logo (V-06). */
export async function uploadObject(services: Services, name: string, how: Writing, request: FastifyRequest) {
  // A caller who may not upload is refused before the file is decoded, which costs.
  await asAdmin(request, () => Promise.resolve());
  const object = await receiveObject(services, request);
  return asAdmin(request, (tx, owner) => writeObject(tx, { ...object, name, owner }, how));
}

export type ReceivedObject = {
  readonly place: BytesPlace;
  readonly etag: string;
  readonly cacheControl: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** The file of an upload, redrawn and stored, with its metadata. */
export async function receiveObject(services: Services, request: FastifyRequest): Promise<ReceivedObject> {
  const uploaded = await uploadedFile(request, null);
  const described = { cacheControl: cacheControlOf(request, uploaded), metadata: metadataOf(request, uploaded) };
  const image = await logoImage(uploaded.file);
  return { ...described, place: await keepBytes(services, image), etag: etagOf(image) };
}

/** Writes the row of an object. @throws StorageRefusal where the name is taken (insert) or free (update). */
export async function writeObject(
  tx: Transaction,
  object: ReceivedObject & { readonly name: string; readonly owner: string | null },
  how: Writing,
) {
  const { name, owner, place, etag, cacheControl, metadata } = object;
  const { rows } = await tx.query<{ id: string }>(STATEMENTS[how], [
    BUCKET,
    name,
    owner,
    place.content,
    place.blob,
    place.size,
    cacheControl,
    etag,
    JSON.stringify(metadata),
  ]);
  const row = rows[0];
  if (row === undefined) throw new StorageRefusal(how === 'update' ? 'NoSuchKey' : 'KeyAlreadyExists');
  return { Id: row.id, Key: `${BUCKET}/${name}` };
}

const INSERT = `insert into storage.objects
    (bucket_id, name, owner, content, blob, size, content_type, cache_control, etag, user_metadata)
  values ($1, $2, $3, $4, $5, $6, 'image/png', $7, $8, $9::jsonb)`;
const STATEMENTS: Readonly<Record<Writing, string>> = {
  insert: `${INSERT} on conflict (bucket_id, name) do nothing returning id`,
  upsert: `${INSERT} on conflict (bucket_id, name) do update set owner = excluded.owner, content = excluded.content,
    blob = excluded.blob, size = excluded.size, content_type = excluded.content_type,
    cache_control = excluded.cache_control, etag = excluded.etag, user_metadata = excluded.user_metadata,
    updated_at = now() returning id`,
  update: `update storage.objects set owner = $3, content = $4, blob = $5, size = $6, content_type = 'image/png',
    cache_control = $7, etag = $8, user_metadata = $9::jsonb, updated_at = now()
    where bucket_id = $1 and name = $2 returning id`,
};

/** A name may get other content later, so browsers ask again after an hour, or the time that the uploader gave. */
const SECONDS_DEFAULT = 3600;
const SECONDS_MAX = 31_536_000;

function cacheControlOf(request: FastifyRequest, { fields }: Uploaded): string {
  const given = fields.get('cacheControl') ?? request.headers['cache-control'] ?? '';
  const seconds = /^(?:max-age=)?(?<seconds>\d{1,9})$/u.exec(given)?.groups?.['seconds'];
  return `max-age=${Math.min(Number(seconds ?? SECONDS_DEFAULT), SECONDS_MAX)}`;
}

function metadataOf(request: FastifyRequest, { fields }: Uploaded): Readonly<Record<string, unknown>> {
  const header = request.headers['x-metadata'];
  const text = fields.get('metadata') ?? (typeof header === 'string' ? Buffer.from(header, 'base64').toString() : '');
  if (text === '') return {};
  try {
    return metadataSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw Object.assign(new StorageRefusal('InvalidRequest'), { cause });
  }
}
