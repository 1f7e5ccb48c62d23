/** Runs work when a slot is free, in the order in which it was given. */
export type Semaphore = <Result>(work: () => Promise<Result>) => Promise<Result>;

export type SemaphoreOptions = {
  /** Number of tasks that run at once. */
  readonly slots: number;
  /** Number of tasks that may wait for a slot; the next is refused with `refusal`. */
  readonly waitingMax?: number;
  readonly refusal?: () => Error;
  /**
   * Work that outlasts this gives up its slot and keeps running, so that slow work never blocks fast work. `p-queue` has no
   * such slot, which is why this file exists.
   */
  readonly patienceMs?: number;
};

/** A FIFO semaphore of this process. */
export function createSemaphore(options: SemaphoreOptions): Semaphore {
  return createSlots(options).withSlot;
}

/** One FIFO semaphore for each key, which lasts as long as it is used. */
export function createKeyedSemaphore(
  options: SemaphoreOptions,
): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const byKey = new Map<string, ReturnType<typeof createSlots>>();
  return async function withSlot(key, work) {
    const slots = byKey.get(key) ?? createSlots(options);
    byKey.set(key, slots);
    try {
      return await slots.withSlot(work);
    } finally {
      if (slots.areAllFree() && byKey.get(key) === slots) byKey.delete(key);
    }
  };
}

function createSlots({
  slots,
  waitingMax = Number.POSITIVE_INFINITY,
  refusal = () => new Error('Too much work is waiting'),
  patienceMs,
}: SemaphoreOptions): { readonly withSlot: Semaphore; readonly areAllFree: () => boolean } {
  let free = slots;
  const waiting: (() => void)[] = [];

  /** Hands the slot to the next in line. It is never free in between, so nobody overtakes. */
  function release(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  async function withSlot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (free > 0) free -= 1;
    else {
      if (waiting.length >= waitingMax) throw refusal();
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
    let isReleased = false;
    const releaseOnce = (): void => {
      if (!isReleased) release();
      isReleased = true;
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(releaseOnce, patienceMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      releaseOnce();
    }
  }

  return { withSlot, areAllFree: () => free === slots };
}

/** A cache of at most `max` entries: beyond that, the least recently used one goes. */
export type LruCache<Key, Value> = {
  /** The value, which counts as used now. */
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => void;
  readonly delete: (key: Key) => void;
};

/**
 * An LRU cache over a Map, which keeps the order of insertion: an entry that is used is inserted again.
 * @param onEvict is called with each entry that goes for being the least recently used.
 */
export function createLruCache<Key, Value>(
  max: number,
  onEvict?: (key: Key, value: Value) => void,
): LruCache<Key, Value> {
  const entries = new Map<Key, Value>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= max) return;
      for (const [oldest, its] of entries) {
        entries.delete(oldest);
        onEvict?.(oldest, its);
        return;
      }
    },
    delete: (key) => void entries.delete(key),
  };
}
