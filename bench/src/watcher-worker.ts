import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

// Many people who watch the same table, each on a WebSocket of their own: what they are told is counted, frame by frame.

export type WatcherJob =
  | {
      readonly kind: 'open';
      readonly host: string;
      readonly port: number;
      readonly key: string;
      readonly tokens: readonly string[];
    }
  | { readonly kind: 'report' };

export type WatcherReport = {
  /** By `<sale> <version>`: how often each socket was told, by its place. */
  readonly told: ReadonlyMap<string, Uint8Array>;
  /** Latency histogram since the change's transaction began: count by tenth of a millisecond. */
  readonly latencies: Uint32Array;
  /** Why sockets were closed, or channels failed. */
  readonly troubles: readonly string[];
};

export type WatcherAnswer = { readonly opened: true } | { readonly report: WatcherReport } | { readonly error: string };

const OPENED_AT_ONCE = 40;
const HEARTBEAT_MS = 20_000;
const TENTHS = 100_000;

const sockets: Socket[] = [];
const troubles: string[] = [];
let told = new Map<string, Uint8Array>();
let latencies = new Uint32Array(TENTHS);

process.on('message', (job: WatcherJob) => {
  answerOf(job).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});

async function answerOf(job: WatcherJob): Promise<WatcherAnswer> {
  if (job.kind === 'report') {
    const report: WatcherReport = { told, latencies, troubles: troubles.splice(0) };
    told = new Map();
    latencies = new Uint32Array(TENTHS);
    return { report };
  }
  const waiting = job.tokens.map((token, place) => ({ token, place }));
  await Promise.all(
    Array.from({ length: OPENED_AT_ONCE }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        sockets.push(await open(job, next.token, next.place, job.tokens.length));
      }
    }),
  );
  let turn = 0;
  // One after the other, not all at once.
  setInterval(() => {
    turn += 1;
    sockets[turn % sockets.length]?.write(frame(`[null,"h","phoenix","heartbeat",{}]`));
  }, HEARTBEAT_MS / sockets.length);
  return { opened: true };
}

/** Opens a socket and joins a channel; ends once changes flow. */
async function open(
  { host, port, key }: { readonly host: string; readonly port: number; readonly key: string },
  token: string,
  place: number,
  count: number,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    let isOpen = false;
    let rest: Buffer = Buffer.alloc(0);
    socket.on('connect', () => {
      socket.write(
        `GET /realtime/v1/websocket?apikey=${key}&vsn=2.0.0 HTTP/1.1\r\nhost: ${host}:${port}\r\nconnection: Upgrade\r\n` +
          `upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
      );
    });
    socket.on('error', reject);
    socket.on('close', () => {
      troubles.push('A socket was closed');
      reject(new Error('A socket was closed'));
    });
    socket.on('data', (chunk: Buffer) => {
      const now = performance.timeOrigin + performance.now();
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (!isOpen) {
        const end = rest.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!rest.toString('latin1', 0, 12).endsWith('101')) reject(new Error(rest.toString('latin1', 0, end)));
        rest = rest.subarray(end + 4);
        isOpen = true;
        const changes = [{ event: '*', schema: 'public', table: 'sales' }];
        const join = { config: { postgres_changes: changes }, access_token: token };
        socket.write(frame(JSON.stringify(['1', '1', 'realtime:bench', 'phx_join', join])));
      }
      for (;;) {
        const length = lengthOf(rest);
        if (length === null || rest.length < length.head + length.body) return;
        const text = rest.toString('latin1', length.head, length.head + length.body);
        rest = rest.subarray(length.head + length.body);
        if (text.includes('"type":"UPDATE"')) takeNote(text, now, place, count);
        else if (text.includes('Subscribed to PostgreSQL')) resolve(socket);
        else if (text.includes('phx_error') || text.includes('"status":"error"')) troubles.push(text.slice(0, 300));
      }
    });
  });
}

function takeNote(text: string, now: number, place: number, count: number): void {
  const id = after(text, '"record":{"id":"', 36);
  const name = `${id} ${Number.parseInt(after(text, '"version":', 12), 10)}`;
  let counts = told.get(name);
  if (counts === undefined) {
    counts = new Uint8Array(count);
    told.set(name, counts);
  }
  counts[place] = (counts[place] ?? 0) + 1;
  // As PostgreSQL writes it: microseconds, of which dates keep three digits.
  const written = after(text, '"updated_at":"', 32);
  const fraction = /[.](\d+)/u.exec(written)?.[1] ?? '0';
  const at = Date.parse(`${written.slice(0, 19)}Z`) + Number(`0.${fraction}`) * 1000;
  const tenth = Math.max(0, Math.min(TENTHS - 1, Math.round((now - at) * 10)));
  latencies[tenth] = (latencies[tenth] ?? 0) + 1;
}

function after(text: string, mark: string, length: number): string {
  const at = text.indexOf(mark) + mark.length;
  return text.slice(at, at + length);
}

/** Byte length of a frame's head and body; null while incomplete. */
function lengthOf(bytes: Buffer): { readonly head: number; readonly body: number } | null {
  if (bytes.length < 2) return null;
  const short = bytes.readUInt8(1) & 127;
  if (short < 126) return { head: 2, body: short };
  if (short === 126) return bytes.length < 4 ? null : { head: 4, body: bytes.readUInt16BE(2) };
  return bytes.length < 10 ? null : { head: 10, body: Number(bytes.readBigUInt64BE(2)) };
}

/** A text as a client sends it. Its mask is zero, which leaves the words as they are. */
function frame(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(body.length < 126 ? 6 : 8);
  head[0] = 0x81;
  head[1] = 0x80 | Math.min(body.length, 126);
  if (body.length >= 126) head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}
