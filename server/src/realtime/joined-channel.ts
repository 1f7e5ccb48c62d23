import type { Services } from '#platform/services';

import { BadBinding, bindingOf } from './changes/bindings.ts';
import type { AskedBinding, Binding } from './changes/bindings.ts';
import type { Delivery } from './changes/delivery.ts';
import { BadFilter } from './changes/parse-filter.ts';
import type { Tables } from './changes/tables.ts';
import { roomOf } from './channel.ts';
import type { Channel } from './channel.ts';
import { broadcastFrame, objectOf, textFrame, wireFrame } from './frames.ts';
import { CHECK_EVERY_MS, createBucket, PRESENCE_CALLS } from './limits.ts';
import type { Rooms } from './rooms/rooms.ts';
import {
  checkSession,
  mayUsePrivateTopic,
  unauthorizedTopic,
  ViewerRefused,
  viewerOfToken,
  visitor,
} from './viewer.ts';
import type { Viewer } from './viewer.ts';
import type { Connection } from './upgrade.ts';

/** The parts of the door that every socket shares. */
export type Door = {
  readonly services: Services;
  readonly delivery: Delivery;
  readonly rooms: Rooms;
  readonly tables: () => Tables;
  /** The reading of changes that covers every commit before the call. */
  readonly caughtUp: () => Promise<number>;
};

/** The socket as its channels see it. */
export type Wire = {
  readonly connection: Connection;
  readonly send: (text: string) => void;
  /** Sends a frame that was already encoded. */
  readonly sendWritten: (frame: Buffer) => void;
  /** Takes a channel off the socket's list. */
  readonly forget: (topic: string) => void;
};

/** A channel as its own socket sees it. */
export type JoinedChannel = Channel & {
  /** The subscriptions as the join's reply lists them: each as it was asked for, with its number. */
  readonly replied: readonly NumberedBinding[];
  readonly saySubscribed: () => void;
  readonly sayReady: () => void;
  /** Collects the ids of the kept messages that are sent from now on, until the function that it gives is called. */
  readonly noteBroadcasts: () => () => ReadonlySet<string>;
  readonly takeToken: (token: string | null) => Promise<void>;
  readonly takePresenceCall: () => boolean;
  /** Ends the channel whose token has expired, and checks its session from time to time. */
  readonly check: (now: number) => void;
  readonly end: () => void;
};

type NumberedBinding = AskedBinding & { readonly id: number };

export type ChannelOptions = Pick<
  Channel,
  'topic' | 'name' | 'joinRef' | 'isPrivate' | 'broadcast' | 'presence' | 'since'
> & {
  readonly asked: readonly AskedBinding[];
  readonly viewer: Viewer;
};

export const POSTGRES_CHANGES = 'postgres_changes';
export const EMPTY_PAYLOAD = '{}';

/** Opens a channel of a socket: it enters its room and subscribes to the changes that it asked for. */
export function openChannel(options: ChannelOptions, wire: Wire, door: Door): JoinedChannel {
  const { services, delivery, rooms } = door;
  const { connection, send, sendWritten } = wire;
  const { version } = connection;
  const { topic, name, joinRef, isPrivate, asked } = options;
  const replied = asked.map((binding, index) => ({ ...binding, id: index + 1 }));
  let { viewer } = options;
  let subscription = subscribed(replied, door.tables(), viewer);
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
        const encoded = broadcastFrame(version, topic, event, content);
        frame = encoded === null ? null : wireFrame(encoded);
        written.set(words, frame);
      }
      if (frame !== null) sendWritten(frame);
    },
    sendEvent(event, payload) {
      if (!isOver) send(textFrame(version, { topic, event }, payload));
    },
    saySubscribed() {
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
      wire.forget(topic);
      // The client joins again after a second, with the token that it then has: `phx_close` would be for ever.
      send(textFrame(version, { joinRef, ref: joinRef, topic, event: 'phx_error' }, EMPTY_PAYLOAD));
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
      subscription = subscribed(replied, door.tables(), next);
      attend();
    },
    check(now) {
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

/** All of a channel's subscriptions, or the reason for which it has none. */
function subscribed(
  replied: readonly NumberedBinding[],
  tables: Tables,
  viewer: Viewer,
): { readonly bindings: readonly Binding[]; readonly error: string | null } {
  try {
    return { bindings: replied.map((asked) => bindingOf(asked, asked.id, tables, viewer)), error: null };
  } catch (error) {
    if (!(error instanceof BadBinding) && !(error instanceof BadFilter)) throw error;
    return { bindings: [], error: `Unable to subscribe to changes with given parameters. ${error.message}` };
  }
}

function idIn(meta: string): string {
  const { id } = objectOf(JSON.parse(meta));
  return typeof id === 'string' ? id : '';
}
