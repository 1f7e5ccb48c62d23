/** One answer of an HTTP/1.1 server. */
export type Response = {
  readonly status: number;
  /** Of the body. */
  readonly bytes: number;
  readonly body: () => Buffer;
};

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/**
 * Reads the answers of one connection that never has two requests under way. It does as little as a reader can, so that
 * what is measured is the server.
 */
export function responseReader(): { readonly read: (chunk: Buffer) => Response | null } {
  let parts: Buffer[] = [];
  let received = 0;
  /** Null until the head is there. */
  let head: { readonly status: number; readonly start: number; readonly length: number | null } | null = null;

  return {
    read(chunk) {
      parts.push(chunk);
      received += chunk.length;
      if (head === null) {
        const all = parts.length === 1 ? chunk : Buffer.concat(parts);
        parts = [all];
        const end = all.indexOf(HEAD_END);
        if (end === -1) return null;
        const text = all.toString('latin1', 0, end);
        const length = /\r\ncontent-length: *(\d+)/iu.exec(text)?.[1];
        const isChunked = /\r\ntransfer-encoding: *chunked/iu.test(text);
        head = {
          status: Number(text.slice(9, 12)),
          start: end + HEAD_END.length,
          length: isChunked ? null : Number(length ?? 0),
        };
      }
      const { status, start, length } = head;
      const isWhole =
        length === null
          ? received >= start + LAST_CHUNK.length && endsWith(parts, LAST_CHUNK)
          : received >= start + length;
      if (!isWhole) return null;
      const all = parts;
      const bytes = received - start;
      parts = [];
      received = 0;
      head = null;
      return {
        status,
        bytes,
        body: () => {
          const raw = Buffer.concat(all).subarray(start);
          return length === null ? unchunked(raw) : raw;
        },
      };
    },
  };
}

function endsWith(parts: readonly Buffer[], ending: Buffer): boolean {
  const last = parts.at(-1);
  if (last === undefined) return false;
  if (last.length >= ending.length) return last.subarray(-ending.length).equals(ending);
  return Buffer.concat(parts).subarray(-ending.length).equals(ending);
}

function unchunked(raw: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = raw.indexOf('\r\n', at);
    const size = Number.parseInt(raw.toString('latin1', at, end), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(raw.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
