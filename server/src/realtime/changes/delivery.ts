import { createSemaphore } from '#platform/concurrency';
import type { Database } from '#platform/database';
import { isDatabaseError } from '#platform/errors';
import type { Log } from '#platform/log';

import type { Channel } from '../channel.ts';
import { ROW_BYTES_MAX } from '../limits.ts';
import { isSessionOver } from '../viewer.ts';
import type { Viewer } from '../viewer.ts';
import type { Binding, Filter } from './bindings.ts';
import { nameOf, readRowsQuery } from './read-rows.ts';
import type { Reading } from './read-rows.ts';
import type { Change } from './source.ts';
import { columnsFor } from './tables.ts';
import type { Column, PublishedTable, Tables } from './tables.ts';

export type Delivery = {
  /** The channel subscribes to changes, or its viewer became another. */
  readonly add: (channel: Channel) => void;
  readonly remove: (channel: Channel) => void;
  /** Sends every subscriber the changes that they may see (RT-01). */
  readonly deliver: (changes: readonly Change[]) => Promise<void>;
  /** Makes every subscriber join again, and so read again. */
  readonly failAll: (message: string) => void;
};

export type DeliveryOptions = {
  readonly db: Database;
  readonly log: Log;
  readonly tables: () => Tables;
  /** Reads the tables again, after a migration. */
  readonly refreshTables: () => Promise<void>;
};

/** All channels whose viewer may see the same rows. */
type Group = { readonly viewer: Viewer; readonly channels: Set<Channel> };

/** The viewers that are read for at once: the pool is everybody's. */
const CONCURRENCY = 4;
const ATTEMPTS = 3;
const REGEX_TIMEOUT_MS = 200;
/** The filters of one statement, whose values PostgreSQL counts in two bytes. */
const FILTERS_AT_ONCE = 200;

/**
 * Row level security decides who gets a change, at the time of delivery. The changed rows are read as each distinct viewer,
 * in one statement for a whole batch, so a session that ended, a right that was withdrawn or a row that moved away shows
 * nothing. Subscribers get the row as it then is, never an older one.
 */
export function createDelivery({ db, log, tables, refreshTables }: DeliveryOptions): Delivery {
  const groups = new Map<string, Group>();
  const withSlot = createSemaphore({ slots: CONCURRENCY });
  /** The group of each channel, whose viewer may have changed since. */
  const placeOf = new Map<Channel, string>();

  function remove(channel: Channel): void {
    const key = placeOf.get(channel);
    if (key === undefined) return;
    placeOf.delete(channel);
    const group = groups.get(key);
    group?.channels.delete(channel);
    if (group?.channels.size === 0) groups.delete(key);
  }

  async function deliverTo({ viewer, channels }: Group, changes: readonly Change[]): Promise<void> {
    const wanted = changes.filter((change) => mayConcern(viewer, change) && isWanted(channels, change));
    if (wanted.length === 0) return;
    let rows: Rows;
    try {
      rows = await readRows(viewer, wanted, readingOf(channels, wanted));
    } catch (error) {
      const message = isSessionOver(error) ? 'Unauthorized: The session is over' : 'The changes could not be read';
      if (!isSessionOver(error)) log.warn({ err: error }, 'Changed rows could not be read for a viewer');
      for (const channel of channels) channel.fail('postgres_changes', message);
      return;
    }
    const events = wanted.flatMap((change) => {
      const table = tables().get(change.table);
      const event = table === undefined ? null : eventOf(table, change, rows.get(nameOf(change)), viewer);
      return event === null ? [] : [event];
    });
    for (const event of events) {
      for (const channel of channels) {
        // The channel has signed out, or acts for somebody else, since the rows were read.
        if (channel.viewer().key !== viewer.key) continue;
        tell(channel, event);
      }
    }
  }

  /** The columns and the filters that the channels' subscriptions to these changes ask of each table. */
  function readingOf(channels: ReadonlySet<Channel>, changes: readonly Change[]): Reading {
    const whole = new Set<string | null>();
    const filters = new Map<string, Map<string, Filter>>();
    for (const channel of channels) {
      for (const binding of channel.bindings()) {
        const { table, select, filter } = binding;
        if (select?.size !== 1) whole.add(table);
        if (table === null || filter === null || filters.get(table)?.has(filter.key) === true) continue;
        if (!changes.some((change) => isAbout(binding, change))) continue;
        filters.set(table, (filters.get(table) ?? new Map<string, Filter>()).set(filter.key, filter));
      }
    }
    return {
      whole,
      filters: [...filters].flatMap(([table, of]) => [...of.values()].map((one) => ({ table, ...one }))),
    };
  }

  /** The rows as the viewer may read them, with the filters that each satisfies: one statement for the whole batch. */
  async function readRows(viewer: Viewer, changes: readonly Change[], { whole, filters }: Reading): Promise<Rows> {
    const [first = [], ...others] = inChunks(filters.filter((filter) => !hasRegex(filter)));
    const rows = await query(viewer, changes, { whole, filters: first });
    for (const chunk of others) await addAnswers(rows, viewer, changes, chunk);
    for (const filter of filters.filter(hasRegex)) {
      // A stranger's regular expression may be wrong, or take for ever: then its filter holds for no row.
      await addAnswers(rows, viewer, changes, [filter], REGEX_TIMEOUT_MS).catch((error: unknown) => {
        if (!isDatabaseError(error) || isSessionOver(error)) throw error;
      });
    }
    return rows;
  }

  async function addAnswers(
    rows: Rows,
    viewer: Viewer,
    changes: readonly Change[],
    filters: Reading['filters'],
    statementTimeoutMs?: number,
  ): Promise<void> {
    const answers = await query(viewer, changes, { whole: new Set(), filters }, statementTimeoutMs);
    for (const [name, { satisfied }] of answers) {
      const read = rows.get(name) ?? { row: null, satisfied: new Set<string>() };
      rows.set(name, { ...read, satisfied: new Set([...read.satisfied, ...satisfied]) });
    }
  }

  async function query(
    viewer: Viewer,
    changes: readonly Change[],
    reading: Reading,
    statementTimeoutMs?: number,
  ): Promise<Rows> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { rows } = await db.queryAs<{ name: string; row: string | null; satisfied: number[] }>(
          viewer.identity,
          readRowsQuery(tables(), viewer.identity.role, changes, reading),
          { readOnly: true, ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }) },
        );
        return new Map(
          rows.map(({ name, row, satisfied }) => [
            name,
            { row, satisfied: new Set(satisfied.map((at) => reading.filters[at]?.key ?? '')) },
          ]),
        );
      } catch (error) {
        if (isSessionOver(error) || attempt >= ATTEMPTS || statementTimeoutMs !== undefined) throw error;
        // A column or a table that is gone.
        if (isDatabaseError(error) && error.code.startsWith('42')) await refreshTables();
        await new Promise((resolve) => setTimeout(resolve, attempt * 100));
      }
    }
  }

  return {
    add(channel) {
      remove(channel);
      const viewer = channel.viewer();
      const group = groups.get(viewer.key);
      // The newest token of a session stands for all of its channels.
      const channels = group?.channels ?? new Set();
      groups.set(viewer.key, { viewer, channels: channels.add(channel) });
      placeOf.set(channel, viewer.key);
    },
    remove,
    async deliver(changes) {
      await Promise.all([...groups.values()].map((group) => withSlot(() => deliverTo(group, changes))));
    },
    failAll(message) {
      for (const channel of placeOf.keys()) channel.fail('postgres_changes', message);
    },
  };
}

/** By the change's name: the row that the viewer may read, as JSON text, and the keys of the filters that it satisfies. */
type Rows = Map<string, { readonly row: string | null; readonly satisfied: ReadonlySet<string> }>;

function inChunks<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / FILTERS_AT_ONCE);
  return Array.from({ length: count }, (_, at) => items.slice(at * FILTERS_AT_ONCE, (at + 1) * FILTERS_AT_ONCE));
}

function hasRegex({ conditions }: Filter): boolean {
  return conditions.some(({ operator }) => operator === 'match' || operator === 'imatch');
}

/**
 * Spares a reading whose result is known: the audience names everyone whom the policies could let read the row. A deleted
 * row cannot be read any more, so there the audience decides.
 */
function mayConcern(viewer: Viewer, change: Change): boolean {
  switch (viewer.identity.role) {
    case 'anon':
    case 'api_key':
      return false;
    case 'service_role':
      return true;
    case 'authenticated':
      if (viewer.personRole === 'admin') return true;
      if (change.audience === null) return change.operation !== 'DELETE';
      return viewer.personId !== null && change.audience.has(viewer.personId);
  }
}

function isWanted(channels: ReadonlySet<Channel>, change: Change): boolean {
  for (const channel of channels) {
    if (change.place > channel.since && channel.bindings().some((binding) => isAbout(binding, change))) return true;
  }
  return false;
}

function isAbout(binding: Binding, change: Change): boolean {
  return (
    (binding.table === null || binding.table === change.table) &&
    (binding.event === '*' || binding.event === change.operation)
  );
}

/** A change as one viewer may see it. */
type RowEvent = {
  readonly change: Change;
  readonly table: PublishedTable;
  readonly columns: readonly Column[];
  /** The row's JSON text; of a deleted one, its key alone. */
  readonly row: string;
  /** The keys of the filters that the row satisfies. */
  readonly satisfied: ReadonlySet<string>;
  /** Parsed once, where a selection needs it. */
  readonly parsed: () => Readonly<Record<string, unknown>>;
  /** The payload by selection of columns, written once for all channels. */
  readonly written: Map<string, { readonly data: string; readonly frames: Map<string, Buffer> }>;
};

function eventOf(
  table: PublishedTable,
  change: Change,
  read: { readonly row: string | null; readonly satisfied: ReadonlySet<string> } | undefined,
  viewer: Viewer,
): RowEvent | null {
  const columns = columnsFor(table, viewer.identity.role);
  if (columns.length === 0) return null;
  const text = change.operation === 'DELETE' ? keyOnly(table, change) : (read?.row ?? null);
  if (text === null) return null;
  let parsed: Record<string, unknown> | undefined;
  return {
    change,
    table,
    columns,
    row: text,
    satisfied: read?.satisfied ?? new Set(),
    parsed: () => (parsed ??= JSON.parse(text) as Record<string, unknown>),
    written: new Map(),
  };
}

function keyOnly(table: PublishedTable, change: Change): string {
  const isNumber = table.keyType === 'smallint' || table.keyType === 'integer' || table.keyType === 'bigint';
  return `{${JSON.stringify(table.key)}:${isNumber ? change.key : JSON.stringify(change.key)}}`;
}

function tell(channel: Channel, event: RowEvent): void {
  if (event.change.place <= channel.since) return;
  // One frame for all bindings that show the same columns.
  const bySelection = new Map<string, number[]>();
  for (const binding of channel.bindings()) {
    if (!isAbout(binding, event.change)) continue;
    if (binding.filter !== null && !event.satisfied.has(binding.filter.key)) continue;
    const selection = binding.select === null ? '' : [...binding.select].sort().join();
    const ids = bySelection.get(selection);
    if (ids === undefined) bySelection.set(selection, [binding.id]);
    else ids.push(binding.id);
    if (!event.written.has(selection)) {
      event.written.set(selection, { data: dataOf(event, binding.select), frames: new Map() });
    }
  }
  for (const [selection, ids] of bySelection) {
    const written = event.written.get(selection);
    if (written !== undefined) channel.sendChange(ids, written.data, written.frames);
  }
}

function dataOf(event: RowEvent, select: ReadonlySet<string> | null): string {
  const { change, table } = event;
  const columns = event.columns.filter((column) => select === null || select.has(column.name));
  const errors: string[] = [];
  let row = event.row;
  if (select !== null && change.operation !== 'DELETE') {
    row = JSON.stringify(Object.fromEntries(columns.map(({ name }) => [name, event.parsed()[name] ?? null])));
  }
  if (row.length > ROW_BYTES_MAX) {
    row = JSON.stringify(
      Object.fromEntries(Object.entries(event.parsed()).filter(([, value]) => JSON.stringify(value).length <= 64)),
    );
    errors.push('Error 413: Payload Too Large');
  }
  const described = JSON.stringify(columns.map(({ name, type }) => ({ name, type })));
  const record = change.operation === 'DELETE' ? '' : `,"record":${row}`;
  const old = change.operation === 'INSERT' ? '' : `,"old_record":${keyOnly(table, change)}`;
  return `{"schema":"public","table":${JSON.stringify(table.name)},"type":"${change.operation}","commit_timestamp":"${change.at}","columns":${described}${record}${old},"errors":${errors.length === 0 ? 'null' : JSON.stringify(errors)}}`;
}
