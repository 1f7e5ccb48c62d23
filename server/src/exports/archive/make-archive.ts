import { formatDateTime } from '@parrain/domain/date';
import { Failure } from '@parrain/domain/failure';

import type { Transaction } from '#platform/database';
import type { JobAttempt } from '#platform/jobs';
import type { Services } from '#platform/services';

import { csvHead, csvLines } from '../csv.ts';
import type { ColumnKind, ListColumn } from '../lists.ts';
import { openList } from '../read-list.ts';
import { zip } from '../zip.ts';
import type { ZipEntry } from '../zip.ts';
import { archivedTables, describedColumn, tablesLeftOut } from './archived-tables.ts';
import type { ArchivedTable } from './archived-tables.ts';

/** The job of `private.archives`: asked for by `company-archive`, and each minute, as the node that began one may be gone. */
const ARCHIVE_TASK = 'exports_make_archive';
/** The bytes of one row: what is in memory at once is some of these. */
const PART_BYTES = 2 * 1024 * 1024;
const ATTEMPTS_MAX = 3;

type Begun = { readonly id: string | null; readonly attempt: number };
/** Runs long readings of this process in turn with those of people. */
type InTurn = (work: () => Promise<void>) => Promise<void>;

export function defineArchive(services: Services, inTurn: InTurn): void {
  const { jobs } = services;
  jobs.define(
    ARCHIVE_TASK,
    async (_payload, attempt) => {
      if (!(await isAsked(services))) return;
      try {
        await inTurn(() => makeArchive(services, attempt.signal));
      } catch (error) {
        // Too many people wait for their exports: the next minute is as good.
        if (!(error instanceof Failure && error.code === 'exports_busy')) throw error;
      }
    },
    { isLong: true },
  );
  jobs.schedule(ARCHIVE_TASK, '* * * * *', { maxAttempts: 1 });
}

async function isAsked({ db }: Services): Promise<boolean> {
  const { rows } = await db.queryAsService('exports: archive', {
    text: `select from private.archives where status = 'making'`,
  });
  return rows.length > 0;
}

/**
 * Makes the archive that is asked for, of one snapshot of the database, unless another node is making it: the lock of the one
 * that reads goes with its connection, so that a killed node is followed by another within a minute (EX-03).
 */
async function makeArchive({ db, longReadings, log }: Services, signal: JobAttempt['signal']): Promise<void> {
  let begun: Begun = { id: null, attempt: 0 };
  const end = (rowCount: number | null, size: number | null) =>
    db.queryAsService('exports: archive', {
      text: 'select private.end_archive($1, $2, $3, $4)',
      values: [begun.id, begun.attempt, rowCount, size],
    });
  try {
    await longReadings.asService(
      'exports: archive',
      async (tx) => {
        const { rows } = await tx.query<{ is_mine: boolean }>(
          `select pg_try_advisory_xact_lock(hashtextextended('private.archives', 0)) as is_mine`,
        );
        if (rows[0]?.is_mine !== true) return;
        begun = await begin(db);
        if (begun.id === null) return;
        // Each of those before was cut with its node: this one would be too.
        if (begun.attempt > ATTEMPTS_MAX) return void (await end(null, null));
        const counts = new Map<string, number>();
        let place = 0;
        let size = 0;
        for await (const bytes of parts(zip(files(tx, counts)))) {
          signal.throwIfAborted();
          await db.queryAsService('exports: archive', {
            text: 'select private.add_archive_part($1, $2, $3, $4)',
            values: [begun.id, begun.attempt, place, bytes],
          });
          place += 1;
          size += bytes.length;
        }
        await end(
          [...counts.values()].reduce((sum, count) => sum + count, 0),
          size,
        );
      },
      { readOnly: true, isSnapshot: true },
    );
  } catch (error) {
    if (begun.id === null) throw error;
    log.error({ err: error, attempt: begun.attempt }, 'An archive could not be made');
    // The next minute tries again, on another node where this one stops.
    if (begun.attempt >= ATTEMPTS_MAX && !signal.aborted) await end(null, null);
  }
}

async function begin(db: Services['db']): Promise<Begun> {
  const { rows } = await db.queryAsService<Begun>('exports: archive', {
    text: 'select b.id, b.attempt from private.begin_archive() b',
  });
  return rows[0] ?? { id: null, attempt: 0 };
}

/** The files of an archive, each read as it is written; `counts` gets the rows of each table. */
async function* files(tx: Transaction, counts: Map<string, number>): AsyncGenerator<ZipEntry> {
  const types = await typesOf(tx);
  for (const [name, table] of Object.entries(archivedTables)) {
    const known = types.get(name);
    if (known === undefined) throw new Error(`There is no table ${name}`);
    const columns = Object.entries(table.columns).map(([column, described]) =>
      archivedColumn(column, describedColumn(described).label, known.columns.get(column)),
    );
    const { rowCount, batches } = await openList(
      tx,
      { relation: name, columns },
      { from: `${name} t0`, where: '', order: ` order by ${known.key}`, values: [] },
    );
    counts.set(name, rowCount);
    yield {
      name: `${table.file}.csv`,
      parts: (async function* () {
        yield csvHead(columns);
        for await (const rows of batches()) yield csvLines(columns, rows);
      })(),
    };
  }
  yield { name: 'colonnes.csv', parts: [csv(COLUMN_HEADS, columnLines(types))] };
  yield { name: 'LISEZ-MOI.txt', parts: [`\uFEFF${readMe(await instantOf(tx), counts).replaceAll('\n', '\r\n')}`] };
}

type KnownTable = { readonly key: string; readonly columns: ReadonlyMap<string, string> };

/** The columns of every table with their types, and the columns of its primary key. */
async function typesOf(tx: Transaction): Promise<ReadonlyMap<string, KnownTable>> {
  const { rows } = await tx.query<{ name: string; key: string; columns: Record<string, string> }>({
    text: `select n.nspname || '.' || c.relname as name,
        (select string_agg('t0.' || quote_ident(a.attname), ', ' order by k.place) from pg_index i
          cross join lateral unnest(i.indkey::int2[]) with ordinality k (number, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number where i.indrelid = c.oid and i.indisprimary) as key,
        (select json_object_agg(a.attname, format_type(a.atttypid, null)) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname || '.' || c.relname = any ($1)`,
    values: [Object.keys(archivedTables)],
  });
  return new Map(
    rows.map(({ name, key, columns }) => [name, { key, columns: new Map(Object.entries(columns)) }] as const),
  );
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  numeric: 'amount',
  date: 'day',
  'timestamp with time zone': 'moment',
  bigint: 'count',
  integer: 'count',
  smallint: 'count',
};

function archivedColumn(name: string, label: string, type = ''): ListColumn {
  const column = { label, kind: KINDS[type] ?? 'text', sql: `t0."${name}"` } as const;
  return type === 'boolean' ? { ...column, words: (value) => (value === 'true' ? 'oui' : 'non') } : column;
}

const TYPE_WORDS: Readonly<Record<ColumnKind, string>> = {
  text: 'texte',
  amount: 'nombre décimal',
  balance: 'nombre décimal',
  count: 'nombre entier',
  day: 'jour',
  moment: 'jour et heure, en France',
};

const COLUMN_HEADS = ['Fichier', 'Colonne', 'Explication', 'Type', 'Table', 'Nom technique'];

function* columnLines(types: ReadonlyMap<string, KnownTable>): Generator<readonly string[]> {
  for (const [name, { file, columns }] of Object.entries(archivedTables)) {
    for (const [column, described] of Object.entries(columns)) {
      const { label, meaning } = describedColumn(described);
      const type = types.get(name)?.columns.get(column);
      const words = type === 'boolean' ? 'oui ou non' : TYPE_WORDS[archivedColumn(column, label, type).kind];
      yield [`${file}.csv`, label, meaning, words, name, column];
    }
  }
}

function csv(heads: readonly string[], rows: Iterable<readonly string[]>): string {
  const columns = heads.map((label): ListColumn => ({ label, kind: 'text', sql: '' }));
  return csvHead(columns) + csvLines(columns, [...rows]);
}

async function instantOf(tx: Transaction): Promise<Date> {
  const { rows } = await tx.query<{ at: Date }>('select now() as at');
  return rows[0]?.at ?? new Date();
}

/** Text of the archive's contents, its omissions, and the way to read it. */
function readMe(at: Date, counts: ReadonlyMap<string, number>): string {
  const held = Object.entries(archivedTables).map(
    ([name, { file, holds }]) => `${file}.csv (${counts.get(name) ?? 0})\n    ${holds}`,
  );
  const columnsLeftOut = Object.values(archivedTables).flatMap(({ file, leftOut = {} }: ArchivedTable) =>
    Object.entries(leftOut).map(([column, reason]) => `${file}.csv, ${column} : ${reason}.`),
  );
  const reasons = Map.groupBy(Object.entries(tablesLeftOut), ([, reason]) => reason);
  const left = [...reasons].map(([reason, tables]) => `${reason}.\n    ${tables.map(([name]) => name).join(', ')}`);
  return `Toutes les données de l’entreprise, telles qu’elles étaient le ${formatDateTime(at.toISOString())}.

COMMENT LES LIRE

Chaque fichier CSV s’ouvre dans un tableur : colonnes séparées par « ; », UTF-8, virgule décimale, dates et heures de France.
« colonnes.csv » explique chaque colonne. Un texte qu’un tableur prendrait pour une formule commence par une apostrophe.
Ces fichiers contiennent des données personnelles : ne les gardez et ne les transmettez que si vous en avez le droit.

FICHIERS, AVEC LEUR NOMBRE DE LIGNES

${held.join('\n')}

TABLES ABSENTES, ET POURQUOI

${left.join('\n')}

COLONNES ABSENTES, ET POURQUOI

${columnsLeftOut.join('\n')}
`;
}

/** The same bytes in pieces of a size. */
async function* parts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const bytes of source) {
    held.push(bytes);
    size += bytes.length;
    if (size < PART_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}
