import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';

import type { Services } from '#platform/services';

import { getBucket, listBuckets, refuseBucketChange } from './buckets.ts';
import { listObjects, listObjectsV2, objectInfo, removeObjects } from './manage.ts';
import { checkBucket, checkName, refuseVersion } from './object-name.ts';
import { StorageRefusal } from './refusal.ts';
import { sendObject } from './serve.ts';
import { signDownload, signDownloads, signUpload, uploadSigned, verifySigned } from './sign.ts';
import { copyObject, moveObject } from './transfer.ts';
import { transformationIn } from './transform.ts';
import { uploadObject } from './write.ts';

/** One request of the protocol. */
type Call = {
  readonly services: Services;
  readonly request: FastifyRequest<{ Querystring: Query; Params: Params }>;
  readonly reply: FastifyReply;
  /** The file's name, checked; empty where the address names none. */
  readonly name: string;
};
export type Query = { readonly download?: string; readonly token?: string; readonly versionId?: string };
export type Params = { readonly bucket?: string; readonly id?: string; readonly '*'?: string };

export type Route = {
  readonly method: HTTPMethods;
  /** Under the door's prefix. `:bucket` is the one bucket there is, and `*` after it the name of a file in it. */
  readonly url: string;
  /** With a key, as anyone; without one because the address is public; without one because it is signed. */
  readonly access: 'key' | 'public' | 'signed';
  readonly handle: (call: Call) => unknown;
};

const FILE = '/:bucket/*';

function read({ services, name, request, reply }: Call): Promise<FastifyReply> {
  refuseVersion(request.query.versionId);
  return sendObject(services, name, request, reply);
}

/** The picture in the size that the address asks for. */
function readDrawn({ services, name, request, reply }: Call): Promise<FastifyReply> {
  refuseVersion(request.query.versionId);
  return sendObject(services, name, request, reply, { transformation: transformationIn(request.query) });
}

/** The size is signed with the name: what else the address asks for counts for nothing, as with the official server. */
async function readSigned({ services, name, request, reply }: Call): Promise<FastifyReply> {
  const { expires, transformation } = await verifySigned(services, 'download', name, request.query.token);
  return sendObject(services, name, request, reply, { expires, transformation });
}

function info({ services, name, request }: Call): unknown {
  refuseVersion(request.query.versionId);
  return objectInfo(services.db, name);
}

function upload({ services, name, request }: Call): unknown {
  return uploadObject(services, name, request.headers['x-upsert'] === 'true' ? 'upsert' : 'insert', request);
}

/** The official client knows lifecycles and caches in front: here files have none. */
function refuseFeature(): never {
  throw new StorageRefusal('FeatureNotEnabled');
}

/** Every route of the protocol. */
export const routes: readonly Route[] = [
  { method: 'GET', url: `/object/public${FILE}`, access: 'public', handle: read },
  { method: 'GET', url: `/render/image/public${FILE}`, access: 'public', handle: readDrawn },
  { method: 'GET', url: `/object${FILE}`, access: 'key', handle: read },
  { method: 'GET', url: `/object/authenticated${FILE}`, access: 'key', handle: read },
  { method: 'GET', url: `/render/image/authenticated${FILE}`, access: 'key', handle: readDrawn },
  { method: 'GET', url: `/object/sign${FILE}`, access: 'signed', handle: readSigned },
  { method: 'GET', url: `/render/image/sign${FILE}`, access: 'signed', handle: readSigned },
  { method: 'GET', url: `/object/info${FILE}`, access: 'key', handle: info },
  { method: 'GET', url: `/object/info/public${FILE}`, access: 'key', handle: info },
  { method: 'GET', url: `/object/info/authenticated${FILE}`, access: 'key', handle: info },

  { method: 'POST', url: `/object${FILE}`, access: 'key', handle: upload },
  {
    method: 'PUT',
    url: `/object${FILE}`,
    access: 'key',
    handle: ({ services, name, request }) => uploadObject(services, name, 'update', request),
  },
  {
    method: 'POST',
    url: `/object/upload/sign${FILE}`,
    access: 'key',
    handle: ({ services, name, request }) => signUpload(services, name, request),
  },
  {
    method: 'PUT',
    url: `/object/upload/sign${FILE}`,
    access: 'signed',
    handle: ({ services, name, request }) => uploadSigned(services, name, request.query.token ?? '', request),
  },
  {
    method: 'POST',
    url: `/object/sign${FILE}`,
    access: 'key',
    handle: ({ services, name, request }) => signDownload(services, name, request),
  },
  {
    method: 'POST',
    url: '/object/sign/:bucket',
    access: 'key',
    handle: ({ services, request }) => signDownloads(services, request),
  },
  { method: 'POST', url: '/object/move', access: 'key', handle: ({ request }) => moveObject(request) },
  {
    method: 'POST',
    url: '/object/copy',
    access: 'key',
    handle: ({ services, request }) => copyObject(services, request),
  },
  { method: 'POST', url: '/object/list/:bucket', access: 'key', handle: ({ request }) => listObjects(request) },
  { method: 'POST', url: '/object/list-v2/:bucket', access: 'key', handle: ({ request }) => listObjectsV2(request) },
  { method: 'DELETE', url: '/object/:bucket', access: 'key', handle: ({ request }) => removeObjects(request) },

  { method: 'GET', url: '/bucket', access: 'key', handle: ({ request }) => listBuckets(request) },
  {
    method: 'GET',
    url: '/bucket/:id',
    access: 'key',
    handle: ({ request }) => getBucket(request, request.params.id ?? ''),
  },
  { method: 'POST', url: '/bucket', access: 'key', handle: refuseBucketChange },
  { method: 'PUT', url: '/bucket/:id', access: 'key', handle: refuseBucketChange },
  { method: 'DELETE', url: '/bucket/:id', access: 'key', handle: refuseBucketChange },
  { method: 'POST', url: '/bucket/:id/empty', access: 'key', handle: refuseBucketChange },
  { method: 'GET', url: '/bucket/:id/lifecycle', access: 'key', handle: refuseFeature },
  { method: 'PUT', url: '/bucket/:id/lifecycle', access: 'key', handle: refuseFeature },
  { method: 'DELETE', url: '/bucket/:id/lifecycle', access: 'key', handle: refuseFeature },
  { method: 'DELETE', url: '/cdn/*', access: 'key', handle: refuseFeature },
];

/** The name of the file that the address names, and its bucket, checked. @throws StorageRefusal */
export function nameIn(url: string, params: Params): string {
  if (params.bucket !== undefined) checkBucket(params.bucket);
  return url.endsWith(FILE) ? checkName(params['*'] ?? '') : '';
}
