import type { FastifyInstance } from 'fastify';

import { demoHint } from './demo.ts';
import type { Services } from './platform/services.ts';

/** /config.json: what the page must know before it can call anything. */
export default async function publicConfig(app: FastifyInstance, services: Services): Promise<void> {
  const { config, keys, publicUrl } = services;
  app.get('/config.json', async (_request, reply) => {
    void reply.header('cache-control', 'no-store');
    return {
      // Never the name that a request gives itself. The page that came under another one asks where it came from.
      apiUrl: publicUrl(),
      publishableKey: keys.publishableKey,
      demo: await demoHint(services),
      calendlyUrl: config.calendlyUrl,
    };
  });
}
