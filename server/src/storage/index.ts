import multipart from '@fastify/multipart';
import { failureMessage } from '@parrain/domain/failure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { logTrouble, failureOf, retryAfterOf } from '#platform/errors';
import { identityHook } from '#platform/identity';
import { ANONYMOUS_BYTES_MAX } from '#platform/request-body';
import type { Services } from '#platform/services';

import { fetchBytes, sweepLooseBlobs } from './bytes.ts';
import { currentLogo } from './logos.ts';
import { storageError, StorageRefusal } from './refusal.ts';
import { nameIn, routes } from './routes.ts';
import type { Params, Query, Route } from './routes.ts';
import { multipartOptions } from './upload.ts';

export { keepLogo } from './bytes.ts';
export { logoImage, pageImage } from './logo-image.ts';
export { forgetOtherImages, publicObjectPath, storeImage } from './logos.ts';
export { multipartOptions, uploadedFile, type Uploaded } from './upload.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route of this door; none of an address that leads nowhere. */
    access?: Route['access'];
  }
}

const CLEANUP = 'storage_cleanup';
/** A thousand names, as many as a removal takes. */
const JSON_BYTES_MAX = 1_048_576;

/** The bytes of the company's logo, a PNG; null where it has none. */
export async function readLogo(services: Services): Promise<Buffer | null> {
  const logo = await services.db.asService('logo of the company', currentLogo, { readOnly: true });
  if (logo === null) return null;
  return logo.blob === null ? logo.content : fetchBytes(services, logo.blob);
}

/**
 * The door /storage/v1 (ST-01): one public bucket, `logos`. Anyone reads a file by its address; a signed-in person makes
 * signed addresses; an admin uploads, moves, lists and removes.
 */
export default async function storage(app: FastifyInstance, services: Services): Promise<void> {
  services.jobs.define(CLEANUP, () => sweepLooseBlobs(services), { isLong: true });
  services.jobs.schedule(CLEANUP, '*/10 * * * *');
  services.mail.readLogoBy(() => readLogo(services));
  await app.register(multipart, multipartOptions);
  // A raw file is read as a stream by its route, whatever its type: the client's default is text.
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  app.setErrorHandler(sendError);
  app.setNotFoundHandler(() => {
    throw new StorageRefusal('NotFound');
  });
  app.addHook(
    'onRequest',
    identityHook(services, {
      isExempt: ({ routeOptions: { config } }) => config?.access === 'public' || config?.access === 'signed',
      // A file is a stream, which its route refuses before it reads it.
      anonymousBytesMax: ({ headers }) =>
        headers['content-type']?.startsWith('application/json') === true ? ANONYMOUS_BYTES_MAX : Infinity,
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

  for (const { method, url, access, handle } of routes) {
    app.route<{ Querystring: Query; Params: Params }>({
      method,
      url,
      bodyLimit: JSON_BYTES_MAX,
      config: { access },
      handler: async (request, reply) => handle({ services, request, reply, name: nameIn(url, request.params) }),
    });
  }
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
