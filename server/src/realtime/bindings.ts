import { z } from 'zod';

import { parseFilter, typed } from './filter.ts';
import type { TypedCondition } from './filter.ts';
import { BINDINGS_PER_CHANNEL_MAX } from './limits.ts';
import { columnsFor } from './tables.ts';
import type { Tables } from './tables.ts';
import type { Viewer } from './viewer.ts';

const bindingSchema = z.object({
  event: z.string(),
  schema: z.string().nullish(),
  table: z.string().nullish(),
  filter: z.string().nullish(),
  select: z.union([z.array(z.string()), z.string()]).nullish(),
});

/** What a client says when it joins. Unknown settings are left alone: newer clients say more. */
export const joinSchema = z.object({
  config: z
    .object({
      broadcast: z
        .object({
          ack: z.boolean().catch(false),
          self: z.boolean().catch(false),
          // In milliseconds since 1970, as the client says times.
          replay: z.object({ since: z.number().min(0).max(8.64e15), limit: z.int().min(1).nullish() }).nullish(),
          replication_ready: z.boolean().nullish(),
        })
        .partial()
        .nullish(),
      presence: z
        .object({ key: z.string().max(255), enabled: z.boolean() })
        .partial()
        .nullish(),
      postgres_changes: z.array(bindingSchema).max(BINDINGS_PER_CHANNEL_MAX).nullish(),
      private: z.boolean().nullish(),
    })
    .default({}),
  access_token: z.string().nullish(),
});

export type AskedBinding = z.infer<typeof bindingSchema>;

/** A subscription to changes that the server keeps. */
export type Binding = {
  /** Its place among the channel's, from 1: the client takes 0 for nothing. */
  readonly id: number;
  readonly event: 'INSERT' | 'UPDATE' | 'DELETE' | '*';
  /** Null means every table that is told. */
  readonly table: string | null;
  readonly conditions: readonly TypedCondition[];
  /** The columns asked for, the key among them; null means all. */
  readonly select: ReadonlySet<string> | null;
};

/** What the client asked for cannot be given; the message is for its developer. */
export class BadBinding extends Error {
  override readonly name = 'BadBinding';
}

/** Checks what a client subscribes to. @throws BadBinding, BadFilter */
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
    return { id, event, table: null, conditions: [], select: null };
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
  return {
    id,
    event,
    table: name,
    conditions: conditions.map((condition) => typed(condition, typeOf(condition.column))),
    select:
      selected === null || selected === undefined
        ? null
        : new Set([...selected.map((column) => column.trim()), table.key]),
  };
}
