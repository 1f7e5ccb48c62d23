import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux and macOS give out by themselves: none of these is taken by a connection, or by another test's server. */
const FIRST = 20_000;
const LAST = 31_999;

/** A port that nobody listens on, and that nobody is given until the test listens there, or while it starts a server again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST + 1 - FIRST));
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    } finally {
      server.close();
    }
  }
}
