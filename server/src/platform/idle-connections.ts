import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds how many connections may wait without a request, by letting the one go that has waited longest: thousands of silent
 * connections then take no memory from those who ask (D-75). One that speaks, or became a WebSocket, is not touched.
 *
 * @param most how many may wait; a browser opens again what was closed.
 */
export function boundIdleConnections(server: Server, most: number): void {
  /** In the order in which they fell silent. */
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
