import { logoTypes, logoBytesMax } from '@parrain/domain/forms/logo';
import type { FastifyRequest } from 'fastify';

import { asAdmin, LISTING_REFUSED } from './as-admin.ts';
import { BUCKET } from './logos.ts';
import { StorageRefusal } from './refusal.ts';

/** The one bucket there is, as the client describes buckets. It is made, changed and removed by nobody. */
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

export const listBuckets = (request: FastifyRequest) =>
  asAdmin(request, () => Promise.resolve([logos]), LISTING_REFUSED);

export const getBucket = (request: FastifyRequest, id: string) =>
  asAdmin(
    request,
    () => {
      if (id !== BUCKET) throw new StorageRefusal('NoSuchBucket');
      return Promise.resolve(logos);
    },
    LISTING_REFUSED,
  );

export function refuseBucketChange(): never {
  throw new StorageRefusal('AccessDenied', 'The buckets of this server are fixed');
}
