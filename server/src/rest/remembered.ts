import { createLruCache } from '#platform/concurrency';
import type { LruCache } from '#platform/concurrency';

import type { Level } from './plan.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { Statement } from './statement.ts';

/** The plan of an address, and the statements that were made of it. */
export type Remembered = {
  readonly level: Level;
  /** By the form of the reply. */
  readonly statements: Map<string, Statement>;
};

const REMEMBERED_MAX = 300;
const KEY_LENGTH_MAX = 2048;

// A plan made with an old schema goes with it.
const plansOf = new WeakMap<SchemaCache, LruCache<string, Remembered>>();

/** An LRU cache of plans by address: the same addresses come again and again. */
export function remembered(cache: SchemaCache, key: string, plan: () => Level): Remembered {
  const plans = plansOf.get(cache) ?? createLruCache<string, Remembered>(REMEMBERED_MAX);
  plansOf.set(cache, plans);
  const found = plans.get(key) ?? { level: plan(), statements: new Map() };
  if (key.length <= KEY_LENGTH_MAX) plans.set(key, found);
  return found;
}
