import type { FastifyInstance } from 'fastify';
import { setTimeout as wait } from 'node:timers/promises';

import { retryAfterOf, unavailable } from './errors.ts';
import type { Services } from './services.ts';
import { diskUnder } from './system-figures.ts';

const PING_TIMEOUT_MS = 2000;

/**
 * /health/live: the process answers. /health/ready and /health: the database does too, there is room to write, and the
 * server is not stopping. A line is written when that changes, and none for each question.
 */
export default async function health(
  app: FastifyInstance,
  services: Pick<Services, 'db' | 'config' | 'log'>,
  isDraining: () => boolean,
): Promise<void> {
  app.get('/health/live', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));

  let wasReady = true;
  const note = (isReady: boolean, state: object): void => {
    if (isReady === wasReady) return;
    wasReady = isReady;
    if (isReady) services.log.info('Ready again');
    else services.log.warn(state, 'Not ready');
  };

  for (const path of ['/health', '/health/ready']) {
    app.get(path, async (_request, reply) => {
      void reply.header('cache-control', 'no-store');
      if (isDraining()) return reply.status(503).send({ status: 'stopping' });
      const [isAnswering, isFull] = await Promise.all([answers(services), isDiskFull(services)]);
      note(isAnswering && !isFull, { isDatabaseAnswering: isAnswering, isDiskFull: isFull });
      if (isAnswering && !isFull) return { status: 'ok', database: 'ok' };
      const failure = unavailable();
      return reply
        .status(failure.status)
        .header('retry-after', String(retryAfterOf(failure) ?? 1))
        .send({
          status: 'unavailable',
          database: isAnswering ? 'ok' : 'unavailable',
          ...(isFull ? { disk: 'full' } : {}),
        });
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

/** PostgreSQL stops where it cannot have its next segment of log, which is this large. */
const DISK_LEFT_MIN_BYTES = 16 * 1024 * 1024;

/**
 * True when the embedded database is about to run out of disk. An external PostgreSQL's disk is invisible here: it refuses writes, or stops
 * answering.
 */
async function isDiskFull({ config }: Pick<Services, 'config'>): Promise<boolean> {
  if (config.databaseUrl !== null) return false;
  const disk = await diskUnder(config.dataDir).catch(() => null);
  return disk !== null && disk.freeBytes < DISK_LEFT_MIN_BYTES;
}
