import type { Services } from '#platform/services';

import type { BroadcastContent } from '../frames.ts';
import type { Viewer } from '../viewer.ts';

/** The time that a message is kept by default, and at most. */
const SECONDS_MAX = 259_200;
const BYTES_MAX = 65_536;
/** The token buckets of one sender's kept messages: a minute's, and a person's day (FX-07). */
const LIMIT = { capacity: 60, perSeconds: 60 };
const PER_DAY = { capacity: 100, perSeconds: 86_400 };
/** The most messages that a join replays. */
const REPLAYED_MAX = 25;

/** A message that cannot be kept; the sentence is for the client's developer. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

/** The time for which the sender asks to keep a message; null for not at all. @throws NotKept */
export function secondsToKeep(persist: unknown): number | null {
  if (persist === undefined || persist === null || persist === false) return null;
  if (persist === true) return SECONDS_MAX;
  const seconds = typeof persist === 'object' && 'ttl' in persist ? persist.ttl : SECONDS_MAX;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 1 || seconds > SECONDS_MAX) {
    throw new NotKept(`The time to keep a message is 1 to ${SECONDS_MAX} seconds`);
  }
  return seconds;
}

/** Keeps a message of a private topic. @returns it with its id, by which a client tells it from others. @throws NotKept */
export async function keepMessage(
  { db, rateLimit }: Pick<Services, 'db' | 'rateLimit'>,
  viewer: Viewer,
  message: {
    readonly room: string;
    readonly event: string;
    readonly content: BroadcastContent;
    readonly seconds: number;
  },
): Promise<BroadcastContent> {
  const { room, event, content, seconds } = message;
  if (!room.startsWith('private:')) throw new NotKept('A message of a public channel cannot be kept');
  // Everyone with a role shares its topic: a message kept by one would be replayed to all the others.
  if (viewer.identity.role !== 'service_role' && room.startsWith('private:role:')) {
    throw new NotKept('Only the server keeps messages in the topic of a role');
  }
  const json = 'json' in content ? content.json : null;
  const bytes = 'json' in content ? null : content.bytes;
  if ((bytes?.length ?? Buffer.byteLength(json ?? '')) > BYTES_MAX) {
    throw new NotKept(`A message that is kept has at most ${BYTES_MAX} bytes`);
  }
  if (`${event}${json ?? ''}`.includes('\0')) throw new NotKept('The message has a character that cannot be kept');
  const wait =
    (await rateLimit.takeToken(`keep-broadcast:${viewer.personId ?? viewer.key}`, LIMIT)) ||
    (viewer.personId === null ? 0 : await rateLimit.takeToken(`day:keep-broadcast:${viewer.personId}`, PER_DAY));
  if (wait > 0) throw new NotKept(`Too many messages are to be kept: try again in ${wait} seconds`);
  const { rows } = await db.queryAsService<{ id: string }>('realtime: keep a broadcast', {
    text: `insert into private.kept_broadcasts (room, event, json, bytes, expires_at)
      values ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 second') returning id`,
    values: [room, event, json, bytes, seconds],
  });
  return { ...content, meta: JSON.stringify({ id: rows[0]?.id }) };
}

export type KeptBroadcast = { readonly id: string; readonly event: string; readonly content: BroadcastContent };

/** The last kept messages of a room since an instant, the oldest first. */
export async function keptMessages(
  { db }: Pick<Services, 'db'>,
  room: string,
  { since, limit }: { readonly since: number; readonly limit?: number | null | undefined },
): Promise<readonly KeptBroadcast[]> {
  const { rows } = await db.queryAsService<{
    id: string;
    event: string;
    json: string | null;
    bytes: Buffer | null;
  }>(
    'realtime: kept broadcasts',
    {
      text: `select id, event, json, bytes from private.kept_broadcasts
        where room = $1 and at >= to_timestamp($2::float8 / 1000) and expires_at > clock_timestamp()
        order by at desc limit $3`,
      values: [room, since, Math.min(limit ?? REPLAYED_MAX, REPLAYED_MAX)],
    },
    { readOnly: true },
  );
  return rows.toReversed().map(({ id, event, json, bytes }) => {
    const meta = JSON.stringify({ id, replayed: true });
    return { id, event, content: bytes === null ? { json: json ?? '{}', meta } : { bytes, meta } };
  });
}
