import { z } from 'zod';

import type { Viewer } from '../viewer.ts';
import { parseFilter, typed } from './parse-filter.ts';
import type { TypedCondition } from './parse-filter.ts';
import { columnsFor } from './tables.ts';
import type { Tables } from './tables.ts';

/** A subscription as a client asks for it. */
export const bindingSchema = z.object({
  event: z.string(),
  schema: z.string().nullish(),
  table: z.string().nullish(),
  filter: z.string().nullish(),
  select: z.union([z.array(z.string()), z.string()]).nullish(),
});
export type AskedBinding = z.infer<typeof bindingSchema>;

/** The condition that a subscription sets on rows. */
export type Filter = {
  /** The same for all subscriptions with the same conditions: PostgreSQL answers for them once. */
  readonly key: string;
  readonly conditions: readonly TypedCondition[];
};

/** A checked subscription to changes. */
export type Binding = {
  /** Its number in the channel, from 1: the client takes 0 for none. */
  readonly id: number;
  readonly event: 'INSERT' | 'UPDATE' | 'DELETE' | '*';
  /** Null means every published table. */
  readonly table: string | null;
  readonly filter: Filter | null;
  /** The columns asked for, the key among them; null means all. */
  readonly select: ReadonlySet<string> | null;
};

/** A subscription that cannot be made; the message is for the client's developer. */
export class BadBinding extends Error {
  override readonly name = 'BadBinding';
}

/** The subscription of a viewer, with every name and value checked. @throws BadBinding, BadFilter */
export function bindingOf(asked: AskedBinding, id: number, tables: Tables, viewer: Viewer): Binding {
  const event = (['INSERT', 'UPDATE', 'DELETE', '*'] as const).find((known) => known === asked.event.toUpperCase());
  if (event === undefined) throw new BadBinding(`The event is not known: ${asked.event}`);
  const schema = asked.schema ?? 'public';
  const name = asked.table ?? '*';
  if (schema !== 'public' && schema !== '*') throw new BadBinding(`The schema ${schema} is not published`);
  const isWildcard = name === '*';
  const conditions =
    asked.filter === null || asked.filter === undefined || asked.filter === '' ? [] : parseFilter(asked.filter);
  const selected = typeof asked.select === 'string' ? asked.select.split(',') : asked.select;
  if (isWildcard) {
    if (conditions.length > 0) throw new BadBinding('A filter needs a table');
    if (selected !== null && selected !== undefined) throw new BadBinding('A selection of columns needs a table');
    return { id, event, table: null, filter: null, select: null };
  }
  const table = tables.get(name);
  if (table === undefined) throw new BadBinding(`The table public.${name} is not published`);
  const columns = columnsFor(table, viewer.identity.role);
  if (columns.length === 0) throw new BadBinding(`Unauthorized: The table public.${name} may not be read`);
  const types = new Map(columns.map((column) => [column.name, column.type]));
  const typeOf = (column: string): string => {
    const type = types.get(column.trim());
    if (type === undefined) throw new BadBinding(`The column ${column} of public.${name} may not be read`);
    return type;
  };
  for (const column of selected ?? []) typeOf(column);
  const checked = conditions.map((condition) => typed(condition, typeOf(condition.column)));
  return {
    id,
    event,
    table: name,
    filter: checked.length === 0 ? null : { key: JSON.stringify(checked), conditions: checked },
    select:
      selected === null || selected === undefined
        ? null
        : new Set([...selected.map((column) => column.trim()), table.key]),
  };
}
