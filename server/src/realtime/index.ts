import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';

import type { Services } from '#platform/services';

import { createChangeSource } from './changes/source.ts';
import { createDelivery } from './changes/delivery.ts';
import { broadcastRoutes } from './rooms/http-broadcast.ts';
import { FRAME_BYTES_MAX } from './limits.ts';
import { createNodes } from './rooms/nodes.ts';
import { createRooms } from './rooms/rooms.ts';
import { serveSocket } from './socket.ts';
import type { Socket } from './socket.ts';
import { readTables } from './changes/tables.ts';
import type { Tables } from './changes/tables.ts';
import { networkOfUpgrade, admission, refuseUpgrade } from './upgrade.ts';

const CHECK_SOCKETS_MS = 1000;
/** A node that stops closes its sockets over this time, so that not all clients come back at once. */
const CLOSING_MS = 2000;
const CLOSED_AT_ONCE = 50;
const KEPT_FOR = '1 hour';

/** The door /realtime/v1: a WebSocket for changed rows, broadcasts and presence (RT-01, RT-02). */
export default async function realtime(app: FastifyInstance, services: Services): Promise<void> {
  const { db, listener, log, jobs } = services;
  let tables: Tables = new Map();
  let isStopping = false;
  const sockets = new Set<Socket>();
  const networks = new Map<string, number>();

  const delivery = createDelivery({
    db,
    log,
    tables: () => tables,
    async refreshTables() {
      tables = await readTables(db);
    },
  });
  const changes = createChangeSource({
    listener,
    log,
    isWatched: () => sockets.size > 0,
    deliver: (batch) => delivery.deliver(batch),
    onGap: () => delivery.failAll('Changes may have been missed'),
  });
  const nodes = createNodes(listener, log);
  const rooms = createRooms(nodes, log);
  db.onCommit(() => changes.wake('own commit'));

  // One node cleans up for all; entries that others have yet to read are far younger.
  jobs.define('realtime-cleanup', async () => {
    await db.asService('realtime: cleanup', async (tx) => {
      await tx.query(`delete from private.changes where at < now() - interval '${KEPT_FOR}'`);
      await tx.query(`delete from private.node_messages where at < now() - interval '1 minute'`);
      await tx.query('delete from private.kept_broadcasts where expires_at < now()');
    });
  });
  jobs.schedule('realtime-cleanup', '* * * * *');

  services.gauges.set('parrain_realtime_sockets', { help: 'Open sockets', read: () => sockets.size });

  const server = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const count = { total: () => sockets.size, of: (network: string) => networks.get(network) ?? 0 };

  function onUpgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const admitted = isStopping
      ? { status: 503 as const, error: 'The server is stopping' }
      : admission(request, services, count);
    if ('error' in admitted) {
      refuseUpgrade(stream, admitted);
      return;
    }
    server.handleUpgrade(request, stream, head, (ws) => {
      const network = networkOfUpgrade(request, services.config.trustProxy);
      const socket = serveSocket(ws, stream, admitted, {
        services,
        delivery,
        rooms,
        tables: () => tables,
        caughtUp: changes.caughtUp,
      });
      sockets.add(socket);
      networks.set(network, count.of(network) + 1);
      ws.once('close', () => {
        sockets.delete(socket);
        const left = count.of(network) - 1;
        if (left > 0) networks.set(network, left);
        else networks.delete(network);
      });
    });
  }

  const timer = setInterval(() => {
    for (const socket of sockets) socket.check();
  }, CHECK_SOCKETS_MS);
  timer.unref();

  app.addHook('onReady', async () => {
    tables = await readTables(db);
    await listener.start();
    await changes.start();
    app.server.on('upgrade', onUpgrade);
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    clearInterval(timer);
    rooms.stop();
    await nodes.drain();
    await closeSockets();
    changes.stop();
  });

  async function closeSockets(): Promise<void> {
    const open = [...sockets];
    const rounds = Math.max(1, Math.min(20, Math.ceil(open.length / CLOSED_AT_ONCE)));
    const size = Math.ceil(open.length / rounds);
    for (let round = 0; round < rounds; round += 1) {
      for (const socket of open.slice(round * size, (round + 1) * size)) socket.close(1012, 'The server restarts');
      if (rounds > 1) await new Promise((resolve) => setTimeout(resolve, CLOSING_MS / rounds));
    }
    const until = Date.now() + 500;
    while (sockets.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const socket of sockets) socket.terminate();
  }

  app.get('/websocket', async (_request, reply) =>
    reply.status(426).header('upgrade', 'websocket').send({ error: 'This address speaks WebSocket only' }),
  );
  await app.register(async (scope) => broadcastRoutes(scope, services, rooms));
}
