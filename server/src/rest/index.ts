import { createKeyedSemaphore } from '#platform/concurrency';
import { callerOf, identityHook } from '#platform/identity';
import type { Services } from '#platform/services';
import { networkOf } from '#platform/network';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { callFunction } from './call.ts';
import { refusedIdentity, sendError } from './error-reply.ts';
import { exchangeOf } from './exchange.ts';
import type { Reply, Exchange } from './exchange.ts';
import { BODY_BYTES_MAX } from './limits.ts';
import { nearName } from './near-name.ts';
import { describeSchema } from './open-api.ts';
import { readRelation } from './read.ts';
import { withSaid } from './response-settings.ts';
import type { Said } from './response-settings.ts';
import { RestError } from './rest-error.ts';
import { holdSchemaCache } from './schema-cache.ts';
import type { SchemaCache, SchemaCacheHolder } from './schema-cache.ts';
import { writeRelation } from './write.ts';

export { listStatement } from './list.ts';
export type { ListStatement } from './list.ts';
export { RestError } from './rest-error.ts';

/** The channel on which migrations announce a changed schema: `notify pgrst, 'reload schema'`, as for the official server. */
const SCHEMA_CHANNEL = 'pgrst';

/**
 * The requests of one caller that run at once, and that wait behind these. The connections to the database outnumber the
 * first, so a caller's slow requests hold up nobody else.
 */
const RUNNING_MAX = 6;
const WAITING_MAX = 200;

/** The door /rest/v1: tables, views and functions of schema public, by the official client's query grammar (RE-01 … RE-12). */
export default async function rest(app: FastifyInstance, services: Services): Promise<void> {
  const cache = schemaCacheOf(services);
  const withCallerSlot = createKeyedSemaphore({ slots: RUNNING_MAX, waitingMax: WAITING_MAX, refusal: tooManyAtOnce });

  // The official client sends `content-type: application/json` with no body at all on every delete.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
    done(null, body);
  });
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
    (_request, body, done) => {
      done(null, body);
    },
  );
  app.setErrorHandler(async (error, request, reply) => {
    if (isAboutUnknownName(error)) cache.suspect();
    return sendError(request, reply, error);
  });
  app.addHook(
    'onRequest',
    identityHook(services, {
      takesCompanyKeys: true,
      takesViews: true,
      refuse: async (request, reply, refusal) => sendError(request, reply, refusedIdentity(refusal)),
    }),
  );

  app.route({
    method: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT'],
    url: '/*',
    async handler(request, reply) {
      const path = wildcardOf(request);
      const plain = exchangeOf(request, path === '');
      const schema = await cache.get();
      const said: Said | null = schema.setsResponse ? { status: null, headers: [] } : null;
      const exchange = {
        ...(schema.readsRequest ? withRequestSettings(plain, request, path) : plain),
        ...(said === null ? {} : { said }),
      };
      const made = await withCallerSlot(callerKeyOf(request), async () => answer(exchange, schema, path));
      return send(reply, said === null ? made : withSaid(made, said));
    },
  });
  // The replies that the CORS plugin makes itself get `allow`, too.
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.method === 'OPTIONS') {
      const isCall = wildcardOf(request).startsWith('rpc/');
      void reply.header('allow', isCall ? 'OPTIONS,GET,HEAD,POST' : 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE');
    }
    done();
  });
  app.options('/*', async (_request, reply) => reply.status(200).send());
}

const caches = new WeakMap<Services, SchemaCacheHolder>();

/** The names of schema public, held once for all doors that read by this one's grammar. */
export function schemaCacheOf(services: Services): SchemaCacheHolder {
  const known = caches.get(services);
  if (known !== undefined) return known;
  const cache = holdSchemaCache(services.db, () => services.clock.now());
  caches.set(services, cache);
  services.listener.listen(SCHEMA_CHANNEL, cache.reload);
  services.listener.onOpen(cache.reload);
  return cache;
}

function tooManyAtOnce(): RestError {
  return new RestError(429, 'PGRST000', 'Trop de requêtes à la fois. Réessayez dans quelques instants.', {
    headers: { 'retry-after': '1' },
  });
}

/** Gives transactions the request, for functions that read `current_setting('request.headers')` and its like. */
function withRequestSettings(exchange: Exchange, request: FastifyRequest, path: string): Exchange {
  const cookies = (request.headers.cookie ?? '').split(';').flatMap((pair) => {
    const [name, ...value] = pair.split('=');
    return name === undefined || value.length === 0 ? [] : [[name.trim(), value.join('=').trim()] as const];
  });
  const http = {
    'request.method': request.method,
    'request.path': `/${path}`,
    'request.headers': JSON.stringify(request.headers),
    'request.cookies': JSON.stringify(Object.fromEntries(cookies)),
  };
  return { ...exchange, caller: { ...exchange.caller, db: exchange.caller.db.withRequest({ http }) } };
}

/** The owner of a request's slots: the person with all their sessions, a visitor's network, the secret key. */
function callerKeyOf(request: FastifyRequest): string {
  const { identity } = callerOf(request);
  switch (identity.role) {
    case 'authenticated':
      return identity.claims.sub;
    case 'api_key':
      return identity.keyId;
    case 'anon':
    case 'service_role':
      return `${identity.role} ${networkOf(request.ip)}`;
  }
}

function wildcardOf(request: FastifyRequest): string {
  const { '*': wildcard } = request.params as { readonly '*': string };
  return wildcard;
}

async function answer(exchange: Exchange, cache: SchemaCache, path: string): Promise<Reply> {
  const [first = '', second, ...deeper] = path.split('/');
  if (first === '' && second === undefined) return describeSchema(exchange, cache);
  if (deeper.length > 0 || (second !== undefined && first !== 'rpc') || second === '') {
    throw new RestError(404, 'PGRST125', 'Invalid path specified in request URL');
  }
  const { method } = exchange;
  if (second !== undefined) {
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      throw new RestError(405, 'PGRST101', `Cannot use the ${method} method on RPC`);
    }
    return callFunction(exchange, cache, second);
  }
  const relation = cache.relations.get(first);
  if (relation === undefined) {
    throw unknownTable(first, exchange, cache);
  }
  switch (method) {
    case 'GET':
    case 'HEAD':
      return readRelation(exchange, cache, relation);
    case 'POST':
    case 'PATCH':
    case 'PUT':
    case 'DELETE':
      return writeRelation(exchange, cache, relation);
    default:
      throw new RestError(405, 'PGRST117', `Unsupported HTTP method: ${method}`);
  }
}

/** Among the tables that the caller may read, the one that was probably meant is named. */
function unknownTable(name: string, { caller: { identity } }: Exchange, { relations }: SchemaCache): RestError {
  const known = [...relations.values()].filter(({ roles }) => roles.has(identity.role));
  const near = nearName(
    name,
    known.map((one) => one.name),
  );
  return new RestError(404, 'PGRST205', `Could not find the table 'public.${name}' in the schema cache`, {
    hint: near === null ? null : `Perhaps you meant the table 'public.${near}'`,
  });
}

function send(reply: FastifyReply, { status, headers, body }: Reply): FastifyReply {
  return reply
    .status(status)
    .headers(headers)
    .send(body ?? '');
}

/** Codes of an unknown table, column, function or relationship, which a migration may have made since. */
const UNKNOWN_NAME = new Set(['42P01', '42703', '42883', 'PGRST200', 'PGRST202', 'PGRST204', 'PGRST205']);

function isAboutUnknownName(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && UNKNOWN_NAME.has(error.code);
}
