import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

import { isDatabaseError } from '#platform/errors';
import type { Services } from '#platform/services';

import { asAdmin, TRANSFER_REFUSED } from './as-admin.ts';
import { fetchBytes, keepBytes } from './bytes.ts';
import { BUCKET } from './logos.ts';
import { checkBucket, checkName, refuseVersion } from './object-name.ts';
import { readBody } from './read-body.ts';
import { StorageRefusal } from './refusal.ts';
import { metadataSchema } from './metadata.ts';

const transfer = z.object({
  bucketId: z.string(),
  sourceKey: z.string(),
  destinationKey: z.string(),
  destinationBucket: z.string().nullish(),
  sourceVersionId: z.string().nullish(),
});

const copyMetadata = z.object({ copyMetadata: z.boolean().nullish(), metadata: metadataSchema.nullish() });

function namesOf(request: FastifyRequest): { readonly from: string; readonly to: string } {
  const wanted = readBody(transfer, request.body);
  refuseVersion(wanted.sourceVersionId);
  checkBucket(wanted.bucketId);
  checkBucket(wanted.destinationBucket ?? BUCKET);
  return { from: checkName(wanted.sourceKey), to: checkName(wanted.destinationKey) };
}

/** Moves a file to another name. */
export async function moveObject(request: FastifyRequest) {
  const { from, to } = namesOf(request);
  return asAdmin(
    request,
    async (tx) => {
      try {
        const { rows } = await tx.query<{ id: string }>(
          'update storage.objects set name = $3, updated_at = now() where bucket_id = $1 and name = $2 returning id',
          [BUCKET, from, to],
        );
        const row = rows[0];
        if (row === undefined) throw new StorageRefusal('NoSuchKey');
        return { message: 'Successfully moved', Id: row.id, Key: `${BUCKET}/${to}` };
      } catch (error) {
        if (isDatabaseError(error) && error.code === '23505') {
          throw Object.assign(new StorageRefusal('KeyAlreadyExists'), { cause: error });
        }
        throw error;
      }
    },
    TRANSFER_REFUSED,
  );
}

/** Copies a file to another name, with its metadata unless the caller gives other; over a file only with `x-upsert`. */
export async function copyObject(services: Services, request: FastifyRequest) {
  const { from, to } = namesOf(request);
  const asked = readBody(copyMetadata, request.body);
  const metadata = asked.copyMetadata === false ? JSON.stringify(asked.metadata ?? {}) : null;
  const source = await asAdmin(
    request,
    async (tx) => {
      const { rows } = await tx.query<{ content: Buffer | null; blob: string | null }>(
        'select content, blob from storage.objects where bucket_id = $1 and name = $2',
        [BUCKET, from],
      );
      return rows[0];
    },
    TRANSFER_REFUSED,
  );
  if (source === undefined) throw new StorageRefusal('NoSuchKey');
  // Two rows never name the same bytes: either may go without the other.
  const bytes = source.content ?? (source.blob === null ? null : await fetchBytes(services, source.blob));
  if (bytes === null) throw new StorageRefusal('NoSuchKey');
  const place = await keepBytes(services, bytes);
  const conflict =
    request.headers['x-upsert'] === 'true'
      ? `do update set owner = excluded.owner, content = excluded.content, blob = excluded.blob, size = excluded.size,
           content_type = excluded.content_type, cache_control = excluded.cache_control, etag = excluded.etag,
           user_metadata = excluded.user_metadata, updated_at = now()`
      : 'do nothing';
  return asAdmin(
    request,
    async (tx, owner) => {
      const { rows } = await tx.query<{ id: string }>(
        `insert into storage.objects
         (bucket_id, name, owner, content, blob, size, content_type, cache_control, etag, user_metadata)
       select bucket_id, $3, $4, $5, $6, $7, content_type, cache_control, etag, coalesce($8::jsonb, user_metadata)
       from storage.objects where bucket_id = $1 and name = $2
       on conflict (bucket_id, name) ${conflict} returning id`,
        [BUCKET, from, to, owner, place.content, place.blob, place.size, metadata],
      );
      const row = rows[0];
      if (row === undefined) throw new StorageRefusal('KeyAlreadyExists');
      return { Id: row.id, Key: `${BUCKET}/${to}` };
    },
    TRANSFER_REFUSED,
  );
}
