import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

import { BadFrame, objectOf, readBinaryFrame, readTextFrame, textFrame } from './frames.ts';
import type { Frame, PushedBroadcast } from './frames.ts';
import { join } from './join.ts';
import { EMPTY_PAYLOAD } from './joined-channel.ts';
import type { Door, JoinedChannel, Wire } from './joined-channel.ts';
import {
  BUFFERED_BYTES_MAX,
  BYTES,
  createBucket,
  FRAMES,
  IDLE_MS,
  JOINS,
  PENDING_BYTES_MAX,
  PENDING_FRAMES_MAX,
  PRESENCE_BYTES_MAX,
} from './limits.ts';
import { keepMessage, NotKept, secondsToKeep } from './rooms/kept-messages.ts';
import type { Connection } from './upgrade.ts';

export type Socket = {
  /** Closes a silent socket, and channels whose token or session has ended. */
  readonly check: () => void;
  readonly close: (code: number, reason: string) => void;
  readonly terminate: () => void;
};

/** The time that a client has to answer a close frame. */
const CLOSE_GRACE_MS = 2000;

/**
 * Speaks the protocol of the official client over one WebSocket, whose channels are each shown to a viewer of their own.
 * @param stream the WebSocket's own: a frame that goes to many sockets is encoded once and written to it.
 */
export function serveSocket(ws: WebSocket, stream: Duplex, connection: Connection, door: Door): Socket {
  const { services, rooms } = door;
  const { version } = connection;
  const channels = new Map<string, JoinedChannel>();
  const takeFrame = createBucket(FRAMES);
  const takeBytes = createBucket(BYTES);
  const takeJoin = createBucket(JOINS);
  let heardAt = performance.now();
  let isClosing = false;
  let pending = 0;
  let pendingBytes = 0;
  /** The end of the queue: frames are answered in the order in which they came. */
  let answered = Promise.resolve();

  function close(code: number, reason: string): void {
    if (isClosing) return;
    isClosing = true;
    leaveAll();
    ws.close(code, reason);
    setTimeout(() => ws.terminate(), CLOSE_GRACE_MS).unref();
  }

  function leaveAll(): void {
    for (const channel of channels.values()) channel.end();
    channels.clear();
  }

  function mayWrite(): boolean {
    if (isClosing) return false;
    if (ws.bufferedAmount <= BUFFERED_BYTES_MAX) return true;
    close(1013, 'The client does not read');
    return false;
  }

  function send(text: string): void {
    if (mayWrite()) ws.send(text);
  }

  function sendWritten(frame: Buffer): void {
    if (mayWrite() && ws.readyState === ws.OPEN) stream.write(frame);
  }

  function reply(frame: Frame, status: 'ok' | 'error', response = EMPTY_PAYLOAD): void {
    const { ref, topic, joinRef } = frame;
    send(
      textFrame(version, { joinRef, ref, topic, event: 'phx_reply' }, `{"status":"${status}","response":${response}}`),
    );
  }

  function refuse(frame: Frame, reason: string): void {
    reply(frame, 'error', JSON.stringify({ reason }));
  }

  const wire: Wire = { connection, send, sendWritten, forget: (topic) => channels.delete(topic) };

  ws.on('message', (data: RawData, isBinary) => {
    if (isClosing) return;
    heardAt = performance.now();
    const bytes = data as Buffer;
    if (!takeFrame() || !takeBytes(bytes.length)) {
      close(1008, 'Too many messages');
      return;
    }
    let frame: Frame;
    try {
      frame = isBinary ? readBinaryFrame(bytes) : readTextFrame(bytes.toString('utf8'), version);
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      close(1007, error.message);
      return;
    }
    // Answered ahead of the queue: the client reconnects without it.
    if (frame.topic === 'phoenix' && frame.event === 'heartbeat') {
      reply(frame, 'ok');
      return;
    }
    pending += 1;
    pendingBytes += bytes.length;
    if (pending >= PENDING_FRAMES_MAX || pendingBytes >= PENDING_BYTES_MAX) ws.pause();
    answered = answered
      .then(() => (isClosing ? undefined : answer(frame)))
      .catch((error: unknown) => {
        services.log.warn({ err: error }, 'A realtime message could not be answered');
        refuse(frame, 'ServiceUnavailable: Come back shortly');
      })
      .finally(() => {
        pending -= 1;
        pendingBytes -= bytes.length;
        if (ws.isPaused && pending < PENDING_FRAMES_MAX / 2 && pendingBytes < PENDING_BYTES_MAX / 2) ws.resume();
      });
  });
  ws.on('close', () => {
    isClosing = true;
    leaveAll();
  });
  ws.on('error', () => {
    isClosing = true;
    leaveAll();
    ws.terminate();
  });

  async function answer(frame: Frame): Promise<void> {
    if (frame.event === 'phx_join') {
      await join(frame, { channels, isClosing: () => isClosing, takeJoin, reply, refuse }, wire, door);
      return;
    }
    const channel = channels.get(frame.topic);
    // The channel does not answer a frame of an earlier join of its topic.
    if (channel === undefined || (frame.joinRef !== null && frame.joinRef !== channel.joinRef)) {
      if (frame.event === 'phx_leave') reply(frame, 'ok');
      else refuse(frame, 'unmatched topic');
      return;
    }
    switch (frame.event) {
      case 'phx_leave':
        channels.delete(frame.topic);
        channel.end();
        reply(frame, 'ok');
        send(
          textFrame(
            version,
            { ...frame, ref: channel.joinRef, joinRef: channel.joinRef, event: 'phx_close' },
            EMPTY_PAYLOAD,
          ),
        );
        return;
      case 'access_token':
        await channel.takeToken(tokenIn(frame.payload));
        return;
      case 'broadcast':
        await broadcast(frame, channel);
        return;
      case 'presence':
        presence(frame, channel);
        return;
      default:
        refuse(frame, `The event is not known: ${frame.event.slice(0, 100)}`);
    }
  }

  async function broadcast(frame: Frame, channel: JoinedChannel): Promise<void> {
    const pushed = frame.broadcast ?? broadcastIn(frame.payload);
    if (pushed === null) return refuse(frame, 'The broadcast is not understood');
    const { event } = pushed;
    let { content } = pushed;
    try {
      const seconds = secondsToKeep(pushed.persist);
      if (seconds !== null) {
        content = await keepMessage(services, channel.viewer(), { room: channel.room, event, content, seconds });
      }
    } catch (error) {
      if (!(error instanceof NotKept)) throw error;
      return reply(frame, 'error', JSON.stringify({ error: error.message, reason: `NotKept: ${error.message}` }));
    }
    rooms.broadcast(channel.room, event, content, channel);
    if (channel.broadcast.ack || pushed.persist !== undefined) reply(frame, 'ok');
  }

  function presence(frame: Frame, channel: JoinedChannel): void {
    const { event, payload } = objectOf(frame.payload);
    if (!channel.takePresenceCall()) return refuse(frame, 'ClientPresenceRateLimitReached: Too many presence calls');
    switch (typeof event === 'string' ? event.toLowerCase() : event) {
      case 'track': {
        const meta = objectOf(payload);
        if (Buffer.byteLength(JSON.stringify(meta)) > PRESENCE_BYTES_MAX) {
          return refuse(frame, 'PresencePayloadTooLarge: What is said of one who is present is too long');
        }
        rooms.track(channel, meta);
        break;
      }
      case 'untrack':
        rooms.untrack(channel);
        break;
      default:
        return refuse(frame, 'The presence event is not known');
    }
    reply(frame, 'ok');
  }

  return {
    check() {
      const now = performance.now();
      if (now - heardAt > IDLE_MS) close(1000, 'Nothing was heard');
      else if (!connection.isKeyGood()) close(1008, 'The API key is no longer good');
      else for (const channel of channels.values()) channel.check(now);
    },
    close,
    terminate: () => ws.terminate(),
  };
}

function tokenIn(payload: unknown): string | null {
  const { access_token: token } = objectOf(payload);
  return typeof token === 'string' ? token : null;
}

/** A broadcast written as text, as clients of 1.0.0 do. */
function broadcastIn(payload: unknown): PushedBroadcast | null {
  const { event, payload: content, persist } = objectOf(payload);
  if (typeof event !== 'string') return null;
  return { event, content: { json: JSON.stringify(content ?? {}) }, persist };
}
