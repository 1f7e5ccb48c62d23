import { createLruCache } from './concurrency.ts';
import type { Bucket } from './rate-limit.ts';

const KEYS_MAX = 20_000;

/**
 * A token bucket of this process alone, for each key: it asks nothing of the database, so a flood from one network is turned
 * away at the price of reading its requests. What counts exactly is counted by `RateLimit`, after it.
 * @returns 0 where there was a token, else the seconds to wait before the next.
 */
export function createLocalLimit({ capacity, perSeconds }: Bucket): (key: string) => number {
  const buckets = createLruCache<string, { tokens: number; at: number }>(KEYS_MAX);
  return (key) => {
    const now = performance.now();
    const { tokens, at } = buckets.get(key) ?? { tokens: capacity, at: now };
    const left = Math.min(capacity, tokens + ((now - at) / 1000 / perSeconds) * capacity);
    buckets.set(key, { tokens: left < 1 ? left : left - 1, at: now });
    return left < 1 ? Math.ceil(((1 - left) * perSeconds) / capacity) : 0;
  };
}
