import type { Transaction } from '#platform/database';

import { commonHeaders, contentRange } from './exchange.ts';
import type { Reply, Exchange } from './exchange.ts';
import { ROWS_MAX } from './limits.ts';
import { parseQuery } from './parse.ts';
import { amongIds, planRead, sourceOf } from './plan.ts';
import type { Level } from './plan.ts';
import type { CountKind } from './preferences.ts';
import { pairsOf } from './query-string.ts';
import { remembered } from './remembered.ts';
import { notOneRow, RestError, tooManyAffected } from './rest-error.ts';
import type { Relation, SchemaCache } from './schema-cache.ts';
import { countShortcut } from './shortcuts/counts.ts';
import type { CountShortcut } from './shortcuts/counts.ts';
import { keysetShortcut } from './shortcuts/keyset.ts';
import type { KeysetShortcut } from './shortcuts/keyset.ts';
import { searchShortcut } from './shortcuts/search.ts';
import type { SearchShortcut } from './shortcuts/search.ts';
import { csvHeader, estimateStatement, idsStatement, readStatement } from './sql.ts';
import type { ReadOptions, ReadRow } from './sql.ts';
import { only, quoted, ROOT, SEES_EVERY_ROW } from './statement.ts';
import type { Parameters, Statement } from './statement.ts';
import { inTransaction } from './transaction.ts';

/** GET and HEAD of a table or a view: one read-only transaction, in which PostgreSQL makes the reply's body. */
export async function readRelation(exchange: Exchange, cache: SchemaCache, relation: Relation): Promise<Reply> {
  const { query, range } = exchange;
  const { level: asked, statements } = remembered(cache, `${relation.name}?${query}`, () =>
    planRead(cache, sourceOf(relation), parseQuery(pairsOf(query))),
  );
  const level = range === null ? asked : withRange(asked, range);
  const from = fromRelation(relation);
  const search = searchShortcut(level);
  const ids = search === null ? null : await findIds(exchange, search);
  if (search !== null && ids !== null) {
    return answerRows(exchange, search.among(level, ids), { from, readOnly: true });
  }
  const keyset = exchange.method === 'HEAD' ? null : keysetShortcut(level);
  const page = keyset?.isHiddenByPolicies === true ? await findPage(exchange, level, keyset, from) : null;
  const isCounted = search !== null && exchange.preferences.count === 'exact';
  // The cache of statements is shared by all callers of an address: a statement with ids is of its caller alone.
  // A key is not granted the kept totals, so its statements are its own as well.
  const isOfKey = exchange.caller.identity.role === 'api_key';
  const isOfAddress = range === null && search === null && page === null && !isOfKey;
  return answerRows(exchange, level, {
    from,
    readOnly: true,
    isCommon: search !== null,
    known: isCounted ? await countCommon(exchange, search.count(level, from)) : null,
    counts: isOfKey ? null : countShortcut(level),
    arms: page === null ? keyset?.arms : [page],
    ...(isOfAddress ? { statements } : {}),
  });
}

/** The ids of a search's rows; null where they are too many, or the caller is no person. */
async function findIds(exchange: Exchange, { find }: SearchShortcut): Promise<readonly string[] | null> {
  const { db, identity } = exchange.caller;
  if (identity.role !== 'authenticated') return null;
  const { ids } = await only(db.queryAs<{ ids: string[] | null }>(identity, find, { readOnly: true }));
  return ids;
}

/** The number of a common search's rows; null where the caller does not see them all, and has few. */
async function countCommon(exchange: Exchange, count: Statement | null): Promise<number | null> {
  const rows = count === null ? null : await queryPastPolicies<{ total: number }>(exchange, count);
  return rows?.[0]?.total ?? null;
}

/** The rows of a page that starts after a row, by their ids; null where the caller does not see every row. */
async function findPage(
  exchange: Exchange,
  level: Level,
  { arms }: KeysetShortcut,
  from: string,
): Promise<Level | null> {
  const rows = await queryPastPolicies<{ id: string }>(exchange, idsStatement(level, arms, from));
  return rows === null
    ? null
    : amongIds(
        level,
        rows.map(({ id }) => id),
      );
}

/**
 * Runs a statement with the server's own rights, past the policies, for a caller who sees every row; null for everyone else.
 */
async function queryPastPolicies<Row extends Readonly<Record<string, unknown>>>(
  { caller: { db, identity } }: Exchange,
  statement: Statement,
): Promise<readonly Row[] | null> {
  return db.transactionAs(
    identity,
    async (tx) => {
      const seesAll = await only(tx.query<{ yes: boolean }>({ text: `select ${SEES_EVERY_ROW} as yes` }));
      if (!seesAll.yes) return null;
      const { rows } = await tx.asService('a list of everybody', () => tx.query<Row>(statement));
      return rows;
    },
    { readOnly: true },
  );
}

export function fromRelation(relation: Relation): string {
  return `public.${quoted(relation.name)} as ${ROOT}`;
}

/** The level, narrowed to the rows that its own offset and limit and the `Range` header have in common. */
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
  /** True when the rows are one composite value: the reply is one object in any case, null where it is filtered out. */
  readonly isOne?: boolean;
  readonly counts?: CountShortcut | null;
  readonly arms?: ReadOptions['arms'];
  readonly known?: ReadOptions['known'];
  /** True when a search has too many rows for its ids to be listed. */
  readonly isCommon?: boolean;
  /** Statements made before for the same level. */
  readonly statements?: Map<string, Statement>;
};

type CountedTo = Exclude<ReadOptions['total'], object>;

/** Runs a reading and makes its reply: body, range, counts, one object where one was asked for. */
export async function answerRows(exchange: Exchange, level: Level, rowsFrom: RowsFrom): Promise<Reply> {
  const { method } = exchange;
  const media = rowsFrom.isOne === true ? { ...exchange.media, shape: 'object' as const } : exchange.media;
  const { count } = exchange.preferences;
  const showsRows = method !== 'HEAD';
  const options: Omit<ReadOptions, 'total'> = {
    from: rowsFrom.from,
    media,
    showsRows,
    isLimited: true,
    counts: rowsFrom.counts ?? null,
    arms: rowsFrom.arms ?? null,
    known: rowsFrom.known ?? null,
  };
  const statement = (total: CountedTo): Statement => {
    const look = `${media.shape} ${media.stripNulls} ${showsRows} ${total}`;
    const made = rowsFrom.statements?.get(look) ?? readStatement(level, { ...options, total }, rowsFrom.bound);
    rowsFrom.statements?.set(look, made);
    return made;
  };
  const { readOnly } = rowsFrom;
  const answer = (row: ReadRow): Reply => answerTo(exchange, level, row);
  if (count === 'planned' || count === 'estimated') {
    return answer(await withEstimate(exchange, level, rowsFrom, count, statement));
  }
  const wanted = statement(count === 'exact' ? 'exact' : 'none');
  // A write is committed only once its reply is made.
  if (!readOnly || exchange.said !== undefined)
    return inTransaction(exchange, { readOnly }, async (tx) => answer(await only(tx.query<ReadRow>(wanted))));
  const { db, identity } = exchange.caller;
  return answer(
    await only(db.queryAs<ReadRow>(identity, wanted, { readOnly, timeZone: exchange.preferences.timezone })),
  );
}

function answerTo(exchange: Exchange, level: Level, row: ReadRow): Reply {
  const { media, method, preferences } = exchange;
  const { rows, total } = row;
  if (media.shape === 'object' && rows !== 1) throw notOneRow(rows);
  // Only the rows of a function can be bounded.
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
 * Counts by the planner's estimate, for a caller who sees every row. An estimate over hidden rows would tell their number,
 * so everyone else gets the exact count.
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
      const seesAll = await only(tx.query<{ yes: boolean }>({ text: `select ${SEES_EVERY_ROW} as yes` }));
      if (!seesAll.yes) return only(tx.query<ReadRow>(statement('exact')));
      const isCounted = count === 'estimated' && !isCommon;
      const page = await only(tx.query<ReadRow>(statement(isCounted ? 'up to the rows of a page' : 'none')));
      if (isCounted && page.total !== null && page.total <= ROWS_MAX) return page;
      const estimate = estimateStatement(level, from);
      const explain = (): Promise<{ 'QUERY PLAN': unknown }> => only(tx.query({ ...estimate, prepare: false }));
      // Estimated without the policies, whose selectivity the planner cannot know. A function has its own rights.
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
