import { Client } from 'pg';

import type { TestDatabase } from '../src/testing.ts';

// One defence at a time, with all the others of its table out of the way, in a transaction that is taken back (R4).

export type Column = {
  readonly name: string;
  readonly type: string;
  readonly isNotNull: boolean;
  readonly isGenerated: boolean;
};
export type Row = Record<string, unknown>;

export type Bench = {
  readonly client: Client;
  readonly columnsOf: (table: string) => Promise<readonly Column[]>;
  /** Runs the work with nothing of the table's in the way but the constraint or index `keep`, then takes everything back. */
  readonly alone: <T>(table: string, keep: string | null, work: () => Promise<T>) => Promise<T>;
  /** Runs the work, then takes everything back. */
  readonly takenBack: <T>(work: () => Promise<T>) => Promise<T>;
  /** Inserts each row in turn until one is refused, and gives the constraint or column that refused it. */
  readonly firstRefusal: (table: string, rows: readonly Row[]) => Promise<string | null>;
  /** Puts one row in as the owner of the table. */
  readonly insert: (table: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openBench(db: TestDatabase): Promise<Bench> {
  const client = new Client({ ...db.owner });
  await client.connect();
  await client.query(TRY);
  const tables = new Map<string, readonly Column[]>();

  async function takenBack<T>(work: () => Promise<T>): Promise<T> {
    await client.query('begin');
    try {
      return await work();
    } finally {
      await client.query('rollback');
    }
  }

  async function columnsOf(table: string): Promise<readonly Column[]> {
    const known = tables.get(table);
    if (known !== undefined) return known;
    const columns = await db.asOwner<Column>(
      `select attname as name, format_type(atttypid, null) as type, attnotnull as "isNotNull",
         attgenerated <> '' or attidentity = 'a' as "isGenerated"
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
      [table],
    );
    tables.set(table, columns);
    return columns;
  }

  return {
    client,
    columnsOf,
    takenBack,
    alone: (table, keep, work) =>
      takenBack(async () => {
        await client.query(`alter table ${table} disable trigger user`);
        const { rows } = await client.query<{ sql: string }>(IN_THE_WAY, [
          table,
          keep,
          keep === null ? null : `${table.split('.')[0]}.${keep}`,
        ]);
        for (const { sql } of rows) await client.query(sql);
        return work();
      }),
    async firstRefusal(table, rows) {
      // Most rules refuse one of the first rows: the thousands that follow are seldom sent.
      for (let from = 0, size = 30; from < rows.length; from += size, size *= 10) {
        const { rows: said } = await client.query<{ refused: string | null }>(
          'select pg_temp.first_refusal($1, $2) as refused',
          [table, JSON.stringify(rows.slice(from, from + size))],
        );
        const refused = said[0]?.refused ?? null;
        if (refused !== null) return refused;
      }
      return null;
    },
    async insert(table) {
      const row = rowOf(await columnsOf(table));
      const names = Object.keys(row).join(', ');
      await client.query(
        `insert into ${table} (${names}) select ${names} from jsonb_populate_record(null::${table}, $1)`,
        [JSON.stringify(row)],
      );
    },
    close: () => client.end(),
  };
}

/** A value that a column of that type may have. */
function dummy(type: string): unknown {
  if (type.endsWith('[]')) return '{}';
  if (/^(?:numeric|integer|bigint|smallint|double|real)/u.test(type)) return 1;
  if (type.startsWith('timestamp') || type === 'date') return some.time;
  switch (type) {
    case 'uuid':
      return some.uuid;
    case 'boolean':
      return true;
    case 'json':
    case 'jsonb':
      return {};
    case 'bytea':
      return '\\x00';
    case 'xid8':
      return '1';
    case 'inet':
      return '127.0.0.1';
    case 'interval':
      return '1 day';
    default:
      return some.text;
  }
}

/** A row of such values, but for what `more` says. */
export function rowOf(columns: readonly Column[], more: (column: Column) => unknown = () => undefined): Row {
  const row: Row = {};
  for (const column of columns) {
    if (column.isGenerated) continue;
    const value = more(column);
    row[column.name] = value === undefined ? dummy(column.type) : value;
  }
  return row;
}

export const some = {
  uuid: '11111111-1111-4111-8111-111111111111',
  text: 'x',
  time: '2026-01-01T00:00:00Z',
} as const;

// A foreign key may refer to its own table: the key that it needs stays.
const IN_THE_WAY = `
select format('alter table %s drop constraint if exists %I cascade', conrelid::regclass, conname) as sql
  from pg_constraint where conrelid = $1::regclass and conname is distinct from $2 and contype in ('c', 'u', 'f', 'x', 'p')
    and not (contype in ('u', 'p') and exists (select from pg_constraint k
      where k.conrelid = $1::regclass and k.conname = $2 and k.contype = 'f' and k.confrelid = k.conrelid))
union all
select format('drop index if exists %s', indexrelid::regclass) from pg_index i
  where indrelid = $1::regclass and indisunique and indexrelid <> coalesce(to_regclass($3), 0)
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
union all
select format('alter table %s alter column %I drop not null', attrelid::regclass, attname) from pg_attribute a
  where attrelid = $1::regclass and attnum > 0 and attnotnull and attidentity = '' and $2 is not null
    and not exists (select from pg_index i, pg_constraint k where i.indrelid = a.attrelid and i.indisprimary
      and a.attnum = any (i.indkey) and k.conrelid = $1::regclass and k.conname = $2 and k.confrelid = k.conrelid)`;

const TRY = `create function pg_temp.first_refusal(p_table regclass, p_rows jsonb) returns text language plpgsql as $$
declare
  row_ jsonb;
  names text;
  refused text;
  column_ text;
begin
  for row_ in select value from jsonb_array_elements(p_rows) loop
    begin
      select string_agg(quote_ident(key), ', ') into names from jsonb_object_keys(row_) key;
      execute format('insert into %s (%s) select %s from jsonb_populate_record(null::%s, $1)', p_table, names, names, p_table)
        using row_;
      set constraints all immediate;
      set constraints all deferred;
    exception when integrity_constraint_violation then
      get stacked diagnostics refused = constraint_name, column_ = column_name;
      return coalesce(nullif(column_, ''), refused);
    when data_exception or program_limit_exceeded then null;
    end;
  end loop;
  return null;
end
$$`;
