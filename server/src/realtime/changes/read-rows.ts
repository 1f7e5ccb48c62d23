import type { Identity } from '#platform/database';

import type { Filter } from './bindings.ts';
import { filterSql } from './filter-sql.ts';
import type { Change } from './source.ts';
import { columnsFor } from './tables.ts';
import type { Tables } from './tables.ts';

/** The parts of the changed rows that are asked for. */
export type Reading = {
  /** Tables of which more than the key is read; null among them stands for all. */
  readonly whole: ReadonlySet<string | null>;
  /** The filters to be tried on the rows of their table. */
  readonly filters: readonly (Filter & { readonly table: string })[];
};

/** Names the row of a change, a deleted one apart from one that was made again. */
export function nameOf({ operation, table, key }: Change): string {
  return `${operation === 'DELETE' ? '-' : '+'} ${table} ${key}`;
}

/**
 * One statement for the rows of a batch, each with the places of the filters that it satisfies. Its text depends on the
 * tables and on the shapes of the filters. Without a row to read, it still finds out whether the session lives.
 */
export function readRowsQuery(
  tables: Tables,
  role: Identity['role'],
  changes: readonly Change[],
  { whole, filters }: Reading,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const parts: string[] = [];
  for (const [name, { there, gone }] of [...keysByTable(changes)].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const table = tables.get(name);
    const columns = table === undefined ? [] : columnsFor(table, role);
    if (table === undefined || columns.length === 0) continue;
    const tried = filters.map((filter, place) => ({ ...filter, place })).filter((filter) => filter.table === name);
    const satisfied = (of: typeof tried): string => {
      const cases = of.map(
        ({ conditions, place }) => `case when ${filterSql(conditions, 't', bind)} then ${place} end`,
      );
      return cases.length === 0 ? `'{}'::int[]` : `array_remove(array[${cases.join(', ')}], null)`;
    };
    const isWhole = whole.has(name) || whole.has(null);
    if (there.size > 0) {
      const shown = isWhole ? columns.map((column) => `t."${column.name}"`).join(', ') : `t."${table.key}"`;
      parts.push(
        `select '+ ${name} ' || t."${table.key}" as name, to_json(r)::text as row, ${satisfied(tried)} as satisfied
         from public."${name}" t, lateral (select ${shown}) r
         where t."${table.key}" = any (${bind([...there])}::text[]::${table.keyType}[])`,
      );
    }
    // Of a deleted row only the key is known: a filter on anything else does not hold.
    const ofKey = tried.filter(({ conditions }) => conditions.every(({ column }) => column === table.key));
    if (gone.size > 0 && ofKey.length > 0) {
      parts.push(
        `select '- ${name} ' || t."${table.key}" as name, null as row, ${satisfied(ofKey)} as satisfied
         from unnest(${bind([...gone])}::text[]::${table.keyType}[]) as t ("${table.key}")`,
      );
    }
  }
  return { text: parts.length === 0 ? 'select where false' : parts.join(' union all '), values };
}

function keysByTable(changes: readonly Change[]): Map<string, { there: Set<string>; gone: Set<string> }> {
  const keys = new Map<string, { there: Set<string>; gone: Set<string> }>();
  for (const { table, operation, key } of changes) {
    const of = keys.get(table) ?? { there: new Set(), gone: new Set() };
    keys.set(table, of);
    (operation === 'DELETE' ? of.gone : of.there).add(key);
  }
  return keys;
}
