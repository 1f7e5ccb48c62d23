import type { FastifyReply } from 'fastify';
import { once } from 'node:events';
import { setImmediate as nextRound } from 'node:timers/promises';

import { PATIENCE_MS } from './read-list.ts';

/** However slowly it is read, a file has left by then: it holds a snapshot of the database. */
const DURATION_MS_MAX = 15 * 60_000;

export type SentFile = {
  readonly name: string;
  readonly type: string;
  /** A guess, for a bar that shows how far it is. */
  readonly length: number;
  readonly parts: AsyncIterable<string | Buffer> | Iterable<string | Buffer>;
};

/**
 * Sends a file as fast as it is read. Whatever fails, the connection is reset instead of ended: a file that was cut is never
 * taken for a whole one, not even by a proxy that speaks HTTP/1.0.
 */
export async function sendFile(reply: FastifyReply, { name, type, length, parts }: SentFile): Promise<void> {
  const { raw } = reply;
  if (raw.destroyed) return;
  const cut = new AbortController();
  const cutFor = (reason: string) => (): void => cut.abort(new Error(reason));
  const leave = cutFor('The caller left');
  raw.once('close', leave);
  const deadline = setTimeout(cutFor('The file took too long'), DURATION_MS_MAX);
  reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': type,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'cache-control': 'no-store',
    'x-estimated-length': String(length),
  });
  try {
    for await (const part of parts) {
      cut.signal.throwIfAborted();
      if (!raw.write(part)) {
        const patience = setTimeout(cutFor('The caller reads too slowly'), PATIENCE_MS);
        await once(raw, 'drain', { signal: cut.signal }).finally(() => clearTimeout(patience));
      }
      // Other people's requests come between two parts.
      await nextRound();
    }
    raw.off('close', leave);
    raw.end();
  } catch (error) {
    raw.socket?.resetAndDestroy();
    raw.destroy();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}
