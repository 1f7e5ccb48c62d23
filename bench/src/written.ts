import type { Client } from 'pg';

/** Amount that one transaction wrote, as the write-ahead log has it: free of the noise of the machine. */
export type Written = { readonly rows: number; readonly indexEntries: number; readonly bytes: number };

/** Runs the act and reads what its transaction wrote: of those of its time, the one that wrote most. */
export async function writtenBy(owner: Client, act: () => Promise<unknown>): Promise<Written> {
  await owner.query('create extension if not exists pg_walinspect');
  const position = async (): Promise<string> => {
    const { rows } = await owner.query<{ at: string }>('select pg_current_wal_flush_lsn() as at');
    return rows[0]?.at ?? '';
  };
  const before = await position();
  await act();
  const { rows } = await owner.query<Written>(
    `select count(*) filter (where resource_manager ~ '^Heap' and record_type ~ '^(HOT_)?(INSERT|UPDATE|DELETE)')::int as rows,
       count(*) filter (where resource_manager = 'Btree' and record_type ~ 'INSERT' or resource_manager = 'Gin')::int as "indexEntries",
       sum(record_length - fpi_length)::int as bytes
     from pg_get_wal_records_info($1, $2) where xid <> 0 group by xid order by 3 desc limit 1`,
    [before, await position()],
  );
  const [written] = rows;
  if (written === undefined) throw new Error('The act wrote nothing');
  return written;
}
