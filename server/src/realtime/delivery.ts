import { createSemaphore } from '#platform/concurrency';
import type { Database } from '#platform/database';
import { isDatabaseError } from '#platform/errors';
import type { Log } from '#platform/log';

import type { Binding } from './bindings.ts';
import type { Change } from './change-source.ts';
import type { Channel } from './channel.ts';
import { holds } from './filter.ts';
import type { Regex } from './filter.ts';
import { ROW_BYTES_MAX } from './limits.ts';
import { columnsFor } from './tables.ts';
import type { Column, Tables, ToldTable } from './tables.ts';
import { isSessionOver } from './viewer.ts';
import type { Viewer } from './viewer.ts';

export type Delivery = {
  /** The channel subscribes to changes, or its viewer became another. */
  readonly add: (channel: Channel) => void;
  readonly remove: (channel: Channel) => void;
  /** Tells every subscriber what they may know of these changes (RT-01). */
  readonly deliver: (changes: readonly Change[]) => Promise<void>;
  /** Has every subscriber join again, and so read again. */
  readonly failAll: (message: string) => void;
};

export type DeliveryOptions = {
  readonly db: Database;
  readonly log: Log;
  readonly tables: () => Tables;
  /** The tables are not what was read of them: a migration came since. */
  readonly refreshTables: () => Promise<void>;
};

/** All channels whose viewer may see the same rows. */
type Group = { readonly viewer: Viewer; readonly channels: Set<Channel> };

/** How many viewers are asked for at once: the pool is everybody's. */
const CONCURRENCY = 4;
const ATTEMPTS = 3;
const REGEX_TIMEOUT_MS = 200;

/**
 * Who may know of a change is decided by row level security, when it is told: the changed rows are read as each distinct
 * viewer, in one transaction for a whole batch, so that a session that ended, a right that was withdrawn or a row that
 * moved away shows nothing. A row as it is then is what is told: never an older one.
 */
export function createDelivery({ db, log, tables, refreshTables }: DeliveryOptions): Delivery {
  const groups = new Map<string, Group>();
  const withSlot = createSemaphore({ slots: CONCURRENCY });
  /** The group each channel was put in: its viewer may have changed since. */
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
      rows = await readRows(viewer, wanted, tablesReadWhole(channels));
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
    const matches = await answersOf(channels, events);
    for (const event of events) {
      for (const channel of channels) {
        // Signed out, or somebody else, since the rows were read.
        if (channel.viewer().key !== viewer.key) continue;
        tell(channel, event, matches);
      }
    }
  }

  /** The tables of which more than the key is told or asked; null among them stands for all. */
  function tablesReadWhole(channels: ReadonlySet<Channel>): ReadonlySet<string | null> {
    const whole = new Set<string | null>();
    for (const channel of channels) {
      for (const { table, select, conditions } of channel.bindings()) {
        if (whole.has(table)) continue;
        const key = table === null ? undefined : tables().get(table)?.key;
        const isKeyOnly = select?.size === 1 && conditions.every(({ column }) => column === key);
        if (!isKeyOnly) whole.add(table);
      }
    }
    return whole;
  }

  async function readRows(
    viewer: Viewer,
    changes: readonly Change[],
    whole: ReadonlySet<string | null>,
  ): Promise<Rows> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { rows } = await db.queryAs<{ table: string; key: string; row: string }>(
          viewer.identity,
          rowsQuery(tables(), viewer, changes, whole),
          { readOnly: true },
        );
        return new Map(rows.map((row) => [`${row.table} ${row.key}`, row.row]));
      } catch (error) {
        if (isSessionOver(error) || attempt >= ATTEMPTS) throw error;
        // A column or a table that is gone.
        if (isDatabaseError(error) && error.code.startsWith('42')) await refreshTables();
        await new Promise((resolve) => setTimeout(resolve, attempt * 100));
      }
    }
  }

  /** Has PostgreSQL answer the regular expressions of filters, within a time that nobody's expression can stretch. */
  async function answersOf(channels: ReadonlySet<Channel>, events: readonly RowEvent[]): Promise<Answers> {
    const asked = new Map<string, Regex>();
    for (const channel of channels) {
      for (const binding of channel.bindings()) {
        if (!binding.conditions.some(({ operator }) => operator === 'match' || operator === 'imatch')) continue;
        for (const event of events) {
          if (!isAbout(binding, event.change)) continue;
          matchesFilter(binding, event, (regex) => {
            asked.set(regexName(regex), regex);
            return null;
          });
        }
      }
    }
    const answers = new Map<string, boolean | null>();
    for (const [name, regex] of asked) {
      const answer = await db
        .queryAs<{ matches: boolean }>(
          { role: 'anon' },
          {
            text: regex.isCaseBlind
              ? 'select $1::text ~* $2::text as matches'
              : 'select $1::text ~ $2::text as matches',
            values: [regex.text, regex.pattern],
          },
          { readOnly: true, statementTimeoutMs: REGEX_TIMEOUT_MS },
        )
        .catch(() => null);
      answers.set(name, answer?.rows[0]?.matches ?? null);
    }
    return answers;
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

/** The rows that the viewer may read, as JSON text, by table and key. */
type Rows = ReadonlyMap<string, string>;
type Answers = ReadonlyMap<string, boolean | null>;

function nameOf(change: Change): string {
  return `${change.table} ${change.key}`;
}

function regexName({ text, pattern, isCaseBlind }: Regex): string {
  return JSON.stringify([text, pattern, isCaseBlind]);
}

/**
 * Spares a question whose answer is known: the audience says whom the policies could let read the row. Of a deleted row
 * nothing is left to ask about, so there it is the answer.
 */
function mayConcern(viewer: Viewer, change: Change): boolean {
  switch (viewer.identity.role) {
    case 'anon':
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

/**
 * One statement for the rows of a batch. Its text depends on the tables alone, and on which are read whole; where nothing
 * is to be read, it still finds out whether the session lives.
 */
function rowsQuery(
  tables: Tables,
  viewer: Viewer,
  changes: readonly Change[],
  whole: ReadonlySet<string | null>,
): { readonly text: string; readonly values: readonly unknown[] } {
  const keys = new Map<string, Set<string>>();
  for (const change of changes) {
    if (change.operation === 'DELETE') continue;
    const known = keys.get(change.table) ?? new Set();
    keys.set(change.table, known.add(change.key));
  }
  const parts: string[] = [];
  const values: (readonly string[])[] = [];
  for (const name of [...keys.keys()].sort()) {
    const table = tables.get(name);
    const columns = table === undefined ? [] : columnsFor(table, viewer.identity.role);
    if (table === undefined || columns.length === 0) continue;
    values.push([...(keys.get(name) ?? [])]);
    const isWhole = whole.has(name) || whole.has(null);
    const list = isWhole ? columns.map((column) => `"${column.name}"`).join(', ') : `"${table.key}"`;
    parts.push(
      `select '${table.name}' as "table", r."${table.key}"::text as key, to_json(r)::text as row
       from (select ${list} from public."${table.name}" where "${table.key}" = any ($${values.length}::text[]::${table.keyType}[])) r`,
    );
  }
  return { text: parts.length === 0 ? 'select where false' : parts.join(' union all '), values };
}

/** A change as one viewer may know it. */
type RowEvent = {
  readonly change: Change;
  readonly table: ToldTable;
  readonly columns: readonly Column[];
  /** The row's JSON text; of a deleted one, its key alone. */
  readonly row: string;
  /** Parsed once, where a filter or a selection needs it. */
  readonly parsed: () => Readonly<Record<string, unknown>>;
  /** What is said of it by selection of columns, written once for all channels. */
  readonly written: Map<string, { readonly data: string; readonly frames: Map<string, Buffer> }>;
};

function eventOf(table: ToldTable, change: Change, row: string | undefined, viewer: Viewer): RowEvent | null {
  const columns = columnsFor(table, viewer.identity.role);
  if (columns.length === 0) return null;
  if (change.operation !== 'DELETE' && row === undefined) return null;
  const text = change.operation === 'DELETE' ? keyOnly(table, change) : (row ?? '{}');
  let parsed: Record<string, unknown> | undefined;
  return {
    change,
    table,
    columns,
    row: text,
    parsed: () => (parsed ??= JSON.parse(text) as Record<string, unknown>),
    written: new Map(),
  };
}

function keyOnly(table: ToldTable, change: Change): string {
  const isNumber = table.keyType === 'smallint' || table.keyType === 'integer' || table.keyType === 'bigint';
  return `{${JSON.stringify(table.key)}:${isNumber ? change.key : JSON.stringify(change.key)}}`;
}

function tell(channel: Channel, event: RowEvent, answers: Answers): void {
  if (event.change.place <= channel.since) return;
  // One frame for all bindings that show the same columns.
  const bySelection = new Map<string, number[]>();
  for (const binding of channel.bindings()) {
    if (!isAbout(binding, event.change)) continue;
    if (!matchesFilter(binding, event, (regex) => answers.get(regexName(regex)) ?? null)) continue;
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

function matchesFilter(binding: Binding, event: RowEvent, matches: (regex: Regex) => boolean | null): boolean {
  return binding.conditions.every((condition) => {
    // Of a deleted row only the key is known: a filter on anything else cannot hold.
    if (!Object.hasOwn(event.parsed(), condition.column)) return false;
    return holds(condition, event.parsed()[condition.column], matches) === true;
  });
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
