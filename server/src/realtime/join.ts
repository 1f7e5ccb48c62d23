import { z } from 'zod';

import { bindingSchema } from './changes/bindings.ts';
import type { Frame } from './frames.ts';
import { BINDINGS_PER_CHANNEL_MAX, CHANNELS_PER_SOCKET_MAX, TOPIC_LENGTH_MAX } from './limits.ts';
import { openChannel, POSTGRES_CHANGES } from './joined-channel.ts';
import type { Door, JoinedChannel, Wire } from './joined-channel.ts';
import { keptMessages } from './rooms/kept-messages.ts';
import { mayUsePrivateTopic, unauthorizedTopic, ViewerRefused, viewerOfKey, viewerOfToken } from './viewer.ts';
import type { Viewer } from './viewer.ts';

/** The payload of a join. Unknown settings are ignored: newer clients send more. */
const joinSchema = z.object({
  config: z
    .object({
      broadcast: z
        .object({
          ack: z.boolean().catch(false),
          self: z.boolean().catch(false),
          // In milliseconds since 1970.
          replay: z.object({ since: z.number().min(0).max(8.64e15), limit: z.int().min(1).nullish() }).nullish(),
          replication_ready: z.boolean().nullish(),
        })
        .partial()
        .nullish(),
      presence: z
        .object({ key: z.string().max(255), enabled: z.boolean() })
        .partial()
        .nullish(),
      postgres_changes: z.array(bindingSchema).max(BINDINGS_PER_CHANNEL_MAX).nullish(),
      private: z.boolean().nullish(),
    })
    .default({}),
  access_token: z.string().nullish(),
});

/** The socket as a join sees it. */
export type JoiningSocket = {
  readonly channels: Map<string, JoinedChannel>;
  readonly isClosing: () => boolean;
  /** The rate limit of joins. */
  readonly takeJoin: () => boolean;
  readonly reply: (frame: Frame, status: 'ok' | 'error', response?: string) => void;
  readonly refuse: (frame: Frame, reason: string) => void;
};

/** Answers `phx_join`: checks the configuration and the viewer, then opens the channel. */
export async function join(frame: Frame, socket: JoiningSocket, wire: Wire, door: Door): Promise<void> {
  const { channels, reply, refuse } = socket;
  const name = nameOf(frame.topic);
  if (name === null) return refuse(frame, 'TopicNameRequired: The topic is realtime:<name>');
  if (!socket.takeJoin()) return refuse(frame, 'ClientJoinRateLimitReached: Too many joins per second');
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
  if (asksReplay !== null && !isPrivate) return refuse(frame, 'InvalidJoinConfig: Only private channels are replayed');
  // Joining a topic again replaces the channel.
  before?.end();
  channels.delete(frame.topic);

  let viewer: Viewer;
  try {
    viewer = await viewerOfJoin(token ?? null, asked.length > 0 || isPrivate, wire, door);
    if (isPrivate && !mayUsePrivateTopic(viewer, name)) throw new ViewerRefused(unauthorizedTopic(name));
  } catch (error) {
    if (!(error instanceof ViewerRefused)) throw error;
    return refuse(frame, error.message);
  }
  // The client has read the rows before it joins; it gets the changes that come after the reply.
  const since = asked.length > 0 ? await door.caughtUp() : 0;
  if (socket.isClosing()) return;
  const channel = openChannel(
    {
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
    },
    wire,
    door,
  );
  channels.set(frame.topic, channel);
  reply(frame, 'ok', JSON.stringify({ [POSTGRES_CHANGES]: channel.replied }));
  if (asked.length > 0) channel.saySubscribed();
  if (config.broadcast?.replication_ready === true) channel.sayReady();
  if (channel.presence.enabled) channel.sendEvent('presence_state', door.rooms.presenceOf(channel.room));
  if (asksReplay !== null) await replay(channel, asksReplay, door);
}

async function viewerOfJoin(
  token: string | null,
  needsToken: boolean,
  { connection: { apiKey } }: Wire,
  { services }: Door,
): Promise<Viewer> {
  if (token !== null) return viewerOfToken(services, token, apiKey);
  // A client that joins before it has loaded its session sends its token only when it must join again.
  if (apiKey !== 'secret' && needsToken) throw new ViewerRefused('Unauthorized: An access token is required');
  return viewerOfKey(apiKey);
}

/** Sends a channel that has just joined the kept messages of its room, each once although new ones come meanwhile. */
async function replay(
  channel: JoinedChannel,
  asked: { readonly since: number; readonly limit?: number | null | undefined },
  { services }: Door,
): Promise<void> {
  const stopNoting = channel.noteBroadcasts();
  const messages = await keptMessages(services, channel.room, asked);
  const sent = stopNoting();
  for (const { id, event, content } of messages) if (!sent.has(id)) channel.sendBroadcast(event, content, new Map());
}

function nameOf(topic: string): string | null {
  const name = /^realtime:(?<name>.+)$/su.exec(topic)?.groups?.['name'];
  return name === undefined || topic.length > TOPIC_LENGTH_MAX ? null : name;
}

function nonEmpty(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}
