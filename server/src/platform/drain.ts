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
 * First /health/ready answers 503 and everything else as before: a proxy that checks it sends new requests to another
 * node. Connections stay open meanwhile, so that a proxy without the check opens no new ones.
 * Then the port is closed: a proxy without the check is refused, and tries another node with nothing sent yet. Open
 * requests are answered, and their connections closed. The proxy closes the connections without a request: one that we
 * close may have a request on its way, and no proxy may send it twice.
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
    await stopListening(app.server);
    // Only now: whoever is told to close opens another connection, and would find it unaccepted as the port closes.
    isLeaving = true;
    const deadline = Date.now() + Math.min(milliseconds, LEAVING_MS_MAX);
    while (open.size > 0 && Date.now() < deadline) await wait(20);
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isLeaving) void reply.header('connection', 'close');
  });
  return () => isDraining;
}

/** A round of the event loop that is shorter did nothing but accept and read. */
const QUIET_ROUND_MS = 0.5;
const ROUNDS_MAX = 1000;

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
  let accepted = 0;
  const count = () => (accepted += 1);
  server.on('connection', count);
  // An unaccepted connection is reset with the port, and the event loop accepts one of them a round: the port is closed right after
  // a round that found none. A round that did other work looked too long ago.
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const [before, started] = [accepted, performance.now()];
    await nextRound();
    if (accepted === before && performance.now() - started < QUIET_ROUND_MS) break;
  }
  server.off('connection', count);
  NetServer.prototype.close.call(server);
}
