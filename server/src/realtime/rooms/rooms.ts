import type { Log } from '#platform/log';

import type { Channel } from '../channel.ts';
import type { BroadcastContent } from '../frames.ts';
import type { NodeMessage, Nodes } from './nodes.ts';

/** Broadcasts and presence of the members of a topic, on whichever node they are. */
export type Rooms = {
  readonly enter: (channel: Channel) => void;
  readonly leave: (channel: Channel) => void;
  /** `from` gets the message only where it asked for its own; null for a message over HTTP. */
  readonly broadcast: (room: string, event: string, content: BroadcastContent, from: Channel | null) => void;
  readonly track: (channel: Channel, meta: Readonly<Record<string, unknown>>) => void;
  readonly untrack: (channel: Channel) => void;
  /** The presences in the room, as the JSON text of a `presence_state`. */
  readonly presenceOf: (room: string) => string;
  readonly stop: () => void;
};

type Presence = {
  readonly ref: string;
  readonly key: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly node: string;
};

type NodeContent =
  | {
      readonly kind: 'broadcast';
      readonly room: string;
      readonly event: string;
      readonly json?: string;
      readonly base64?: string;
      readonly meta?: string;
    }
  | {
      readonly kind: 'presence';
      readonly room: string;
      readonly joins: readonly Presence[];
      readonly leaves: readonly Presence[];
    }
  /** A node that has just started, or was away: the others send it their presences. */
  | { readonly kind: 'hello' }
  | {
      readonly kind: 'state';
      readonly rooms: readonly { readonly room: string; readonly presences: readonly Presence[] }[];
    }
  | { readonly kind: 'alive' }
  | { readonly kind: 'bye' };

const ALIVE_EVERY_MS = 10_000;
/** A node that is silent for so long is gone, and its presences with it. */
const GONE_AFTER_MS = 35_000;

export function createRooms(nodes: Nodes, log: Log): Rooms {
  const members = new Map<string, Set<Channel>>();
  const presences = new Map<string, Map<string, Presence>>();
  const ownOf = new Map<Channel, Presence>();
  const heardAt = new Map<string, number>();
  let lastRef = 0;

  nodes.onMessage((message) => {
    heardAt.set(message.node, performance.now());
    try {
      receive(message);
    } catch (error) {
      log.warn({ err: error }, 'A message of another node was not understood');
    }
  });
  nodes.onOpen(() => {
    // Both sides missed the other's messages meanwhile.
    nodes.send({ kind: 'hello' } satisfies NodeContent);
    sendState();
  });
  const timer = setInterval(() => {
    if (ownOf.size > 0) nodes.send({ kind: 'alive' } satisfies NodeContent);
    const now = performance.now();
    for (const [node, at] of heardAt) if (now - at > GONE_AFTER_MS) forgetNode(node);
  }, ALIVE_EVERY_MS);
  timer.unref();

  function receive({ node, content }: NodeMessage): void {
    const message = content as NodeContent;
    switch (message.kind) {
      case 'broadcast': {
        const carried =
          message.json === undefined ? { bytes: Buffer.from(message.base64 ?? '', 'base64') } : { json: message.json };
        const meta = message.meta === undefined ? {} : { meta: message.meta };
        toMembers(message.room, message.event, { ...carried, ...meta }, null);
        return;
      }
      case 'presence':
        change(message.room, message.joins, message.leaves);
        return;
      case 'hello':
        sendState();
        return;
      case 'state':
        replaceNode(node, message.rooms);
        return;
      case 'alive':
        return;
      case 'bye':
        forgetNode(node);
    }
  }

  function toMembers(room: string, event: string, content: BroadcastContent, from: Channel | null): void {
    const written = new Map<string, Buffer | null>();
    for (const channel of members.get(room) ?? []) {
      if (channel !== from || channel.broadcast.self) channel.sendBroadcast(event, content, written);
    }
  }

  /** Applies joins and leaves, and sends the difference to the members of this node. */
  function change(room: string, joins: readonly Presence[], leaves: readonly Presence[]): void {
    const present = presences.get(room) ?? new Map<string, Presence>();
    const left = leaves.filter(({ ref }) => present.delete(ref));
    const joined = joins.filter(({ ref }) => !present.has(ref));
    for (const presence of joined) present.set(presence.ref, presence);
    if (present.size > 0) presences.set(room, present);
    else presences.delete(room);
    if (left.length === 0 && joined.length === 0) return;
    const payload = `{"joins":${byKey(joined)},"leaves":${byKey(left)}}`;
    for (const channel of members.get(room) ?? []) {
      // A client that did not ask would keep the news forever, waiting for a state that never comes.
      if (channel.presence.enabled) channel.sendEvent('presence_diff', payload);
    }
  }

  function changeOwn(room: string, joins: readonly Presence[], leaves: readonly Presence[]): void {
    change(room, joins, leaves);
    nodes.send({ kind: 'presence', room, joins, leaves } satisfies NodeContent);
  }

  function sendState(): void {
    const own = [...presences].flatMap(([room, present]) => {
      const here = [...present.values()].filter((presence) => presence.node === nodes.id);
      return here.length === 0 ? [] : [{ room, presences: here }];
    });
    if (own.length > 0) nodes.send({ kind: 'state', rooms: own } satisfies NodeContent);
  }

  function replaceNode(
    node: string,
    rooms: readonly { readonly room: string; readonly presences: readonly Presence[] }[],
  ): void {
    const byRoom = new Map(rooms.map(({ room, presences: list }) => [room, list]));
    for (const room of new Set([...presences.keys(), ...byRoom.keys()])) {
      const now = byRoom.get(room) ?? [];
      const refs = new Set(now.map(({ ref }) => ref));
      const gone = [...(presences.get(room)?.values() ?? [])].filter(
        (presence) => presence.node === node && !refs.has(presence.ref),
      );
      change(room, now, gone);
    }
  }

  function forgetNode(node: string): void {
    heardAt.delete(node);
    replaceNode(node, []);
  }

  function untrack(channel: Channel): void {
    const presence = ownOf.get(channel);
    if (presence === undefined) return;
    ownOf.delete(channel);
    changeOwn(channel.room, [], [presence]);
  }

  return {
    enter(channel) {
      members.set(channel.room, (members.get(channel.room) ?? new Set()).add(channel));
    },
    leave(channel) {
      untrack(channel);
      const room = members.get(channel.room);
      room?.delete(channel);
      if (room?.size === 0) members.delete(channel.room);
    },
    broadcast(room, event, content, from) {
      toMembers(room, event, content, from);
      const carried = 'json' in content ? { json: content.json } : { base64: content.bytes.toString('base64') };
      const meta = content.meta === undefined ? {} : { meta: content.meta };
      nodes.send({ kind: 'broadcast', room, event, ...carried, ...meta } satisfies NodeContent);
    },
    track(channel, meta) {
      const before = ownOf.get(channel);
      lastRef += 1;
      const ref = `${nodes.id.slice(0, 8)}${lastRef.toString(36)}`;
      const previous = before === undefined ? {} : { phx_ref_prev: before.ref };
      const presence = { ref, key: channel.presence.key, node: nodes.id, meta: { ...meta, phx_ref: ref, ...previous } };
      ownOf.set(channel, presence);
      changeOwn(channel.room, [presence], before === undefined ? [] : [before]);
    },
    untrack,
    presenceOf: (room) => byKey([...(presences.get(room)?.values() ?? [])]),
    stop() {
      clearInterval(timer);
      nodes.send({ kind: 'bye' } satisfies NodeContent);
    },
  };
}

/** `{key: {metas: [...]}}`, as JSON text. */
function byKey(list: readonly Presence[]): string {
  const metas = new Map<string, Presence['meta'][]>();
  for (const { key, meta } of list) metas.set(key, [...(metas.get(key) ?? []), meta]);
  const entries = [...metas].map(([key, of]) => `${JSON.stringify(key)}:${JSON.stringify({ metas: of })}`);
  return `{${entries.join()}}`;
}
