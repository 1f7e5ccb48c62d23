import type { Database, Identity } from '#platform/database';

/** A table whose changes are published. */
export type PublishedTable = {
  readonly name: string;
  readonly key: string;
  /** The key's type, as a cast names it. */
  readonly keyType: string;
  readonly columns: readonly Column[];
};

export type Column = {
  readonly name: string;
  /** PostgreSQL's own short name of the type: `uuid`, `numeric`, `timestamptz`. */
  readonly type: string;
  /** The roles that may read it. */
  readonly roles: ReadonlySet<Identity['role']>;
};

export type Tables = ReadonlyMap<string, PublishedTable>;

/** The tables that have a trigger recording their changes, with the columns that each role may read. */
export async function readTables(db: Database): Promise<Tables> {
  const { rows } = await db.queryAsService<{
    table: string;
    column: string;
    type: string;
    full_type: string;
    is_key: boolean;
    roles: readonly Identity['role'][];
  }>(
    'realtime: published tables',
    {
      text: `select c.relname as table, a.attname as column, t.typname as type, format_type(a.atttypid, null) as full_type,
          coalesce(a.attnum = any (k.conkey), false) as is_key,
          array(select r from unnest(array['anon', 'authenticated', 'service_role']) r
            where has_column_privilege(r, c.oid, a.attnum, 'select')) as roles
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        join pg_type t on t.oid = a.atttypid
        left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
        where c.relnamespace = 'public'::regnamespace and exists (select from pg_trigger g
          where g.tgrelid = c.oid and g.tgfoid = 'private.record_changes'::regproc and not g.tgisinternal)
        order by c.relname, a.attnum`,
    },
    { readOnly: true },
  );
  const tables = new Map<string, { name: string; key: string; keyType: string; columns: Column[] }>();
  for (const row of rows) {
    const table = tables.get(row.table) ?? { name: row.table, key: '', keyType: '', columns: [] };
    tables.set(row.table, table);
    table.columns.push({ name: row.column, type: row.type, roles: new Set(row.roles) });
    if (row.is_key) {
      table.key = row.column;
      table.keyType = row.full_type;
    }
  }
  return tables;
}

/** The columns of a table that the role may read; none where it may not read the key, which names the row. */
export function columnsFor(table: PublishedTable, role: Identity['role']): readonly Column[] {
  const columns = table.columns.filter((column) => column.roles.has(role));
  return columns.some((column) => column.name === table.key) ? columns : [];
}
