import type { Transaction } from '#platform/database';

import { commonHeaders, contentRange } from './exchange.ts';
import type { Answer, Exchange } from './exchange.ts';
import { countedIn, farPageOf, FOUND_MAX, SEES_ALL, searchOf, withFound } from './kept.ts';
import type { Counted, FarPage, Search } from './kept.ts';
import { ROWS_MAX } from './limits.ts';
import { parseQuery } from './parse.ts';
import { planRead, sourceOf } from './plan.ts';
import type { Level } from './plan.ts';
import type { CountKind } from './preferences.ts';
import { pairsOf } from './query-string.ts';
import { remembered } from './remembered.ts';
import { notOneRow, RestError, tooManyAffected } from './rest-error.ts';
import type { Relation, SchemaCache } from './schema-cache.ts';
import {
  csvHeader,
  estimateStatement,
  keptTotalStatement,
  NOWHERE,
  pageStatement,
  placeStatement,
  quoted,
  readStatement,
  ROOT,
  totalStatement,
} from './sql.ts';
import type { Parameters, Place, ReadOptions, ReadRow, Statement } from './sql.ts';
import { inTransaction } from './transaction.ts';

/** GET and HEAD of a table or a view: one read-only transaction, in which PostgreSQL makes the answer's body. */
export async function readRelation(exchange: Exchange, cache: SchemaCache, relation: Relation): Promise<Answer> {
  const { query, range } = exchange;
  const { level, statements } = remembered(cache, `${relation.name}?${query}`, () =>
    planRead(cache, sourceOf(relation), parseQuery(pairsOf(query))),
  );
  const wanted = range === null ? level : withRange(level, range);
  const rowsFrom = { from: fromRelation(relation), readOnly: true, countedIn: countedIn(relation, level) };
  const search = searchOf(relation, level);
  if (search !== null) {
    const ids = await find(exchange, search);
    if (ids !== null) return answerRows(exchange, withFound(wanted, ids, search.otherwise), rowsFrom);
  }
  const far = exchange.method === 'HEAD' ? null : farPageOf(relation, wanted);
  if (far !== null) {
    const answer = await readFarPage(exchange, wanted, { ...rowsFrom, far, search });
    if (answer !== null) return answer;
  }
  if (search !== null) {
    const isCounted = exchange.preferences.count === 'exact';
    const known = isCounted ? await countCommon(exchange, wanted, search, rowsFrom.from) : null;
    return answerRows(exchange, wanted, { ...rowsFrom, isCommon: true, known });
  }
  return answerRows(exchange, wanted, range === null ? { ...rowsFrom, statements } : rowsFrom);
}

/**
 * A page far behind, for who sees all rows: where it lies is looked up first, then its rows are read with the caller's own
 * sight. All of it speaks of one instant. Null for everyone else.
 */
async function readFarPage(
  exchange: Exchange,
  level: Level,
  {
    from,
    countedIn: kept,
    far,
    search,
  }: { from: string; countedIn: Counted | null; far: FarPage; search: Search | null },
): Promise<Answer | null> {
  const { caller, preferences } = exchange;
  const { count, timezone } = preferences;
  const isGuessed = count === 'planned' || count === 'estimated';
  if (isGuessed && kept === null && far.places === null) return null;

  async function placeIn(tx: Transaction): Promise<Place | null> {
    if (far.places !== null) return only(tx.query<Place>(placeStatement(level, far.places)));
    if (kept !== null) {
      const { total } = await only(tx.query<{ total: number | null }>(keptTotalStatement(level, kept)));
      return { ...NOWHERE, total };
    }
    const { yes } = await only(tx.query<{ yes: boolean }>({ text: `select ${SEES_ALL} as yes` }));
    return yes ? NOWHERE : null;
  }

  return caller.db.transactionAs(
    caller.identity,
    async (tx) => {
      const known = await placeIn(tx);
      const isKept = kept !== null || far.places !== null;
      if (known === null || (isKept && known.total === null)) return null;
      const { ids, total } = await tx.asService('a page far behind', async () => {
        const counted =
          isKept || count !== 'exact'
            ? known.total
            : (await only(tx.query<{ total: number }>(totalStatement(level, from, search)))).total;
        const page = pageStatement(level, from, far, { ...known, total: counted });
        const { rows } = await tx.query<{ id: string }>({ ...page, prepare: false });
        return { ids: rows.map(({ id }) => id), total: counted };
      });
      const statement = readStatement(
        { ...withFound(level, ids, []), offset: 0 },
        {
          from,
          media: exchange.media,
          showsRows: true,
          isLimited: true,
          total: count === null ? 'none' : 'exact',
          known: total,
        },
      );
      return answerTo(exchange, level, await only(tx.query<ReadRow>(statement)));
    },
    { readOnly: true, isSnapshot: true, timeZone: timezone },
  );
}

/** Row level security lets no index serve `ilike`: rows are found first, then read with the caller's own sight. */
async function find(exchange: Exchange, { finder, pattern }: Search): Promise<readonly string[] | null> {
  const { db, identity } = exchange.caller;
  if (identity.role !== 'authenticated') return null;
  const text = `select ${finder}($1, ${FOUND_MAX}) as ids`;
  const { ids } = await only(
    db.queryAs<{ ids: string[] | null }>(identity, { text, values: [pattern] }, { readOnly: true }),
  );
  return ids;
}

/** The number of a common search's rows, for who sees them all; null for everyone else, whose rows are few. */
async function countCommon(exchange: Exchange, level: Level, search: Search, from: string): Promise<number | null> {
  if (search.otherwise.length > 0) return null;
  const { db, identity } = exchange.caller;
  return db.transactionAs(
    identity,
    async (tx) => {
      const seesAll = await only(tx.query<{ yes: boolean }>({ text: `select ${SEES_ALL} as yes` }));
      if (!seesAll.yes) return null;
      const count = totalStatement(level, from, search);
      const { total } = await tx.asService('a count of what is common', async () =>
        only(tx.query<{ total: number }>(count)),
      );
      return total;
    },
    { readOnly: true },
  );
}

export function fromRelation(relation: Relation): string {
  return `public.${quoted(relation.name)} as ${ROOT}`;
}

/** Rows from `offset` on, `limit` of them at most, that are also within the `Range` header. */
function withRange(level: Level, range: NonNullable<Exchange['range']>): Level {
  const offset = Math.max(level.offset, range.from);
  const end = Math.min(level.offset + level.limit, range.to === null ? Number.MAX_SAFE_INTEGER : range.to + 1);
  return { ...level, offset, limit: Math.max(0, Math.min(ROWS_MAX, end - offset)) };
}

export type RowsFrom = {
  readonly from: string;
  /** The values that `from` itself needs. */
  readonly bound?: Parameters;
  readonly readOnly: boolean;
  /** Whether the rows are one composite value: one object whatever shape was asked for, null where it is filtered out. */
  readonly isOne?: boolean;
  readonly countedIn?: Counted | null;
  /** How many rows the conditions leave, where it is known before. */
  readonly known?: ReadOptions['known'];
  /** Whether what is looked for has more rows than a search finds. */
  readonly isCommon?: boolean;
  /** Statements made before for the same level. */
  readonly statements?: Map<string, Statement>;
};

type CountedTo = Exclude<ReadOptions['total'], object>;

/** Runs a reading and words its answer: body, range, counts, one object where one was asked for. */
export async function answerRows(exchange: Exchange, level: Level, rowsFrom: RowsFrom): Promise<Answer> {
  const { method } = exchange;
  const media = rowsFrom.isOne === true ? { ...exchange.media, shape: 'object' as const } : exchange.media;
  const { count } = exchange.preferences;
  const showsRows = method !== 'HEAD';
  const options: Omit<ReadOptions, 'total'> = {
    from: rowsFrom.from,
    media,
    showsRows,
    isLimited: true,
    countedIn: rowsFrom.countedIn ?? null,
    known: rowsFrom.known ?? null,
  };
  const statement = (total: CountedTo): Statement => {
    const look = `${media.shape} ${media.stripNulls} ${showsRows} ${total}`;
    const made = rowsFrom.statements?.get(look) ?? readStatement(level, { ...options, total }, rowsFrom.bound);
    rowsFrom.statements?.set(look, made);
    return made;
  };
  const { readOnly } = rowsFrom;
  const answer = (row: ReadRow): Answer => answerTo(exchange, level, row);
  if (count === 'planned' || count === 'estimated') {
    return answer(await withEstimate(exchange, level, rowsFrom, count, statement));
  }
  const wanted = statement(count === 'exact' ? 'exact' : 'none');
  // What writes is kept only where it can be answered.
  if (!readOnly)
    return inTransaction(exchange, { readOnly }, async (tx) => answer(await only(tx.query<ReadRow>(wanted))));
  const { db, identity } = exchange.caller;
  return answer(
    await only(db.queryAs<ReadRow>(identity, wanted, { readOnly, timeZone: exchange.preferences.timezone })),
  );
}

function answerTo(exchange: Exchange, level: Level, row: ReadRow): Answer {
  const { media, method, preferences } = exchange;
  const { rows, total } = row;
  if (media.shape === 'object' && rows !== 1) throw notOneRow(rows);
  // Of readings only a function's can be bounded.
  if (preferences.maxAffected !== null && method === 'POST' && rows > preferences.maxAffected) {
    throw tooManyAffected(rows);
  }
  if (total !== null && level.offset > 0 && level.offset >= total && rows === 0) {
    throw new RestError(416, 'PGRST103', 'Requested range not satisfiable', {
      details: `An offset of ${level.offset} was requested, but there are only ${total} rows.`,
    });
  }
  return {
    status: total !== null && rows < total ? 206 : 200,
    headers: {
      ...commonHeaders(exchange, ['count', 'handling', 'maxAffected', 'tx', 'timezone']),
      'content-range': contentRange(level.offset, rows, total),
      ...(method === 'POST'
        ? {}
        : { 'content-location': exchange.path + (exchange.query === '' ? '' : `?${exchange.query}`) }),
    },
    body: method === 'HEAD' ? null : bodyOf(exchange, level, row),
  };
}

function bodyOf(exchange: Exchange, level: Level, { body }: ReadRow): string {
  return exchange.media.shape === 'csv' ? withHeader(csvHeader(level), body) : (body ?? 'null');
}

function withHeader(header: string, rows: string | null): string {
  return rows === null ? header : `${header}\n${rows}`;
}

/**
 * Counts by the planner's guess where the caller may see every row; a guess over rows that are hidden would tell how many
 * there are, so everyone else gets the exact number.
 */
async function withEstimate(
  exchange: Exchange,
  level: Level,
  { from, readOnly, bound, isCommon = false }: RowsFrom,
  count: CountKind,
  statement: (total: CountedTo) => Statement,
): Promise<ReadRow> {
  const { db, identity } = exchange.caller;
  return db.transactionAs(
    identity,
    async (tx: Transaction) => {
      const seesAll = await only(tx.query<{ yes: boolean }>({ text: `select ${SEES_ALL} as yes` }));
      if (!seesAll.yes) return only(tx.query<ReadRow>(statement('exact')));
      const isCounted = count === 'estimated' && !isCommon;
      const page = await only(tx.query<ReadRow>(statement(isCounted ? 'up to the rows of a page' : 'none')));
      if (isCounted && page.total !== null && page.total <= ROWS_MAX) return page;
      const estimate = estimateStatement(level, from);
      const explain = (): Promise<{ 'QUERY PLAN': unknown }> => only(tx.query({ ...estimate, prepare: false }));
      // Guessed without the policies, whose share of the rows the planner cannot know. A function has its own rights.
      const isOfRelation = bound === undefined;
      const plan = await (isOfRelation ? tx.asService('a guess at how long a list is', explain) : explain());
      const shown = level.offset + page.rows;
      return { ...page, total: Math.max(rowsOfPlan(plan['QUERY PLAN']), isCounted ? (page.total ?? 0) : shown) };
    },
    { readOnly, timeZone: exchange.preferences.timezone },
  );
}

function rowsOfPlan(plan: unknown): number {
  const [first]: unknown[] = Array.isArray(plan) ? plan : [];
  const root = typeof first === 'object' && first !== null && 'Plan' in first ? first.Plan : null;
  return typeof root === 'object' && root !== null && 'Plan Rows' in root ? Number(root['Plan Rows']) : 0;
}

/** The one row that a statement of ours gives. */
export async function only<Row>(result: Promise<{ readonly rows: readonly Row[] }>): Promise<Row> {
  const { rows } = await result;
  const [row] = rows;
  if (row === undefined) throw new Error('A statement gave no row');
  return row;
}
