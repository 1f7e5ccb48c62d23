import type { FastifyInstance } from 'fastify';

import type { Services } from '#platform/services';

/** The door /functions/v1. */
export default async function functions(app: FastifyInstance, _services: Services): Promise<void> {
  app.all('/*', async (_request, reply) => reply.status(404).send({ error: 'Adresse inconnue.', code: 'not_found' }));
}
