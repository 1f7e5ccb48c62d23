import type { FastifyInstance } from 'fastify';

import type { Services } from '../platform/services.ts';
import { openApi, readTables } from './open-api.ts';
import { docsPage } from './page.ts';

/** WH-01: `/docs/api` and its OpenAPI: what keys of the company may do on this very installation. */
export default async function apiDocs(app: FastifyInstance, services: Services): Promise<void> {
  app.get('/docs/api', async (_request, reply) => {
    const { html, policy } = docsPage(services.publicUrl(), await readTables(services));
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'cache-control': 'no-cache',
        'x-robots-tag': 'noindex',
      })
      .send(html);
  });
  app.get('/docs/api/openapi.json', async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(openApi(services.publicUrl(), await readTables(services))),
  );
}
