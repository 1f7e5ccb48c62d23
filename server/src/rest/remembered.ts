import type { Level } from './plan.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { Statement } from './statement.ts';

/** What an address means, and the statements that were made of it. */
export type Remembered = {
  readonly level: Level;
  /** By how the answer is to look. */
  readonly statements: Map<string, Statement>;
};

const REMEMBERED_MAX = 300;
const KEY_LENGTH_MAX = 2048;

// What was worked out with an old schema goes with it.
const ofSchemas = new WeakMap<SchemaCache, Map<string, Remembered>>();

/** The same addresses are asked for again and again: what each means is worked out once, and the oldest are forgotten. */
export function remembered(cache: SchemaCache, key: string, plan: () => Level): Remembered {
  const known = ofSchemas.get(cache) ?? new Map<string, Remembered>();
  ofSchemas.set(cache, known);
  const found = known.get(key) ?? { level: plan(), statements: new Map() };
  if (key.length > KEY_LENGTH_MAX) return found;
  // Inserted again, so that the map's order is that of last use.
  known.delete(key);
  known.set(key, found);
  if (known.size > REMEMBERED_MAX) {
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  }
  return found;
}
