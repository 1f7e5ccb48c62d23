import compress from '@fastify/compress';
import cors from '@fastify/cors';
import Fastify, { errorCodes, LogController } from 'fastify';
import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';

import apiDocs from './api-docs/index.ts';
import { addDrain } from './platform/drain.ts';
import { sendFailure } from './platform/errors.ts';
import oneClick from './one-click.ts';
import health from './platform/health.ts';
import { boundIdleConnections } from './platform/idle-connections.ts';
import { loggedAddress, redactUrl } from './platform/log.ts';
import { serveMetrics } from './platform/metrics.ts';
import { ANONYMOUS_BYTES_MAX, parseJsonBodies } from './platform/request-body.ts';
import type { Services } from './platform/services.ts';
import publicConfig from './public-config.ts';
import referralPage from './referral-page/index.ts';
import securityText from './security-text.ts';
import site from './site.ts';

/** The doors, in the order in which they are registered; each name is its folder and its prefix. */
const DOORS = {
  auth: () => import('./auth/index.ts'),
  rest: () => import('./rest/index.ts'),
  functions: () => import('./functions/index.ts'),
  storage: () => import('./storage/index.ts'),
  realtime: () => import('./realtime/index.ts'),
  exports: () => import('./exports/index.ts'),
} as const;

export type Door = keyof typeof DOORS;

const ALL_DOORS: readonly Door[] = ['auth', 'rest', 'functions', 'storage', 'realtime', 'exports'];

/** Reads the doors' programs, which takes as long as a database takes to start: before it has. */
export async function readDoors(): Promise<void> {
  await Promise.all(ALL_DOORS.map((name) => DOORS[name]()));
}

/** Timeout for receiving a whole request, body included. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Some nine kilobytes each. */
const IDLE_CONNECTIONS_MAX = 2000;

const ROUTINE = /^\/(?:health|metrics)(?:\/|$)/u;

/**
 * The map: what every request goes through, then the doors with their prefixes, in this order. Nothing is shared between
 * two doors but the platform.
 */
export async function buildApp(
  services: Services,
  doors: readonly Door[] = ALL_DOORS,
  requestTimeoutMs: number = REQUEST_TIMEOUT_MS,
): Promise<FastifyInstance> {
  const { config } = services;
  const app = Fastify({
    loggerInstance: services.log as never,
    // One line per request, written at its end by the hook below.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // For whoever comes. A door lets those in with more whom it knows.
    bodyLimit: ANONYMOUS_BYTES_MAX,
    requestTimeout: requestTimeoutMs,
    // Node compares its clock with the longer of the two limits, and only as often as it is told to.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: Math.min(1000, requestTimeoutMs) },
    keepAliveTimeout: 65_000,
    trustProxy: (_address, hop) => hop < config.trustProxy,
    forceCloseConnections: 'idle',
    // Graceful shutdown: requests on open keep-alive connections are still answered.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, request, reply) => void sendFailure(request, reply as never, error),
  }) as unknown as FastifyInstance;

  app.removeContentTypeParser('application/json');
  parseJsonBodies(app);
  boundIdleConnections(app.server, IDLE_CONNECTIONS_MAX);

  // A connection whose request ends while the server closes would be kept alive, and the server with it.
  app.addHook('preClose', async () => {
    const timer = setInterval(() => app.server.closeIdleConnections(), 50);
    app.server.once('close', () => clearInterval(timer));
  });

  const isDraining = addDrain(app);

  app.decorateRequest('caller', null);
  app.decorateRequest('who', null);
  app.setErrorHandler(async (error, request, reply) => sendFailure(request, reply, error));

  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      // A door's answer is data: it may load and frame nothing. The site says more for its pages.
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    if (config.hsts !== null && services.publicUrl().startsWith('https:')) {
      void reply.header('strict-transport-security', config.hsts);
    }
  });
  app.addHook('onRequest', async (request) => {
    const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
    // No client compresses what it sends: unpacking it would only be work that a stranger chooses.
    if (encoding !== 'identity') throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(encoding);
  });
  // Its fields are known: nothing among them is to be looked for and hidden, but in the address, where it was.
  const requestLog = services.log.child({}, { redact: [] });
  app.addHook('onResponse', async (request, reply) => {
    // Proxies ask twice a second, and a monitor every few: what went well is no event (DF-74).
    const isRoutine = reply.statusCode < 400 && ROUTINE.test(request.routeOptions.url ?? '');
    requestLog[isRoutine ? 'debug' : 'info'](
      {
        reqId: request.id,
        method: request.method,
        url: redactUrl(request.url),
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        who: request.who,
        address: loggedAddress(request.ip, config.logAddress),
      },
      'request',
    );
  });

  // Before the doors: a hook counts the requests of those that are registered after it.
  await serveMetrics(app, services);
  await app.register(cors, {
    origin: config.corsOrigins.includes('*') ? '*' : [...config.corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 7200,
    strictPreflight: false,
  });
  // Answers only: a request that names an encoding and holds another would leave its connection stuck, half read.
  await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'], globalDecompression: false });

  for (const name of doors) {
    const { default: door } = await DOORS[name]();
    await app.register(async (scope) => door(scope, services), { prefix: `/${name}/v1` });
  }

  await app.register(async (scope) => publicConfig(scope, services));
  await app.register(async (scope) => securityText(scope, services));
  await app.register(async (scope) => oneClick(scope, services));
  await app.register(async (scope) => apiDocs(scope, services));
  await app.register(async (scope) => referralPage(scope, services));
  await app.register(async (scope) => health(scope, services, isDraining));
  await site(app, services);
  return app;
}

/** Named one by one: `*` would never cover Authorization. */
const ALLOWED_HEADERS = [
  'authorization',
  'apikey',
  'content-type',
  'x-client-info',
  'accept-profile',
  'content-profile',
  'prefer',
  'range',
  'range-unit',
  'x-region',
  'x-upsert',
  'x-metadata',
  'cache-control',
  'content-encoding',
  'x-retry-count',
  'traceparent',
  'tracestate',
  'baggage',
  'x-supabase-api-version',
  'idempotency-key',
];

const EXPOSED_HEADERS = [
  'content-range',
  'content-location',
  'location',
  'link',
  'x-total-count',
  'preference-applied',
  'content-profile',
  'retry-after',
  'proxy-status',
  'www-authenticate',
  'x-relay-error',
  'x-sb-error-code',
  'x-supabase-api-version',
  'content-disposition',
  'x-estimated-length',
  'etag',
  'x-request-id',
];
