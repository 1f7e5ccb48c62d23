import { parseQuery } from './parse.ts';
import { planRead, sourceOf } from './plan.ts';
import { pairsOf } from './query-string.ts';
import { fromRelation } from './read.ts';
import type { SchemaCache } from './schema-cache.ts';
import { orderOfLevel, whereOfLevel } from './sql.ts';
import { parameters } from './statement.ts';

/** The parts of a statement over a whole list, which another door selects its own columns from. */
export type ListStatement = {
  /** The relation, as `t0`. */
  readonly from: string;
  /** Empty, or ` where …`. */
  readonly where: string;
  /** Empty, or ` order by …`. */
  readonly order: string;
  readonly values: readonly unknown[];
};

/** Parameters that shape a page of a list and not the list itself. `select` is not one: `client:profiles!inner(…)` leaves rows out. */
const OF_A_PAGE = new Set(['limit', 'offset']);

/**
 * The list behind the address of a reading of `relation`: the filters and the order of its query string, all rows.
 * @throws RestError for a query that the reading itself would refuse.
 */
export function listStatement(cache: SchemaCache, relation: string, query: string): ListStatement {
  const found = cache.relations.get(relation);
  if (found === undefined) throw new Error(`There is no relation ${relation}`);
  const pairs = pairsOf(query).filter(({ key }) => !OF_A_PAGE.has(key));
  const level = planRead(cache, sourceOf(found), parseQuery(pairs));
  const bound = parameters();
  const where = whereOfLevel(level, bound);
  return { from: fromRelation(found), where, order: orderOfLevel(level, bound), values: bound.values };
}
