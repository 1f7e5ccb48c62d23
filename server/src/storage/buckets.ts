import { logoTypes, logoBytesMax } from '@parrain/domain/forms/logo';
import type { FastifyRequest } from 'fastify';

import { asAdmin, LISTING_REFUSED } from './as-admin.ts';
import { BUCKET } from './logos.ts';
import { StorageRefusal } from './refusal.ts';

/** The one bucket, as the client describes buckets. No request makes, changes or removes it. */
const logos = {
  id: BUCKET,
  name: BUCKET,
  owner: '',
  public: true,
  type: 'STANDARD',
  file_size_limit: logoBytesMax,
  allowed_mime_types: logoTypes,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

/** Lists the one bucket, for an admin. */
export const listBuckets = (request: FastifyRequest) =>
  asAdmin(request, () => Promise.resolve([logos]), LISTING_REFUSED);

/** Describes the bucket, for an admin. */
export const getBucket = (request: FastifyRequest, id: string) =>
  asAdmin(
    request,
    () => {
      if (id !== BUCKET) throw new StorageRefusal('NoSuchBucket');
      return Promise.resolve(logos);
    },
    LISTING_REFUSED,
  );

/** @throws StorageRefusal always. */
export function refuseBucketChange(): never {
  throw new StorageRefusal('AccessDenied', 'The buckets of this server are fixed');
}
