import type { FastifyInstance } from 'fastify';

import type { Services } from '#platform/services';

/** The door /storage/v1. */
export default async function storage(app: FastifyInstance, _services: Services): Promise<void> {
  app.all('/*', async (_request, reply) =>
    reply.status(404).send({ code: 'not_found', message: 'Not found', details: null, hint: null }),
  );
}
