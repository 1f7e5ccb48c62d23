import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Caps idle keep-alive connections: above `most`, the one that is idle longest is closed (D-75). Active requests and
 * WebSockets do not count.
 *
 * @param most the most idle connections; a browser reopens a closed one.
 */
export function boundIdleConnections(server: Server, most: number): void {
  /** The idle ones, longest first. */
  const idle = new Set<Socket>();

  function wait(socket: Socket): void {
    if (socket.destroyed) return;
    idle.add(socket);
    if (idle.size <= most) return;
    const [longest] = idle;
    longest?.destroy();
    if (longest !== undefined) idle.delete(longest);
  }

  server.on('connection', (socket: Socket) => {
    socket.once('close', () => idle.delete(socket));
    wait(socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    response.once('close', () => wait(socket));
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => idle.delete(socket));
}
