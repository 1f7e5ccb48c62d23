import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import type { Client } from 'pg';

import { connectAsOwner, primaryOf } from './connect.ts';
import type { Owner } from './connect.ts';
import { ensureSharedRoles, MigrationError, requireVersion } from './roles.ts';

export { MigrationError } from './roles.ts';

export type MigrationOptions = {
  /** Folder of the migrations; the project's own by default. */
  readonly folder?: string;
  readonly onApplied?: (name: string) => void;
  /** Time during which a migration tries again to lock tables that others hold. */
  readonly patienceMs?: number;
  /** Stops after this many files: an older schema, for the data that fit it. */
  readonly count?: number;
};

const PROJECT_FOLDER = path.join(import.meta.dirname, '..', 'migrations');
const FILE_NAME = /^\d{4}-[a-z0-9-]+\.sql$/u;
/** Of several nodes that start together one migrates; the others wait here and find nothing left to do. */
const MIGRATION_LOCK = 7_203_119_255;
const LOCK_LOOK_MS = 50;
/**
 * Longest wait for a lock, during which others may queue behind the migration: less than PostgreSQL's `deadlock_timeout`, so that in a
 * deadlock it is the migration that gives in.
 */
const LOCK_WAIT_MS = 500;
const PAUSE_MS = 500;
const PATIENCE_MS = 600_000;
/** The first line of a migration that PostgreSQL refuses inside a transaction (an index made concurrently). */
const NO_TRANSACTION = '-- no transaction';

/**
 * Brings the database to this version's schema: each file of the folder once, in the order of its number; then the schema of the
 * job queue. A new database gets them in one transaction, an installation each in its own.
 * @returns the names of the files applied now.
 * @throws MigrationError where history has changed, or the database is ahead of this version.
 */
export async function migrate(owner: Owner, options: MigrationOptions = {}): Promise<string[]> {
  const folder = options.folder ?? PROJECT_FOLDER;
  const primary = await primaryOf(owner);
  const client = await connectAsOwner(primary);
  try {
    await requireVersion(client);
    await takeMigrationLock(client);
    const applied = await applyFiles(client, folder, options);
    await migrateJobQueue(client, primary);
    // Other nodes read the schema anew.
    if (applied.length > 0) await client.query(`notify pgrst, 'reload schema'`);
    return applied;
  } finally {
    // Ends the lock with the connection.
    await client.end();
  }
}

/** Runs the work on an owner's connection while no other node migrates or sets up. */
export async function withMigrationLock<T>(owner: Owner, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectAsOwner(owner);
  try {
    await takeMigrationLock(client);
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Asks again and again, where to wait would be a statement: an index that is made concurrently waits for the statements of
 * every other session to end, those that wait for this lock included.
 */
async function takeMigrationLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.taken === true) return;
    await wait(LOCK_LOOK_MS);
  }
}

type Migration = { readonly name: string; readonly text: string; readonly checksum: string };

async function applyFiles(client: Client, folder: string, options: MigrationOptions): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const applied = await appliedFiles(client);
  refuseChangedHistory(migrations, applied);
  await ensureSharedRoles(client, applied.length === 0);
  const pending = migrations.slice(applied.length, options.count);
  if (pending.length === 0) return [];
  await client.query('set client_min_messages = warning');
  // Nobody works in a database that has no schema yet, and a whole one is made in one piece.
  if (applied.length === 0) await applyTogether(client, pending, options);
  else await applyOneByOne(client, pending, options);
  return pending.map(({ name }) => name);
}

function isOutsideTransaction({ text }: Migration): boolean {
  return text.startsWith(`${NO_TRANSACTION}\n`);
}

/** A new installation: all of it or nothing, unless one of the files is applied outside of a transaction. */
async function applyTogether(
  client: Client,
  pending: readonly Migration[],
  { onApplied }: MigrationOptions,
): Promise<void> {
  let running: Migration | undefined;
  try {
    await client.query('begin');
    await client.query(HISTORY_TABLE);
    for (const migration of pending) {
      running = migration;
      if (isOutsideTransaction(migration)) {
        await client.query('commit');
        await applyStatements(client, migration);
        await client.query('begin');
      } else await applyText(client, migration);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    if (running === undefined) throw error;
    const state = isOutsideTransaction(running) ? BEGINS_AGAIN : KEPT_EMPTY;
    throw new MigrationError(`La migration ${running.name} a échoué : ${reasonOf(error, running)}. ${state}`, {
      cause: error,
    });
  }
  for (const { name } of pending) onApplied?.(name);
}

/**
 * Each in its own short transaction: nodes of the former version go on working, and no statement makes them wait for longer than
 * {@link LOCK_WAIT_MS}. One that finds its tables in use lets go and comes back.
 */
async function applyOneByOne(
  client: Client,
  pending: readonly Migration[],
  { onApplied, patienceMs = PATIENCE_MS }: MigrationOptions,
): Promise<void> {
  let last: Migration | undefined;
  for (const migration of pending) {
    try {
      await whileInUse(patienceMs, () =>
        isOutsideTransaction(migration) ? applyStatements(client, migration) : applyAlone(client, migration),
      );
    } catch (error) {
      throw new MigrationError(
        `La migration ${migration.name} a échoué : ${reasonOf(error, migration)}. ${isOutsideTransaction(migration) ? `${BEGINS_AGAIN} ` : ''}${kept(last)}`,
        { cause: error },
      );
    }
    last = migration;
    onApplied?.(migration.name);
  }
}

const KEPT_EMPTY = 'La base est restée vide. Signalez ce message à qui vous a remis cette version.';
const BEGINS_AGAIN = 'Elle ne tient pas dans une transaction et sera reprise depuis son début au prochain démarrage.';

/** The state that a failure leaves, and a way on from there. */
function kept(last: Migration | undefined): string {
  if (last === undefined) {
    return (
      'La base est restée comme elle était : remettez en service la version précédente du programme, ' +
      'et signalez ce message à qui vous a remis celle-ci.'
    );
  }
  return (
    `La base est dans l'état de la migration ${last.name}, entière. Laissez tourner les serveurs de la version précédente : ils continuent de ` +
    'servir, mais ne redémarreraient pas. Levez la cause et démarrez de nouveau cette version, qui reprend là ; ' +
    "ou restaurez, avec la version précédente, la sauvegarde d'avant la mise à jour. Signalez ce message à qui vous a remis cette version."
  );
}

async function applyAlone(client: Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
    await applyText(client, migration);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function applyText(client: Client, migration: Migration): Promise<void> {
  await client.query(migration.text);
  // Runs the deferred checks: the next migration may not change a table with checks that wait for the commit.
  await client.query('set constraints all immediate; set constraints all deferred');
  await record(client, migration);
}

/**
 * Runs the work again while others hold what it needs, after a pause in which they work: for as long as `patienceMs` in all.
 * A pause is drawn: a job of the former version that comes back at fixed times is not met each time.
 */
async function whileInUse(patienceMs: number, work: () => Promise<void>): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isInUse(error) || performance.now() >= until) throw error;
    }
    await wait(PAUSE_MS * (0.5 + Math.random()));
  }
}

/** 55P03: no lock was to be had in time; 40P01: a deadlock, which this end lost. */
const isInUse = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');

const HISTORY_TABLE = `
  create schema if not exists private;
  create table if not exists private.migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
  );`;

/**
 * Each statement in a transaction of its own, ended by a semicolon at the end of a line. One that fails leaves those before
 * it: the file is applied again from its beginning, and says « if (not) exists » wherever that matters.
 */
async function applyStatements(client: Client, migration: Migration): Promise<void> {
  let done = '';
  await client.query(HISTORY_TABLE);
  try {
    for (const statement of migration.text.split(/(?<=;)[ \t]*$/mu)) {
      if (statement.replaceAll(/--.*$/gmu, '').trim() !== '') {
        // A concurrent statement waits for others and lets them work meanwhile.
        const patience = /\bconcurrently\b/iu.test(statement) ? 0 : LOCK_WAIT_MS;
        await client.query(`set lock_timeout = ${patience}`);
        await client.query(statement);
      }
      done += statement;
    }
    await record(client, migration);
  } catch (error) {
    throw isInUse(error) ? error : new FailedStatement(error, done.length);
  } finally {
    await client.query('reset lock_timeout').catch(() => undefined);
  }
}

/** A statement of a file that is applied statement by statement, and its place there. */
class FailedStatement extends Error {
  readonly offset: number;
  constructor(cause: unknown, offset: number) {
    super('A statement failed', { cause });
    this.offset = offset;
  }
}

/** The reason of a failure, in the words of PostgreSQL, with the line of the file. */
function reasonOf(error: unknown, { text }: Migration): string {
  if (isInUse(error)) return "d'autres programmes tiennent ses tables depuis trop longtemps";
  return error instanceof FailedStatement ? messageOf(error.cause, text, error.offset) : messageOf(error, text);
}

async function record(client: Client, migration: Migration): Promise<void> {
  await client.query('insert into private.migrations (name, checksum) values ($1, $2)', [
    migration.name,
    migration.checksum,
  ]);
}

type Applied = { readonly name: string; readonly checksum: string };

/** Migrations that make a schema, in their order, each by its name and its content's checksum. */
export type History = readonly Applied[];

/** The history that this version of the program makes. */
export async function ownHistory(folder = PROJECT_FOLDER): Promise<History> {
  return readMigrations(folder);
}

/** The history that made this database; empty where nothing of ours is there. */
async function appliedFiles(client: Client): Promise<History> {
  const { rows: known } = await client.query<{ exists: boolean }>(
    `select to_regclass('private.migrations') is not null as exists`,
  );
  if (known[0]?.exists !== true) return [];
  const { rows } = await client.query<Applied>('select name, checksum from private.migrations order by name');
  return rows;
}

/**
 * The migrations that an installation still needs, which a start or `npm run migrate` applies: none where there is no
 * installation yet, whose schema takes a moment.
 * @throws MigrationError where history has changed, or the database is ahead of this version.
 */
export async function pendingMigrations(owner: Owner, folder = PROJECT_FOLDER): Promise<string[]> {
  const client = await connectAsOwner(owner);
  try {
    await requireVersion(client);
    const [migrations, applied] = await Promise.all([readMigrations(folder), appliedFiles(client)]);
    refuseChangedHistory(migrations, applied);
    return applied.length === 0 ? [] : migrations.slice(applied.length).map(({ name }) => name);
  } finally {
    await client.end();
  }
}

export type PlannedMigration = {
  readonly name: string;
  /** Estimated from how fast this database reads its largest table now. */
  readonly seconds: number;
  /** The tables that it reads whole: to check a constraint, to make an index, to write rows. */
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
};

/** A migration reads a table once for each of these; anything else of our files takes an instant (database/CONVENTIONS.md). */
const WHOLE_READS =
  /(?:alter\s+table\s+(?:only\s+)?(?<validated>\w+\.\w+)[^;]*?validate\s+constraint|create\s+(?:unique\s+)?index\s[^;]*?\son\s+(?<indexed>\w+\.\w+)|(?:^|\n|;)\s*(?:update|delete\s+from)\s+(?<written>\w+\.\w+))/giu;
/** An index is sorted and written, a row is copied: more than a reading. */
const COST = 4;

/** Plans what `migrate` would do with an installation, and estimates its duration. It reads the largest table once, and writes nothing. */
export async function planOf(owner: Owner, folder = PROJECT_FOLDER): Promise<readonly PlannedMigration[]> {
  const names = new Set(await pendingMigrations(owner, folder));
  const pending = (await readMigrations(folder)).filter(({ name }) => names.has(name));
  const client = await connectAsOwner(owner);
  try {
    const { rows: tables } = await client.query<{ name: string; rows: number }>(
      `select n.nspname || '.' || c.relname as name, greatest(c.reltuples, 0)::float8 as rows
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname in ('public', 'private', 'auth', 'storage', 'figures') order by 2 desc`,
    );
    const rowsOf = new Map(tables.map(({ name, rows }) => [name, rows]));
    const perSecond = await readingSpeed(client, tables[0]);
    return pending.map(({ name, text }) => {
      const read = [...text.matchAll(WHOLE_READS)].flatMap(({ groups }) => {
        const table = groups?.['validated'] ?? groups?.['indexed'] ?? groups?.['written'] ?? '';
        const rows = rowsOf.get(table);
        return rows === undefined ? [] : [{ name: table, rows }];
      });
      const seconds = (read.reduce((sum, { rows }) => sum + rows, 0) * COST) / perSecond;
      return { name, seconds, tables: read };
    });
  } finally {
    await client.end();
  }
}

async function readingSpeed(client: Client, table: { name: string; rows: number } | undefined): Promise<number> {
  if (table === undefined || table.rows < 1000) return 100_000;
  const from = performance.now();
  await client.query(`select count(*) from ${table.name} t where t is not null`);
  return table.rows / ((performance.now() - from) / 1000);
}

/**
 * Makes sure that the database has this very version's schema, and changes nothing: for commands.
 * @throws MigrationError where a server has to migrate it first, or the database is ahead of this version.
 */
export async function requireMigrated(client: Client): Promise<void> {
  await requireVersion(client);
  const [migrations, applied] = await Promise.all([readMigrations(PROJECT_FOLDER), appliedFiles(client)]);
  refuseChangedHistory(migrations, applied);
  if (applied.length === migrations.length) return;
  throw new MigrationError(
    applied.length === 0
      ? "Cette base n'a pas encore d'installation de Parrain : démarrez d'abord le serveur (npm start). Rien n'a été changé."
      : "La base n'a pas encore le schéma de cette version : démarrez d'abord le serveur (npm start), qui la met à jour. Rien n'a été changé.",
  );
}

/**
 * Makes sure that the database has the schema of this version or of one before it.
 * @throws MigrationError where it has none, or is ahead of this version.
 */
export async function requireInstallation(client: Client): Promise<void> {
  const [migrations, applied] = await Promise.all([readMigrations(PROJECT_FOLDER), appliedFiles(client)]);
  refuseChangedHistory(migrations, applied);
  if (applied.length === 0)
    throw new MigrationError("Cette base n'a pas d'installation de Parrain. Rien n'a été changé.");
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const numbers = new Set<string>();
  for (const name of names) {
    if (!FILE_NAME.test(name)) throw new MigrationError(`Le nom de la migration ${name} n'est pas NNNN-intention.sql.`);
    const number = name.slice(0, 4);
    if (numbers.has(number)) throw new MigrationError(`Deux migrations portent le numéro ${number}.`);
    numbers.add(number);
  }
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(path.join(folder, name), 'utf8');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

function refuseChangedHistory(migrations: readonly Migration[], applied: History): void {
  for (const [index, done] of applied.entries()) {
    const migration = migrations[index];
    if (migration === undefined) {
      throw new MigrationError(
        `La base est plus récente que cette version du programme : elle connaît ${done.name}. Installez la version qui l'a créée.`,
      );
    }
    if (migration.name !== done.name || migration.checksum !== done.checksum) {
      throw new MigrationError(
        `L'histoire des migrations a changé : ${done.name}, déjà appliquée à cette base, n'est plus la même. ` +
          'Une migration appliquée ne se modifie pas : écrivez-en une nouvelle.',
      );
    }
  }
}

/** The queue belongs to the service's role, the only one that adds and takes jobs. */
async function migrateJobQueue(client: Client, owner: Owner): Promise<void> {
  const role = await client.query(`select from pg_roles where rolname = 'parrain_service'`);
  if (role.rowCount === 0) return;
  await client.query('create schema if not exists graphile_worker authorization parrain_service');
  const pool = new Pool({
    ...(typeof owner === 'string' ? { connectionString: owner } : owner),
    max: 2,
    options: '-c role=parrain_service',
  });
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  // The queue's first statement names its schema as if it might create it, for which it must be allowed to.
  const database = await client.query<{ name: string }>(`select quote_ident(current_database()) as name`);
  const name = database.rows[0]?.name ?? '';
  await client.query(`grant create on database ${name} to parrain_service`);
  try {
    await runMigrations({ pgPool: pool });
  } finally {
    await pool.end();
    await client.query(`revoke create on database ${name} from parrain_service`);
  }
}

/** @param before where in the text the statement begins, whose position PostgreSQL tells */
function messageOf(error: unknown, text: string, before = 0): string {
  if (!(error instanceof Error)) return String(error);
  if (!('position' in error) || typeof error.position !== 'string') return error.message;
  const line = text.slice(0, before + Number(error.position)).split('\n').length;
  return `${error.message} (ligne ${line})`;
}
