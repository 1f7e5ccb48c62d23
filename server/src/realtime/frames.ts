import { isTooDeep } from '#platform/request-body';

/** The two protocols the official client speaks; an address without one means the older. */
export type ProtocolVersion = '1.0.0' | '2.0.0';

/** A client's message, of either protocol. */
export type Frame = {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: unknown;
  /** The content of a broadcast that came as bytes (kind 3). */
  readonly broadcast?: PushedBroadcast;
};

export type PushedBroadcast = {
  readonly event: string;
  readonly content: BroadcastContent;
  /** The sender's wish to keep the message, and for how long. */
  readonly persist: unknown;
};

/** The content of a broadcast, JSON text or bytes, with the server's metadata as JSON text. */
export type BroadcastContent = ({ readonly json: string } | { readonly bytes: Buffer }) & { readonly meta?: string };

/** A message of the client that is no frame. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

const PUSHED_BROADCAST = 3;
const BROADCAST = 4;
const JSON_ENCODING = 1;

export function readTextFrame(text: string, version: ProtocolVersion): Frame {
  if (isTooDeep(text)) throw new BadFrame('The frame is too deep');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new BadFrame('The frame is not JSON', { cause: error });
  }
  const [joinRef, ref, topic, event, payload] = version === '2.0.0' ? asArray(parsed) : asParts(parsed);
  if (typeof topic !== 'string' || typeof event !== 'string') throw new BadFrame('The frame has no topic or no event');
  return { joinRef: asRef(joinRef), ref: asRef(ref), topic, event, payload };
}

function asArray(parsed: unknown): readonly unknown[] {
  if (!Array.isArray(parsed)) throw new BadFrame('The frame is no array');
  return parsed;
}

function asParts(parsed: unknown): readonly unknown[] {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new BadFrame('The frame is no object');
  const { join_ref, ref, topic, event, payload } = parsed as Record<string, unknown>;
  return [join_ref, ref, topic, event, payload];
}

function asRef(ref: unknown): string | null {
  return typeof ref === 'string' ? ref : typeof ref === 'number' ? String(ref) : null;
}

/** A broadcast pushed by a client of 2.0.0: six lengths and an encoding, the texts, then the content. */
export function readBinaryFrame(bytes: Buffer): Frame {
  const [kind, ...lengths] = bytes.subarray(0, 7);
  if (kind !== PUSHED_BROADCAST || bytes.length < 7) throw new BadFrame('The binary frame is of no known kind');
  const encoding = lengths.pop();
  let offset = 7;
  const [joinRef = '', ref = '', topic = '', event = '', meta = ''] = lengths.map((length) => {
    const text = bytes.toString('utf8', offset, offset + length);
    offset += length;
    return text;
  });
  if (offset > bytes.length) throw new BadFrame('The binary frame is cut off');
  const rest = bytes.subarray(offset);
  return {
    joinRef: joinRef === '' ? null : joinRef,
    ref: ref === '' ? null : ref,
    topic,
    event: 'broadcast',
    payload: {},
    broadcast: {
      event,
      content: encoding === JSON_ENCODING ? { json: checkedJson(rest.toString('utf8')) } : { bytes: rest },
      persist: persistIn(meta),
    },
  };
}

function persistIn(meta: string): unknown {
  if (meta === '') return undefined;
  const metadata: unknown = JSON.parse(checkedJson(meta));
  return typeof metadata === 'object' && metadata !== null && 'persist' in metadata ? metadata.persist : undefined;
}

/** The text, once it is known to be JSON: it is passed on as it is, and other clients fail on anything else. */
function checkedJson(text: string): string {
  if (isTooDeep(text)) throw new BadFrame('The content of the broadcast is too deep');
  try {
    JSON.parse(text);
  } catch (error) {
    throw new BadFrame('The content of the broadcast is not JSON', { cause: error });
  }
  return text;
}

/** A WebSocket message in its frame, for any number of sockets: a server neither compresses nor masks it here. */
export function wireFrame(data: string | Buffer): Buffer {
  const body = Buffer.from(data);
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65_536 ? 4 : 10);
  head[0] = typeof data === 'string' ? 0x81 : 0x82;
  if (body.length < 126) head[1] = body.length;
  else if (body.length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(body.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(body.length), 2);
  }
  return Buffer.concat([head, body]);
}

/** A frame for one client. `payload` is JSON text: an object, never null. */
export function textFrame(
  version: ProtocolVersion,
  frame: {
    readonly joinRef?: string | null;
    readonly ref?: string | null;
    readonly topic: string;
    readonly event: string;
  },
  payload: string,
): string {
  const joinRef = JSON.stringify(frame.joinRef ?? null);
  const ref = JSON.stringify(frame.ref ?? null);
  const topic = JSON.stringify(frame.topic);
  const event = JSON.stringify(frame.event);
  return version === '2.0.0'
    ? `[${joinRef},${ref},${topic},${event},${payload}]`
    : `{"topic":${topic},"event":${event},"payload":${payload},"ref":${ref},"join_ref":${joinRef}}`;
}

/** A broadcast for one client; null where its protocol cannot say it (bytes, in 1.0.0). */
export function broadcastFrame(
  version: ProtocolVersion,
  topic: string,
  event: string,
  content: BroadcastContent,
): string | Buffer | null {
  if ('json' in content) {
    const meta = content.meta === undefined ? '' : `,"meta":${content.meta}`;
    const payload = `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${content.json}${meta}}`;
    return textFrame(version, { topic, event: 'broadcast' }, payload);
  }
  if (version === '1.0.0') return null;
  const topicBytes = Buffer.from(topic);
  const eventBytes = Buffer.from(event);
  if (topicBytes.length > 255 || eventBytes.length > 255) return null;
  const metaBytes = Buffer.from(content.meta ?? '');
  const header = Buffer.of(BROADCAST, topicBytes.length, eventBytes.length, metaBytes.length, 0);
  return Buffer.concat([header, topicBytes, eventBytes, metaBytes, content.bytes]);
}

/** The value where it is an object, an empty one otherwise. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
