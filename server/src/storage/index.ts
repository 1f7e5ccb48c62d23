import multipart from '@fastify/multipart';
import { failureMessage } from '@parrain/domain/failure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { logTrouble, failureOf, retryAfterOf } from '#platform/errors';
import { identityHook } from '#platform/identity';
import type { Services } from '#platform/services';

import { getBucket, listBuckets, refuseBucketChange } from './buckets.ts';
import { sweepLooseBlobs } from './bytes.ts';
import { listObjects, listObjectsV2, objectInfo, removeObjects } from './manage.ts';
import { checkBucket, checkName, refuseVersion } from './object-name.ts';
import { storageError, StorageRefusal } from './refusal.ts';
import { sendObject } from './serve.ts';
import { signDownload, signDownloads, signUpload, uploadSigned, verifySigned } from './sign.ts';
import { copyObject, moveObject } from './transfer.ts';
import { multipartOptions } from './upload.ts';
import { uploadObject } from './write.ts';

export { keepLogo } from './bytes.ts';
export { logoImage } from './logo-image.ts';
export { forgetOtherLogos, publicObjectPath, storeLogo } from './logos.ts';
export { multipartOptions, uploadedFile } from './upload.ts';

type BucketParams = { readonly bucket: string; readonly '*': string };
type Reading = {
  Params: BucketParams;
  Querystring: { readonly download?: string; readonly token?: string; readonly versionId?: string };
};
type Writing = { Params: BucketParams; Querystring: { readonly token?: string } };

const CLEANUP = 'storage_cleanup';

/**
 * The door /storage/v1 (ST-01): one public bucket, `logos`. Everyone reads a file whose address they know; whoever is
 * signed in makes signed addresses; an admin uploads, renames, lists and removes.
 */
export default async function storage(app: FastifyInstance, services: Services): Promise<void> {
  services.jobs.define(CLEANUP, () => sweepLooseBlobs(services));
  services.jobs.schedule(CLEANUP, '*/10 * * * *');
  await app.register(multipart, multipartOptions);
  // A file sent as such: its bytes are read as they come, by the route. The client's default type is text.
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  app.setErrorHandler(sendError);
  app.setNotFoundHandler(() => {
    throw new StorageRefusal('NotFound');
  });
  app.addHook(
    'onRequest',
    identityHook(services, {
      isExempt: isForEveryone,
      refuse: (_request, reply, { reason, message, hint }) =>
        reply
          .status(401)
          .header('cache-control', 'no-store')
          .send({
            ...storageError(new StorageRefusal(reason === 'bad_bearer' ? 'InvalidJWT' : 'NoKey', message)),
            hint,
          }),
    }),
  );

  // A transformation is not made: the whole image is given, which the official client takes as well.
  for (const path of [
    '/object/public',
    '/render/image/public',
    '/object',
    '/object/authenticated',
    '/render/image/authenticated',
  ]) {
    app.get<Reading>(`${path}/:bucket/*`, (request, reply) => {
      refuseVersion(request.query.versionId);
      return sendObject(services, objectIn(request.params), request, reply);
    });
  }
  for (const path of ['/object/sign', '/render/image/sign']) {
    app.get<Reading>(`${path}/:bucket/*`, async (request, reply) => {
      const name = objectIn(request.params);
      const { expires } = await verifySigned(services, 'download', name, request.query.token);
      return sendObject(services, name, request, reply, expires);
    });
  }
  for (const path of ['/object/info', '/object/info/public', '/object/info/authenticated']) {
    app.get<Reading>(`${path}/:bucket/*`, (request) => {
      refuseVersion(request.query.versionId);
      return objectInfo(services.db, objectIn(request.params));
    });
  }
  app.post<Writing>('/object/:bucket/*', (request) =>
    uploadObject(
      services,
      objectIn(request.params),
      request.headers['x-upsert'] === 'true' ? 'upsert' : 'insert',
      request,
    ),
  );
  app.put<Writing>('/object/:bucket/*', (request) =>
    uploadObject(services, objectIn(request.params), 'update', request),
  );
  app.post<Writing>('/object/upload/sign/:bucket/*', (request) =>
    signUpload(services, objectIn(request.params), request),
  );
  app.put<Writing>('/object/upload/sign/:bucket/*', (request) =>
    uploadSigned(services, objectIn(request.params), request.query.token ?? '', request),
  );
  app.post<Writing>('/object/sign/:bucket/*', (request) => signDownload(services, objectIn(request.params), request));
  app.post<Writing>('/object/sign/:bucket', (request) => {
    checkBucket(request.params.bucket);
    return signDownloads(services, request);
  });
  app.post('/object/move', (request) => moveObject(request));
  app.post('/object/copy', (request) => copyObject(services, request));
  app.post<Writing>('/object/list/:bucket', (request) => {
    checkBucket(request.params.bucket);
    return listObjects(request);
  });
  app.post<Writing>('/object/list-v2/:bucket', (request) => {
    checkBucket(request.params.bucket);
    return listObjectsV2(request);
  });
  app.delete<Writing>('/object/:bucket', (request) => {
    checkBucket(request.params.bucket);
    return removeObjects(request);
  });

  app.get('/bucket', (request) => listBuckets(request));
  app.get<{ Params: { readonly id: string } }>('/bucket/:id', (request) => getBucket(request, request.params.id));
  app.route({ method: ['POST'], url: '/bucket', handler: refuseBucketChange });
  app.route({ method: ['PUT', 'DELETE'], url: '/bucket/:id', handler: refuseBucketChange });
  app.route({ method: ['POST'], url: '/bucket/:id/empty', handler: refuseBucketChange });
  app.route({ method: ['GET', 'PUT', 'DELETE'], url: '/bucket/:id/lifecycle', handler: refuseFeature });
  app.route({ method: ['DELETE'], url: '/cdn/*', handler: refuseFeature });
}

/** Public files, and addresses that carry their own right: no key. */
function isForEveryone(request: FastifyRequest): boolean {
  const route = request.routeOptions.url ?? '';
  if (/\/(?:object|render\/image)\/public\/:bucket\//u.test(route)) return true;
  if (/\/(?:object|render\/image)\/sign\/:bucket\//u.test(route))
    return request.method === 'GET' || request.method === 'HEAD';
  return route.endsWith('/object/upload/sign/:bucket/*') && request.method === 'PUT';
}

/** What the official client knows and this server has no use for: files do not age, and no cache stands in front. */
function refuseFeature(): never {
  throw new StorageRefusal('FeatureNotEnabled');
}

function objectIn(params: BucketParams): string {
  checkBucket(params.bucket);
  return checkName(params['*']);
}

async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  void reply.headers({ 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' });
  if (error instanceof StorageRefusal) return reply.status(error.status).send(storageError(error));
  logTrouble(request, error);
  const failure = failureOf(error);
  const retryAfter = retryAfterOf(failure);
  if (retryAfter !== null) void reply.header('retry-after', String(retryAfter));
  switch (failure.code) {
    case 'session_expired':
      return reply.status(401).send(storageError(new StorageRefusal('InvalidJWT', failure.message)));
    case 'forbidden':
    case 'password_change_required':
    case 'second_factor_required':
    case 'two_factor_setup_required':
      return reply.status(403).send(storageError(new StorageRefusal('AccessDenied', failure.message)));
    case 'logo_too_large':
    case 'payload_too_large':
      return reply
        .status(413)
        .send(storageError(new StorageRefusal('EntityTooLarge', failureMessage('logo_too_large'))));
    case 'logo_type_refused':
      return reply.status(415).send(storageError(new StorageRefusal('InvalidMimeType', failure.message)));
    default:
      return reply.status(failure.status).send({
        statusCode: String(failure.status),
        error: failure.code,
        message: failure.message,
        code: failure.status >= 500 ? 'InternalError' : 'InvalidRequest',
      });
  }
}
