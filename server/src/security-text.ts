import type { FastifyInstance } from 'fastify';

import type { Services } from './platform/services.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** RFC 9116 asks for less than a year, so that an abandoned file expires. */
const VALID_DAYS = 180;

/** /.well-known/security.txt (RFC 9116): the contact for reporting a vulnerability. */
export default async function securityText(
  app: FastifyInstance,
  services: Pick<Services, 'config' | 'publicUrl' | 'clock'>,
): Promise<void> {
  app.get('/.well-known/security.txt', async (_request, reply) => {
    const address = services.publicUrl();
    const expires = new Date(services.clock.now().getTime() + VALID_DAYS * DAY_MS);
    const lines = [
      `Contact: ${services.config.securityContact ?? `${address}/`}`,
      `Expires: ${expires.toISOString()}`,
      'Preferred-Languages: fr, en',
      `Canonical: ${address}/.well-known/security.txt`,
    ];
    return reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(`${lines.join('\n')}\n`);
  });
}
