import Fastify from 'fastify';
import type { AddressInfo } from 'node:net';

import authDoor from '#auth';

import type { Reachable } from './index.ts';

/**
 * Runs a test against an authentication door of its own, over the server's database, that gives a request a minute instead of
 * ten seconds: password hashes run one after the other, so a burst of them outlasts the timeout on a busy machine.
 */
export async function withPatientAuth(
  { services }: Reachable,
  run: (server: Reachable) => Promise<void>,
): Promise<void> {
  const app = Fastify({ trustProxy: true });
  await app.register(async (scope) => authDoor(scope, services, { requestSeconds: 60 }), { prefix: '/auth/v1' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  try {
    await run({ url: `http://127.0.0.1:${port}`, services });
  } finally {
    await app.close();
  }
}
