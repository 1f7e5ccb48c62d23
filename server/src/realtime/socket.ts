import type { ApiKeyKind } from '#platform/keys';
import type { Services } from '#platform/services';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

import { BadBinding, bindingOf, joinSchema } from './bindings.ts';
import type { AskedBinding, Binding } from './bindings.ts';
import { roomOf } from './channel.ts';
import type { Channel } from './channel.ts';
import type { Delivery } from './delivery.ts';
import { BadFilter } from './filter.ts';
import { BadFrame, broadcastFrame, readBinaryFrame, readTextFrame, textFrame, wireFrame } from './frames.ts';
import type { Frame, ProtocolVersion, PushedBroadcast } from './frames.ts';
import {
  BUFFERED_BYTES_MAX,
  BYTES,
  CHANNELS_PER_SOCKET_MAX,
  CHECK_EVERY_MS,
  createBucket,
  FRAMES,
  IDLE_MS,
  JOINS,
  PENDING_BYTES_MAX,
  PENDING_FRAMES_MAX,
  PRESENCE_BYTES_MAX,
  PRESENCE_CALLS,
  TOPIC_LENGTH_MAX,
} from './limits.ts';
import { keepBroadcast, keptBroadcasts, NotKept, secondsToKeep } from './kept-broadcasts.ts';
import type { Rooms } from './rooms.ts';
import type { Tables } from './tables.ts';
import { checkSession, mayUsePrivateTopic, ViewerRefused, viewerOfKey, viewerOfToken, visitor } from './viewer.ts';
import type { Viewer } from './viewer.ts';

/** What every socket of the door shares. */
export type Door = {
  readonly services: Services;
  readonly delivery: Delivery;
  readonly rooms: Rooms;
  readonly tables: () => Tables;
  /** The place of what was committed before the call, among the readings of changes. */
  readonly caughtUp: () => Promise<number>;
};

export type Socket = {
  /** Closes what has been silent for too long, and channels whose token or session has ended. */
  readonly check: () => void;
  readonly close: (code: number, reason: string) => void;
  readonly terminate: () => void;
};

export type Connection = {
  readonly apiKey: ApiKeyKind;
  /** False once the key that opened the socket has been replaced and its time is over. */
  readonly isKeyGood: () => boolean;
  readonly version: ProtocolVersion;
};

const EMPTY = '{}';
const POSTGRES_CHANGES = 'postgres_changes';
/** After a close frame, how long a client has to answer it. */
const CLOSE_GRACE_MS = 2000;

/**
 * Speaks the protocol of the official client over one WebSocket, whose channels are each shown to a viewer of their own.
 * `stream` is what the WebSocket stands on: what many sockets are told in the same words is written to it as it is.
 */
export function serveSocket(ws: WebSocket, stream: Duplex, connection: Connection, door: Door): Socket {
  const { services, delivery, rooms } = door;
  const { version } = connection;
  const channels = new Map<string, JoinedChannel>();
  const takeFrame = createBucket(FRAMES);
  const takeBytes = createBucket(BYTES);
  const takeJoin = createBucket(JOINS);
  let heardAt = performance.now();
  let isClosing = false;
  let pending = 0;
  let pendingBytes = 0;
  /** Frames are answered in the order in which they came. */
  let turn = Promise.resolve();

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

  function reply(frame: Frame, status: 'ok' | 'error', response = EMPTY): void {
    const { ref, topic, joinRef } = frame;
    send(
      textFrame(version, { joinRef, ref, topic, event: 'phx_reply' }, `{"status":"${status}","response":${response}}`),
    );
  }

  function refuse(frame: Frame, reason: string): void {
    reply(frame, 'error', JSON.stringify({ reason }));
  }

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
    // Answered at once, whatever else is being worked on: the client counts on it.
    if (frame.topic === 'phoenix' && frame.event === 'heartbeat') {
      reply(frame, 'ok');
      return;
    }
    pending += 1;
    pendingBytes += bytes.length;
    if (pending >= PENDING_FRAMES_MAX || pendingBytes >= PENDING_BYTES_MAX) ws.pause();
    turn = turn
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
      await join(frame);
      return;
    }
    const channel = channels.get(frame.topic);
    // A frame of an earlier join of the same topic is not answered by this one.
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
          textFrame(version, { ...frame, ref: channel.joinRef, joinRef: channel.joinRef, event: 'phx_close' }, EMPTY),
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

  async function join(frame: Frame): Promise<void> {
    const name = nameOf(frame.topic);
    if (name === null) return refuse(frame, 'TopicNameRequired: The topic is realtime:<name>');
    if (!takeJoin()) return refuse(frame, 'ClientJoinRateLimitReached: Too many joins per second');
    const parsed = joinSchema.safeParse(frame.payload);
    if (!parsed.success) return refuse(frame, 'InvalidJoinConfig: The configuration of the channel is not understood');
    const before = channels.get(frame.topic);
    if (before === undefined && channels.size >= CHANNELS_PER_SOCKET_MAX) {
      return refuse(frame, 'ChannelRateLimitReached: Too many channels');
    }
    const { config, access_token: token } = parsed.data;
    const asked = config.postgres_changes ?? [];
    const isPrivate = config.private ?? false;
    const asksReplay = config.broadcast?.replay ?? null;
    if (asksReplay !== null && !isPrivate)
      return refuse(frame, 'InvalidJoinConfig: Only private channels are replayed');
    // Joining a topic again replaces what was joined.
    before?.end();
    channels.delete(frame.topic);

    let viewer: Viewer;
    try {
      if (token === null || token === undefined) {
        // The client that joins before it has loaded its session never says its token later, unless it must join again.
        if (connection.apiKey !== 'secret' && (asked.length > 0 || isPrivate))
          throw new ViewerRefused('Unauthorized: An access token is required');
        viewer = viewerOfKey(connection.apiKey);
      } else {
        viewer = await viewerOfToken(services, token, connection.apiKey);
      }
      if (isPrivate && !mayUsePrivateTopic(viewer, name)) throw new ViewerRefused(unauthorizedTopic(name));
    } catch (error) {
      if (!(error instanceof ViewerRefused)) throw error;
      return refuse(frame, error.message);
    }
    // What the client reads before it joins, it is not told again; what comes after the reply, it is.
    const since = asked.length > 0 ? await door.caughtUp() : 0;
    if (isClosing) return;
    const channel = openChannel({
      topic: frame.topic,
      name,
      joinRef: frame.joinRef ?? frame.ref,
      isPrivate,
      broadcast: { ack: config.broadcast?.ack ?? false, self: config.broadcast?.self ?? false },
      presence: {
        key: nonEmpty(config.presence?.key) ?? crypto.randomUUID(),
        enabled: config.presence?.enabled ?? false,
      },
      since,
      asked,
      viewer,
    });
    channels.set(frame.topic, channel);
    reply(frame, 'ok', JSON.stringify({ [POSTGRES_CHANGES]: channel.replied }));
    if (asked.length > 0) channel.sayWhetherSubscribed();
    if (config.broadcast?.replication_ready === true) channel.sayReady();
    if (channel.presence.enabled) channel.sendEvent('presence_state', rooms.presenceOf(channel.room));
    if (asksReplay !== null) await replay(channel, asksReplay);
  }

  async function broadcast(frame: Frame, channel: JoinedChannel): Promise<void> {
    const pushed = frame.broadcast ?? broadcastIn(frame.payload);
    if (pushed === null) return refuse(frame, 'The broadcast is not understood');
    const { event } = pushed;
    let { content } = pushed;
    try {
      const seconds = secondsToKeep(pushed.persist);
      if (seconds !== null) {
        content = await keepBroadcast(services, channel.viewer(), { room: channel.room, event, content, seconds });
      }
    } catch (error) {
      if (!(error instanceof NotKept)) throw error;
      return reply(frame, 'error', JSON.stringify({ error: error.message, reason: `NotKept: ${error.message}` }));
    }
    rooms.broadcast(channel.room, event, content, channel);
    if (channel.broadcast.ack || pushed.persist !== undefined) reply(frame, 'ok');
  }

  /** Tells a channel that has just joined what was kept for it; what it hears meanwhile, it is told once. */
  async function replay(
    channel: JoinedChannel,
    asked: { readonly since: number; readonly limit?: number | null | undefined },
  ) {
    const stopListening = channel.noteBroadcasts();
    const kept = await keptBroadcasts(services, channel.room, asked);
    const heard = stopListening();
    for (const { id, event, content } of kept) if (!heard.has(id)) channel.sendBroadcast(event, content, new Map());
  }

  function presence(frame: Frame, channel: JoinedChannel): void {
    const { event, payload } = asObject(frame.payload);
    if (!channel.takePresenceCall()) return refuse(frame, 'ClientPresenceRateLimitReached: Too many presence calls');
    switch (typeof event === 'string' ? event.toLowerCase() : event) {
      case 'track': {
        const meta = asObject(payload);
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

  type JoinedChannel = Channel & {
    /** The subscriptions as the join's reply lists them: each as it was asked for, with its number. */
    readonly replied: readonly (AskedBinding & { readonly id: number })[];
    readonly sayWhetherSubscribed: () => void;
    readonly sayReady: () => void;
    /** Takes note of the kept messages that are sent from now on, until the function it gives is called. */
    readonly noteBroadcasts: () => () => ReadonlySet<string>;
    readonly takeToken: (token: string | null) => Promise<void>;
    readonly takePresenceCall: () => boolean;
    readonly checkSoon: (now: number) => void;
    readonly end: () => void;
  };

  function openChannel(
    options: Pick<Channel, 'topic' | 'name' | 'joinRef' | 'isPrivate' | 'broadcast' | 'presence' | 'since'> & {
      readonly asked: readonly AskedBinding[];
      readonly viewer: Viewer;
    },
  ): JoinedChannel {
    const { topic, name, joinRef, isPrivate, asked } = options;
    const replied = asked.map((binding, index) => ({ ...binding, id: index + 1 }));
    let { viewer } = options;
    let subscription = subscribed(replied, viewer);
    let isOver = false;
    let checkedAt = performance.now();
    let isChecking = false;
    let noted: Set<string> | null = null;

    const channel: JoinedChannel = {
      topic,
      name,
      joinRef,
      isPrivate,
      room: roomOf(name, isPrivate),
      broadcast: options.broadcast,
      presence: options.presence,
      since: options.since,
      replied,
      viewer: () => viewer,
      bindings: () => subscription.bindings,
      sendChange(ids, data, written) {
        if (isOver) return;
        const words = `${version} ${ids.join()} ${topic}`;
        const known = written.get(words);
        const frame =
          known ??
          wireFrame(textFrame(version, { topic, event: POSTGRES_CHANGES }, `{"ids":[${ids.join()}],"data":${data}}`));
        if (known === undefined) written.set(words, frame);
        sendWritten(frame);
      },
      sendBroadcast(event, content, written) {
        if (isOver) return;
        if (noted !== null && content.meta !== undefined) noted.add(idIn(content.meta));
        const words = `${version} ${topic}`;
        let frame = written.get(words);
        if (frame === undefined) {
          const said = broadcastFrame(version, topic, event, content);
          frame = said === null ? null : wireFrame(said);
          written.set(words, frame);
        }
        if (frame !== null) sendWritten(frame);
      },
      sendEvent(event, payload) {
        if (!isOver) send(textFrame(version, { topic, event }, payload));
      },
      sayWhetherSubscribed() {
        const { error } = subscription;
        sendSystem(POSTGRES_CHANGES, error === null ? 'ok' : 'error', error ?? 'Subscribed to PostgreSQL');
      },
      sayReady() {
        sendSystem('system', 'ok', 'Replication connection established');
      },
      noteBroadcasts() {
        const heard = new Set<string>();
        noted = heard;
        return () => {
          noted = null;
          return heard;
        };
      },
      fail(extension, message) {
        if (isOver) return;
        sendSystem(extension, 'error', message);
        channel.end();
        channels.delete(topic);
        // The client joins again after a second, with the token that it then has: `phx_close` would be for ever.
        send(textFrame(version, { joinRef, ref: joinRef, topic, event: 'phx_error' }, EMPTY));
      },
      takePresenceCall: createBucket(PRESENCE_CALLS),
      async takeToken(token) {
        let next: Viewer;
        try {
          next = token === null ? visitor : await viewerOfToken(services, token, connection.apiKey);
        } catch (error) {
          if (!(error instanceof ViewerRefused)) throw error;
          channel.fail('system', error.message);
          return;
        }
        if (isOver) return;
        if (isPrivate && !mayUsePrivateTopic(next, name)) {
          channel.fail('system', unauthorizedTopic(name));
          return;
        }
        checkedAt = performance.now();
        viewer = next;
        subscription = subscribed(replied, next);
        attend();
      },
      checkSoon(now) {
        if (viewer.expiresAt !== null && viewer.expiresAt <= services.clock.now().getTime()) {
          channel.fail('system', 'Token has expired');
          return;
        }
        if (isChecking || now - checkedAt < CHECK_EVERY_MS) return;
        isChecking = true;
        checkSession(services.db, viewer).then(
          () => {
            isChecking = false;
            checkedAt = now;
          },
          (error: unknown) => {
            isChecking = false;
            if (error instanceof ViewerRefused) channel.fail('system', error.message);
          },
        );
      },
      end() {
        if (isOver) return;
        isOver = true;
        delivery.remove(channel);
        rooms.leave(channel);
      },
    };

    function sendSystem(extension: string, status: 'ok' | 'error', message: string): void {
      const payload = JSON.stringify({ extension, status, message, channel: name });
      send(textFrame(version, { joinRef, topic, event: 'system' }, payload));
    }

    function attend(): void {
      if (subscription.bindings.length > 0) delivery.add(channel);
      else delivery.remove(channel);
    }

    rooms.enter(channel);
    attend();
    return channel;
  }

  /** All of a channel's subscriptions, or why it has none. */
  function subscribed(
    replied: readonly (AskedBinding & { readonly id: number })[],
    viewer: Viewer,
  ): { readonly bindings: readonly Binding[]; readonly error: string | null } {
    try {
      return { bindings: replied.map((asked) => bindingOf(asked, asked.id, door.tables(), viewer)), error: null };
    } catch (error) {
      if (!(error instanceof BadBinding) && !(error instanceof BadFilter)) throw error;
      return { bindings: [], error: `Unable to subscribe to changes with given parameters. ${error.message}` };
    }
  }

  return {
    check() {
      const now = performance.now();
      if (now - heardAt > IDLE_MS) close(1000, 'Nothing was heard');
      else if (!connection.isKeyGood()) close(1008, 'The API key is no longer good');
      else for (const channel of channels.values()) channel.checkSoon(now);
    },
    close,
    terminate: () => ws.terminate(),
  };
}

function nameOf(topic: string): string | null {
  const name = /^realtime:(?<name>.+)$/su.exec(topic)?.groups?.['name'];
  return name === undefined || topic.length > TOPIC_LENGTH_MAX ? null : name;
}

function unauthorizedTopic(name: string): string {
  return `Unauthorized: You do not have permissions to read from this Channel topic: ${name}`;
}

function nonEmpty(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function tokenIn(payload: unknown): string | null {
  const { access_token: token } = asObject(payload);
  return typeof token === 'string' ? token : null;
}

/** A broadcast written as text, as clients of 1.0.0 do. */
function broadcastIn(payload: unknown): PushedBroadcast | null {
  const { event, payload: content, persist } = asObject(payload);
  if (typeof event !== 'string') return null;
  return { event, content: { json: JSON.stringify(content ?? {}) }, persist };
}

function idIn(meta: string): string {
  const { id } = asObject(JSON.parse(meta));
  return typeof id === 'string' ? id : '';
}
