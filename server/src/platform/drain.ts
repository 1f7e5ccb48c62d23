import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Socket } from 'node:net';
import { setImmediate as nextRound, setTimeout as wait } from 'node:timers/promises';

declare module 'fastify' {
  interface FastifyInstance {
    /** Hands this server's requests over to others, in the time it is given twice at most; then it may close. */
    readonly drain: (milliseconds: number) => Promise<void>;
  }
}

/** Connections that are still open when the port is closed get this long to end by themselves, at most. */
const LEAVING_MS_MAX = 5000;

/**
 * Adds `drain`, in the order in which a proxy loses no request.
 *
 * First /health/ready says 503 and everything is answered as before: a proxy that asks for it sends new requests to
 * another node. Connections stay open meanwhile, so that a proxy which does not ask opens no new ones.
 * Then the port is closed: a proxy that does not ask is refused, and tries another node with nothing sent yet. What is
 * open is answered still, and closed with the answer. A connection without a request is left to the proxy to close: one
 * that we close may have a request on its way, which nobody may send twice.
 *
 * @returns whether the server is stopping, for the readiness check.
 */
export function addDrain(app: FastifyInstance): () => boolean {
  let isDraining = false;
  let isLeaving = false;
  const open = openConnections(app.server);

  app.decorate('drain', async (milliseconds: number) => {
    isDraining = true;
    await wait(milliseconds);
    isLeaving = true;
    await stopListening(app.server);
    const deadline = Date.now() + Math.min(milliseconds, LEAVING_MS_MAX);
    while (open.size > 0 && Date.now() < deadline) await wait(20);
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isLeaving) void reply.header('connection', 'close');
  });
  return () => isDraining;
}

/** The connections that carry requests; a WebSocket is the realtime door's to close. */
function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => open.delete(socket));
  return open;
}

/** Closes the port alone: `http.Server.close` would also close the connections that wait for a request. */
async function stopListening(server: Server): Promise<void> {
  // Just after the loop accepted what was waiting: a connection that nobody has accepted is reset with the port.
  await nextRound();
  NetServer.prototype.close.call(server);
}
