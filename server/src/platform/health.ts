import type { FastifyInstance } from 'fastify';
import { setTimeout as wait } from 'node:timers/promises';

import { retryAfterOf, unavailable } from './errors.ts';
import type { Services } from './services.ts';

const PING_TIMEOUT_MS = 2000;

/** /health/live: the process answers. /health/ready and /health: the database does too, and the server is not stopping. */
export default async function health(
  app: FastifyInstance,
  services: Pick<Services, 'db'>,
  isDraining: () => boolean,
): Promise<void> {
  app.get('/health/live', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));

  for (const path of ['/health', '/health/ready']) {
    app.get(path, async (_request, reply) => {
      void reply.header('cache-control', 'no-store');
      if (isDraining()) return reply.status(503).send({ status: 'stopping' });
      if (await answers(services)) return { status: 'ok', database: 'ok' };
      const failure = unavailable();
      return reply
        .status(failure.status)
        .header('retry-after', String(retryAfterOf(failure) ?? 1))
        .send({ status: 'unavailable', database: 'unavailable' });
    });
  }
}

async function answers(services: Pick<Services, 'db'>): Promise<boolean> {
  const timeout = new AbortController();
  try {
    return await Promise.race([
      services.db.ping().then(
        () => true,
        () => false,
      ),
      wait(PING_TIMEOUT_MS, false, { signal: timeout.signal, ref: false }).catch(() => false),
    ]);
  } finally {
    timeout.abort();
  }
}
