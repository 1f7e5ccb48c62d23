import { once } from 'node:events';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

import { connectAsOwner } from './connect.ts';
import type { Owner } from './connect.ts';
import { FILES_HEAD, JOBS_HEAD, NEUTRAL_SETTINGS, TABLES } from './dump.ts';
import type { DumpedTable, DumpHeader, DumpTrailer } from './dump.ts';
import { migrate, ownHistory } from './migrate.ts';
import type { History } from './migrate.ts';
import { BrokenDump } from './read-dump.ts';
import type { DumpPart } from './read-dump.ts';

/** Nothing was restored, and why, as a French sentence for whoever asked for it. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

export type RestoreOptions = {
  /** True when the master key is to be kept in the database, where nothing else keeps it. */
  readonly keepsMasterKey: boolean;
  /** Runs when everything is loaded, before it is committed. */
  readonly beforeCommit?: () => Promise<void>;
  /** Folder of the migrations; the project's own by default. */
  readonly folder?: string;
};

/**
 * Puts a dump into an empty database: the schema that its rows fit, the rows in one transaction, then the migrations that
 * came after. It takes the owner's rights and no superuser's, of any PostgreSQL that the program runs on.
 * @throws RestoreRefused, MigrationError or BrokenDump; the database is as empty as before.
 */
export async function restore(
  owner: Owner,
  parts: AsyncGenerator<DumpPart>,
  options: RestoreOptions,
): Promise<DumpTrailer> {
  const trailer = await restoreAsItWas(owner, parts, options);
  await migrate(owner, options.folder === undefined ? {} : { folder: options.folder });
  return trailer;
}

/**
 * Puts a dump into an empty database with the schema that it had: an installation of the version that made it.
 * @throws RestoreRefused, MigrationError or BrokenDump; the database is as empty as before.
 */
export async function restoreAsItWas(
  owner: Owner,
  parts: AsyncGenerator<DumpPart>,
  options: RestoreOptions,
): Promise<DumpTrailer> {
  const first = await parts.next();
  if (first.done === true || first.value.kind !== 'header') throw new BrokenDump('The header is missing');
  const { header } = first.value;
  const where = options.folder === undefined ? {} : { folder: options.folder };
  const schema = await schemaOf(header, options.folder);
  await requireEmpty(owner, header, options.folder);
  await migrate(owner, { ...where, count: schema.length });
  return load(owner, header, parts, options);
}

/**
 * Refuses a dump whose schema this version of the program cannot make.
 * @throws RestoreRefused.
 */
export async function requireKnown(header: Pick<DumpHeader, 'migrations'>, folder?: string): Promise<void> {
  await schemaOf(header, folder);
}

/**
 * The migrations of this version that make the schema of a dump.
 * @throws RestoreRefused where there are none.
 */
async function schemaOf({ migrations }: Pick<DumpHeader, 'migrations'>, folder?: string): Promise<History> {
  const own = await ownHistory(folder);
  for (const [index, { name, checksum }] of migrations.entries()) {
    const known = own[index];
    if (known === undefined) {
      throw new RestoreRefused(
        `La sauvegarde vient d'une version plus récente du programme (elle connaît ${name}) : installez cette version, ou une plus récente.`,
      );
    }
    if (known.name !== name || known.checksum !== checksum) {
      throw new RestoreRefused(
        `La sauvegarde vient d'un autre programme : sa migration ${name} n'est pas celle de cette version.`,
      );
    }
  }
  return own.slice(0, migrations.length);
}

/**
 * Refuses a database that holds anything but an installation which nobody has used yet.
 * @throws RestoreRefused.
 */
export async function requireEmpty(
  owner: Owner,
  header: Pick<DumpHeader, 'migrations'>,
  folder?: string,
): Promise<void> {
  const schema = await schemaOf(header, folder);
  await withClient(owner, async (client) => {
    const { rows } = await client.query<{ is_ours: boolean; tables: number }>(
      `select to_regclass('private.migrations') is not null as is_ours, (select count(*)::int from pg_class c
         where relkind in ('r', 'p') and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'pg_toast')
           and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')) as tables`,
    );
    const { is_ours: isOurs = false, tables = 0 } = rows[0] ?? {};
    if (!isOurs && tables === 0) return;
    if (!isOurs) {
      throw new RestoreRefused(
        "La base de destination contient déjà d'autres tables : une restauration demande une base vide.",
      );
    }
    const applied = await client.query<{ name: string }>('select name from private.migrations order by name');
    await refuseUsed(client);
    if (applied.rows.some(({ name }, index) => schema[index]?.name !== name)) {
      throw new RestoreRefused(
        'La base de destination est vide, mais elle a été préparée par une version plus récente que la sauvegarde : donnez une base neuve ou un autre DATA_DIR.',
      );
    }
  });
}

/** An account is the first thing that an installation gets. Read as the service: the owner's own policies might hide it. */
async function refuseUsed(client: Client): Promise<void> {
  const known = await client.query(`select from pg_class where oid = to_regclass('auth.users')`);
  if (known.rowCount === 0) return;
  await client.query('begin; set local role parrain_service');
  try {
    const { rows } = await client.query<{ used: boolean }>('select exists (select from auth.users) as used');
    if (rows[0]?.used !== false) {
      throw new RestoreRefused(
        'La destination est déjà utilisée : elle contient des comptes. Une restauration ne remplace rien : donnez une base vide ou un autre DATA_DIR.',
      );
    }
  } finally {
    await client.query('rollback');
  }
}

async function load(
  owner: Owner,
  header: DumpHeader,
  parts: AsyncGenerator<DumpPart>,
  options: RestoreOptions,
): Promise<DumpTrailer> {
  return withClient(owner, async (client) => {
    await client.query(NEUTRAL_SETTINGS);
    await refuseUsed(client);
    const { rows: tables } = await client.query<DumpedTable>(TABLES);
    const byName = new Map(tables.map((table) => [table.name, table]));
    // Read before anything is taken away: what puts it back is its own definition.
    const { rows: steps } = await client.query<Step>(STEPS);
    await client.query('begin');
    await client.query(`set local maintenance_work_mem = '256MB'`);
    for (const { before } of steps) await client.query(before);
    await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
    await client.query(PLACES);

    let trailer: DumpTrailer | null = null;
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
      const part = next.value;
      if (part.kind === 'open') await loadSection(client, copyStatement(part.head, byName), parts);
      else if (part.kind === 'trailer') ({ trailer } = part);
      else throw new BrokenDump('A section was expected');
    }
    if (trailer === null) throw new BrokenDump('The end is missing');
    if (FILES_HEAD in trailer.rows) await client.query(FILES);
    for (const { name, value } of header.sequences)
      await client.query('select setval($1::regclass, $2)', [name, value]);
    await client.query(`delete from private.secrets where name = 'master_key'`);
    if (options.keepsMasterKey) {
      await client.query(`insert into private.secrets (name, value) values ('master_key', $1)`, [
        Buffer.from(header.masterKey, 'hex'),
      ]);
    }
    for (const { after } of steps.toReversed()) await client.query(after);
    await client.query(`analyze ${tables.map(({ name }) => name).join(', ')}`);
    await client.query('set local role parrain_service');
    await client.query(JOBS);
    await options.beforeCommit?.();
    await client.query('commit');
    return trailer;
  });
}

type Step = { readonly before: string; readonly after: string };

/**
 * Statements that drop the obstacles to loading rows as they were, and those that restore them: row level security, which the owner is
 * under too; triggers, which would write the trail and the totals a second time; foreign keys and secondary indexes, faster made once all
 * rows are there. In the order of their making: their undoing runs backwards.
 */
const STEPS = `
  with tables as (
    select c.oid, format('%I.%I', n.nspname, c.relname) as name, c.relforcerowsecurity as is_forced
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'auth', 'storage', 'private', 'figures') and c.relkind = 'r'
      and not (n.nspname = 'private' and c.relname = 'migrations')
  )
  select format('alter table %s no force row level security', name) as before,
    format('alter table %s force row level security', name) as after, 0 as kind, oid
  from tables where is_forced
  union all
  select format('alter table %s disable trigger %I', t.name, g.tgname),
    format('alter table %s enable %s trigger %I', t.name, case g.tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end, g.tgname),
    1, g.oid
  from pg_trigger g join tables t on t.oid = g.tgrelid where not g.tgisinternal and g.tgenabled <> 'D'
  union all
  select format('alter table %s drop constraint %I', t.name, k.conname),
    format('alter table %s add constraint %I %s', t.name, k.conname, pg_get_constraintdef(k.oid)), 2, k.oid
  from pg_constraint k join tables t on t.oid = k.conrelid where k.contype = 'f'
  union all
  select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), 3, i.indexrelid
  from pg_index i join tables t on t.oid = i.indrelid where not i.indisunique and not i.indisreplident
  -- Keys that refer to the same table come back in the order they had: PostgreSQL acts on them in it.
  order by kind, oid desc`;

/** Temporary tables for the rows that belong to no table of ours. */
const PLACES = `
  create temporary table restored_files (blob text, content bytea) on commit drop;
  create temporary table restored_jobs (task text, payload json, queue_name text, run_at timestamptz, max_attempts integer,
    key text, priority integer, flags jsonb) on commit drop;
  grant select on restored_jobs to parrain_service`;

/** Bytes that were kept elsewhere are kept in their row from now on: a restored installation needs no other service. */
const FILES = `
  update storage.objects o set content = f.content, blob = null from restored_files f where f.blob = o.blob`;

const JOBS = `
  select graphile_worker.add_job(task, payload, queue_name, run_at, max_attempts, key, priority,
    (select array_agg(flag) from jsonb_object_keys(flags) flag))
  from restored_jobs`;

/** Parses the first line of a section. */
function sectionOf(head: string): { readonly name: string; readonly columns: string } {
  const match = /^COPY (?<name>\S+) \((?<columns>.+)\) FROM stdin;$/u.exec(head)?.groups;
  return { name: match?.['name'] ?? '', columns: match?.['columns'] ?? '' };
}

/** Columns may stand in another order than in this database's table: they are those of the dump, by name. */
function copyStatement(head: string, tables: ReadonlyMap<string, DumpedTable>): string {
  if (head === FILES_HEAD || head === JOBS_HEAD) return head.replace(/;$/u, '');
  const { name, columns } = sectionOf(head);
  const table = tables.get(name);
  const sorted = (list: string): string => list.split(', ').toSorted().join(', ');
  if (table === undefined || sorted(columns) !== sorted(table.columns)) throw new BrokenDump('A section is unknown');
  // A table that was emptied in this transaction takes rows that need no freezing later.
  return `copy ${table.name} (${columns}) from stdin with (freeze)`;
}

async function loadSection(client: Client, statement: string, parts: AsyncGenerator<DumpPart>): Promise<void> {
  const target = client.query(copyFrom(statement));
  const ended = once(target, 'finish');
  ended.catch(() => undefined);
  for (;;) {
    const next = await parts.next();
    if (next.done === true) throw new BrokenDump('The end is missing');
    if (next.value.kind === 'close') break;
    if (next.value.kind !== 'rows') throw new BrokenDump('Rows were expected');
    // Either there is room again, or PostgreSQL has refused a row.
    if (!target.write(next.value.bytes)) await Promise.race([once(target, 'drain'), ended]);
  }
  target.end();
  await ended;
}

async function withClient<T>(owner: Owner, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectAsOwner(owner);
  try {
    return await work(client);
  } finally {
    // Ends a transaction that failed too.
    await client.end().catch(() => undefined);
  }
}
