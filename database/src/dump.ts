import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

import { connectAsOwner } from './connect.ts';
import type { Owner } from './connect.ts';
import type { History } from './migrate.ts';

/** The first line of a dump: all that is not rows. */
export type DumpHeader = {
  readonly format: typeof DUMP_FORMAT;
  readonly madeAt: string;
  readonly postgres: string;
  /** The master key in use, in hexadecimal: bank details, API keys and signing keys are sealed with what derives from it. */
  readonly masterKey: string;
  /** The schema that the rows fit, as the migrations that made it. */
  readonly migrations: History;
  readonly sequences: readonly { readonly name: string; readonly value: string }[];
};

/** The last line of a dump: what must have been read before it. */
export type DumpTrailer = {
  /** Rows by section. */
  readonly rows: Readonly<Record<string, number>>;
  /** Tables that a hand other than the program's made: not in the dump. */
  readonly leftOut: readonly string[];
  /** Files that the database names and that were not to be had. */
  readonly filesMissing: number;
};

export type DumpOptions = {
  readonly masterKey: Uint8Array;
  /** Gives the bytes that a row of storage.objects keeps elsewhere, null where they are gone. */
  readonly fetchFile?: (blob: string) => Promise<Buffer | null>;
};

export const DUMP_FORMAT = 'parrain-dump-1';
/** Prefix of a header and a trailer: an SQL comment, since a dump can be read as a script. */
export const NOTE = '-- ';
export const END_OF_ROWS = '\\.';

/** The sections that hold rows of no table: {@link FILES_HEAD} bytes kept elsewhere, {@link JOBS_HEAD} what the queue is to do. */
export const FILES_HEAD = 'COPY restored_files (blob, content) FROM stdin;';
export const JOBS_HEAD =
  'COPY restored_jobs (task, payload, queue_name, run_at, max_attempts, key, priority, flags) FROM stdin;';

export type DumpedTable = {
  /** As SQL writes it, with its schema. */
  readonly name: string;
  /** The first line of its section, which says its columns too. */
  readonly head: string;
  readonly columns: string;
  /** True when the service's role reads all of it. */
  readonly isReadable: boolean;
};

/** Settings under which any PostgreSQL, whatever its own, reads the values back as they were. */
export const NEUTRAL_SETTINGS = `set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set timezone = 'UTC'; set extra_float_digits = 3; set bytea_output = 'hex'; set client_min_messages = warning;
  set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set transaction_timeout = 0`;

/**
 * Generated columns are left out: PostgreSQL counts them again. So are unlogged tables, which would not outlive a crash
 * either, the list of migrations, which restoring makes anew, and the changes that sockets were told lately: they are
 * numbered by the transactions of their own cluster.
 */
export const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name, cols.list as columns,
    format('COPY %I.%I (%s) FROM stdin;', n.nspname, c.relname, cols.list) as head,
    has_table_privilege('parrain_service', c.oid, 'select') and (not c.relrowsecurity or (
      exists (select from pg_policy p where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
        and p.polroles && array[0::oid, 'parrain_service'::regrole::oid] and pg_get_expr(p.polqual, c.oid) = 'true')
      and not exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive and p.polcmd in ('r', '*')))) as "isReadable"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  cross join lateral (select string_agg(quote_ident(attname), ', ' order by attnum) as list from pg_attribute
    where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') cols
  where n.nspname in ('public', 'auth', 'storage', 'private', 'figures') and c.relkind = 'r' and c.relpersistence = 'p'
    and not (n.nspname = 'private' and c.relname in ('migrations', 'changes'))
  order by 1`;

const SEQUENCES = `
  select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
  where schemaname in ('public', 'auth', 'storage', 'private', 'figures') and last_value is not null order by 1`;

/** Jobs that gave up stay behind, and backups: none starts because an installation was restored. */
const JOBS = `
  select t.identifier, j.payload, q.queue_name, j.run_at, j.max_attempts, j.key, j.priority, j.flags
  from graphile_worker._private_jobs j
  join graphile_worker._private_tasks t on t.id = j.task_id
  left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
  where j.attempts < j.max_attempts and t.identifier <> 'backup'
  order by j.id`;

/**
 * Everything that the database holds at one instant, while others write: a header, each table's rows as PostgreSQL's
 * `COPY` writes them, a trailer. It is read as `parrain_service`, whose policies show it every row, so that it takes no
 * superuser; a table whose policies might hide some is named in the trailer, never read in part.
 */
export async function* dump(owner: Owner, options: DumpOptions): AsyncGenerator<Buffer, DumpTrailer> {
  const client = await connectAsOwner(owner);
  try {
    await client.query(NEUTRAL_SETTINGS);
    const tables = await lockTables(client);
    const { rows: migrations } = await client.query<History[number]>(
      'select name, checksum from private.migrations order by name',
    );
    const { rows: sequences } = await client.query<DumpHeader['sequences'][number]>(SEQUENCES);
    const facts = await client.query<{ version: string; at: Date; has_jobs: boolean; has_blobs: boolean }>(
      `select current_setting('server_version') as version, now() as at,
         to_regclass('graphile_worker._private_jobs') is not null as has_jobs,
         exists (select from pg_attribute where attrelid = 'storage.objects'::regclass and attname = 'blob') as has_blobs`,
    );
    const {
      version = '',
      at = new Date(),
      has_jobs: hasJobs = false,
      has_blobs: hasBlobs = false,
    } = facts.rows[0] ?? {};
    const header: DumpHeader = {
      format: DUMP_FORMAT,
      madeAt: at.toISOString(),
      postgres: version,
      masterKey: Buffer.from(options.masterKey).toString('hex'),
      migrations,
      sequences,
    };
    yield Buffer.from(`${NOTE}${JSON.stringify(header)}\n`);

    await client.query('set local role parrain_service');
    const rows: Record<string, number> = {};
    for (const { name, columns, head } of tables.filter(({ isReadable }) => isReadable)) {
      rows[head] = yield* section(client, head, `copy (select ${columns} from only ${name}) to stdout`);
    }
    if (hasJobs) rows[JOBS_HEAD] = yield* section(client, JOBS_HEAD, `copy (${JOBS}) to stdout`);
    let filesMissing = 0;
    if (hasBlobs) {
      const files = yield* filesElsewhere(client, options.fetchFile);
      rows[FILES_HEAD] = files.found;
      filesMissing = files.missing;
    }
    await client.query('commit');
    const leftOut = tables.filter(({ isReadable }) => !isReadable).map(({ name }) => name);
    const trailer: DumpTrailer = { rows, leftOut, filesMissing };
    yield Buffer.from(`${NOTE}${JSON.stringify(trailer)}\n`);
    return trailer;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Opens the transaction, and holds what would empty a table under an older snapshot: TRUNCATE and the ALTER TABLEs that
 * rewrite one. The locks come before the snapshot, which the first reading takes.
 */
async function lockTables(client: Client): Promise<readonly DumpedTable[]> {
  const { rows: known } = await client.query<DumpedTable>(TABLES);
  await client.query('begin isolation level repeatable read, read only');
  await client.query(`set local lock_timeout = '30s'`);
  if (known.length > 0) {
    const names = known.filter(({ isReadable }) => isReadable).map(({ name }) => name);
    await client.query(`lock table ${names.join(', ')} in access share mode`);
  }
  const { rows: tables } = await client.query<DumpedTable>(TABLES);
  if (JSON.stringify(tables) !== JSON.stringify(known)) throw new Error('The schema changed while it was being read');
  return tables;
}

async function* section(client: Client, head: string, statement: string): AsyncGenerator<Buffer, number> {
  yield Buffer.from(`${head}\n`);
  const rows = client.query(copyTo(statement));
  for await (const chunk of rows) yield chunk as Buffer;
  yield Buffer.from(`${END_OF_ROWS}\n`);
  return rows.rowCount;
}

async function* filesElsewhere(
  client: Client,
  fetchFile: DumpOptions['fetchFile'],
): AsyncGenerator<Buffer, { readonly found: number; readonly missing: number }> {
  const { rows } = await client.query<{ blob: string }>(
    'select blob from storage.objects where blob is not null order by blob',
  );
  let found = 0;
  yield Buffer.from(`${FILES_HEAD}\n`);
  for (const { blob } of rows) {
    const bytes = (await fetchFile?.(blob)) ?? null;
    if (bytes === null) continue;
    found += 1;
    // The row as COPY writes it: a backslash is written twice. Names of bytes are UUIDs.
    yield Buffer.from(`${blob}\t\\\\x${bytes.toString('hex')}\n`);
  }
  yield Buffer.from(`${END_OF_ROWS}\n`);
  return { found, missing: rows.length - found };
}
