import multipart from '@fastify/multipart';
import { failureMessage } from '@parrain/domain/failure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { logTrouble, failureOf, retryAfterOf } from '#platform/errors';
import { identityHook } from '#platform/identity';
import type { Services } from '#platform/services';

import { BUCKET } from './logos.ts';
import { listObjects, objectInfo, removeObjects } from './manage.ts';
import { storageError, StorageRefusal } from './refusal.ts';
import { sendObject } from './serve.ts';
import { multipartOptions } from './upload.ts';
import { uploadObject } from './write.ts';

export { logoImage } from './logo-image.ts';
export { forgetOtherLogos, publicObjectUrl, storeLogo } from './logos.ts';
export { multipartOptions, uploadedFile } from './upload.ts';

type BucketParams = { readonly bucket: string; readonly '*': string };

/**
 * The door /storage/v1 (ST-01): one public bucket, `logos`. Everyone reads a file whose address they know; an admin
 * uploads, lists and removes.
 */
export default async function storage(app: FastifyInstance, services: Services): Promise<void> {
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
      isExempt: (request) => request.routeOptions.url?.includes('/object/public/:bucket/') === true,
      refuse: (request, reply, refusal) =>
        sendError(new StorageRefusal(refusal.reason === 'bad_bearer' ? 'InvalidJWT' : 'AccessDenied'), request, reply),
    }),
  );

  app.get<{ Params: BucketParams; Querystring: { download?: string } }>('/object/public/:bucket/*', (request, reply) =>
    sendObject(services.db, objectIn(request.params), request, reply),
  );
  app.get<{ Params: BucketParams }>('/object/info/:bucket/*', (request) =>
    objectInfo(services.db, objectIn(request.params)),
  );
  app.get<{ Params: BucketParams }>('/object/info/public/:bucket/*', (request) =>
    objectInfo(services.db, objectIn(request.params)),
  );
  app.get<{ Params: BucketParams; Querystring: { download?: string } }>('/object/:bucket/*', (request, reply) =>
    sendObject(services.db, objectIn(request.params), request, reply),
  );
  app.post<{ Params: BucketParams }>('/object/:bucket/*', (request) =>
    uploadObject(objectIn(request.params), request.headers['x-upsert'] === 'true' ? 'upsert' : 'insert', request),
  );
  app.put<{ Params: BucketParams }>('/object/:bucket/*', (request) =>
    uploadObject(objectIn(request.params), 'update', request),
  );
  app.post<{ Params: BucketParams }>('/object/list/:bucket', (request) => {
    checkBucket(request.params.bucket);
    return listObjects(request);
  });
  app.delete<{ Params: BucketParams }>('/object/:bucket', (request) => {
    checkBucket(request.params.bucket);
    return removeObjects(request);
  });
}

function checkBucket(bucket: string): void {
  if (bucket !== BUCKET) throw new StorageRefusal('NoSuchBucket');
}

/** What a name may be made of; it is decoded once, by the router. */
const KEY = /^[\w/!.*'()&$@=;:+,? -]{1,255}$/u;

function objectIn(params: BucketParams): string {
  checkBucket(params.bucket);
  const name = params['*'];
  const isPath = name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!KEY.test(name) || !isPath) throw new StorageRefusal('InvalidKey');
  return name;
}

async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  void reply.header('cache-control', 'no-store');
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
