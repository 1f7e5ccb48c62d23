/** A socket with more unsent bytes does not read, and is closed (1013). */
export const BUFFERED_BYTES_MAX = 1_048_576;
export const FRAME_BYTES_MAX = 262_144;
export const CHANNELS_PER_SOCKET_MAX = 30;
/** More than two heartbeats of the client. */
export const IDLE_MS = 60_000;
export const SOCKETS_MAX = 10_000;
export const SOCKETS_PER_NETWORK_MAX = 6000;
/** The token bucket of one socket's frames. */
export const FRAMES = { burst: 300, perSecond: 100 } as const;
/** The token bucket of one socket's bytes, which every node passes on. */
export const BYTES = { burst: 2_097_152, perSecond: 131_072 } as const;
export const JOINS = { burst: 60, perSecond: 10 } as const;
export const PRESENCE_CALLS = { burst: 10, perSecond: 1 } as const;
/** The queued frames of one socket, above which it is not read. */
export const PENDING_FRAMES_MAX = 50;
export const PENDING_BYTES_MAX = 524_288;
/** Every node holds the presence of every member in memory. */
export const PRESENCE_BYTES_MAX = 8192;
/** A channel's session is checked at least this often. */
export const CHECK_EVERY_MS = 300_000;
export const BINDINGS_PER_CHANNEL_MAX = 50;
export const FILTER_LENGTH_MAX = 2000;
export const TOPIC_LENGTH_MAX = 255;
export const ROW_BYTES_MAX = 1_048_576;

/** A token bucket of one process: takes `count` tokens, or none and answers false. */
export function createBucket(limit: {
  readonly burst: number;
  readonly perSecond: number;
}): (count?: number) => boolean {
  let tokens = limit.burst;
  let at = performance.now();
  return (count = 1) => {
    const now = performance.now();
    tokens = Math.min(limit.burst, tokens + ((now - at) / 1000) * limit.perSecond);
    at = now;
    if (tokens < count) return false;
    tokens -= count;
    return true;
  };
}
