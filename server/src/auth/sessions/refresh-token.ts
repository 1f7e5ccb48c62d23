import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * A refresh token names its session and the session's counter at the time, signed with a key that only this session has:
 * base64url of version (1 byte), session id (16 bytes), counter (variable length), HMAC-SHA256 (first 16 bytes). The
 * server keeps no token: the current one can be made again from the session's row.
 */
export type RefreshToken = {
  readonly sessionId: string;
  readonly counter: number;
  /** True where the session's key signed it. */
  readonly isSignedWith: (key: Uint8Array) => boolean;
};

const VERSION = 0;
const UUID_LENGTH = 16;
const MAC_LENGTH = 16;
const COUNTER_BYTES_MAX = 7;

export const REFRESH_KEY_LENGTH = 32;

export function makeRefreshToken(sessionId: string, counter: number, key: Uint8Array): string {
  const signed = Buffer.concat([
    Buffer.of(VERSION),
    Buffer.from(sessionId.replaceAll('-', ''), 'hex'),
    encodeCounter(counter),
  ]);
  return Buffer.concat([signed, macOf(signed, key)]).toString('base64url');
}

/** Reads a token; null for any text that is none of ours. */
export function parseRefreshToken(token: string): RefreshToken | null {
  if (!/^[\w-]{40,60}$/u.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  // Another spelling of the same bytes is refused.
  if (bytes.toString('base64url') !== token || bytes[0] !== VERSION) return null;
  const signed = bytes.subarray(0, bytes.length - MAC_LENGTH);
  const mac = bytes.subarray(bytes.length - MAC_LENGTH);
  const counter = decodeCounter(signed.subarray(1 + UUID_LENGTH));
  if (counter === null) return null;
  const hex = signed.subarray(1, 1 + UUID_LENGTH).toString('hex');
  return {
    sessionId: [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-'),
    counter,
    isSignedWith: (key) => timingSafeEqual(mac, macOf(signed, key)),
  };
}

function macOf(signed: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(signed).digest().subarray(0, MAC_LENGTH);
}

/** Varint: seven bits a byte, the lowest first; the high bit announces more. */
function encodeCounter(counter: number): Buffer {
  const bytes: number[] = [];
  let rest = counter;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low + 128 : low);
  } while (rest > 0);
  return Buffer.from(bytes);
}

function decodeCounter(bytes: Uint8Array): number | null {
  if (bytes.length === 0 || bytes.length > COUNTER_BYTES_MAX) return null;
  let counter = 0;
  for (const [index, byte] of bytes.entries()) {
    const isLast = index === bytes.length - 1;
    if (byte >= 128 === isLast) return null;
    counter += (byte % 128) * 128 ** index;
  }
  return Number.isSafeInteger(counter) ? counter : null;
}
