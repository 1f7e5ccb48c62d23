import { bodyOf, isRow } from './body.ts';
import type { Body } from './body.ts';
import { commonHeaders } from './exchange.ts';
import type { Reply, Exchange } from './exchange.ts';
import { parseQuery } from './parse.ts';
import { planRead, sourceOf } from './plan.ts';
import type { Level } from './plan.ts';
import { pairsOf } from './query-string.ts';
import { fromRelation } from './read.ts';
import { notOneRow, RestError, tooManyAffected, unknownBodyColumn } from './rest-error.ts';
import type { Relation, SchemaCache } from './schema-cache.ts';
import { csvHeader, readStatement, whereOfLevel } from './sql.ts';
import type { ReadRow } from './sql.ts';
import { only, parameters, quoted, ROOT } from './statement.ts';
import type { Parameters } from './statement.ts';
import { inTransaction } from './transaction.ts';
import type { Condition, ParsedQuery } from './grammar.ts';

/**
 * POST, PUT, PATCH and DELETE of a table. The database's grants and policies decide, and refuse almost every write (P-06). The
 * transaction is committed only once the reply that was asked for is made.
 */
export async function writeRelation(exchange: Exchange, cache: SchemaCache, relation: Relation): Promise<Reply> {
  const query = parseQuery(pairsOf(exchange.query));
  const level = planRead(cache, sourceOf(relation), query);
  const bound = parameters();
  const write = writeOf(exchange, relation, query, level, bound);
  // Nothing to write: an empty list, or no column.
  if (write === null) return answerTo(exchange, level, { body: null, rows: 0, total: null });

  const { return: wanted } = exchange.preferences;
  const key = exchange.method === 'POST' && wanted === 'headers-only' ? relation.primaryKey : [];
  const showsRows = wanted === 'representation' || key.length > 0;
  const returned = wanted === 'representation' ? [...relation.columns.keys()] : key;
  const list = returned.length === 0 ? '1' : returned.map((name) => `${ROOT}.${quoted(name)}`).join(', ');
  const shown = key.length > 0 ? planRead(cache, sourceOf(relation), selecting(key)) : level;
  const statement = readStatement(
    { ...shown, conditions: [], required: [] },
    {
      with: `with written as (${write} returning ${list}) `,
      from: `written as ${ROOT}`,
      media: key.length > 0 ? { shape: 'array', stripNulls: false } : exchange.media,
      showsRows,
      total: isUpsert(exchange) ? { sql: UPDATED_COUNT } : 'none',
      isLimited: false,
    },
    bound,
  );
  return inTransaction(exchange, { readOnly: false }, async (tx) => {
    const row = await only(tx.query<ReadRow>(statement));
    if (exchange.method === 'PUT' && row.rows !== 1) throw anotherKey();
    if (exchange.media.shape === 'object' && row.rows !== 1) throw notOneRow(row.rows);
    const { maxAffected } = exchange.preferences;
    if (maxAffected !== null && exchange.method !== 'POST' && row.rows > maxAffected) throw tooManyAffected(row.rows);
    const answer = answerTo(exchange, level, row);
    return key.length > 0 ? withLocation(exchange, answer, row) : answer;
  });
}

function selecting(names: readonly string[]): ParsedQuery {
  const select = names.map((name) => ({
    kind: 'column' as const,
    field: { name, path: [] },
    alias: null,
    cast: null,
  }));
  return { select, filters: [], orders: [], limits: [], offsets: [], columns: null, onConflict: null };
}

/** Adds the address of the one new row (`Prefer: return=headers-only`). */
function withLocation(exchange: Exchange, answer: Reply, { body, rows }: ReadRow): Reply {
  const [made]: unknown[] = body === null || rows !== 1 ? [] : (JSON.parse(body) as unknown[]);
  if (!isRow(made)) return answer;
  const filters = Object.entries(made).map(([name, value]) => `${name}=eq.${encodeURIComponent(String(value))}`);
  return { ...answer, headers: { ...answer.headers, location: `${exchange.path}?${filters.join('&')}` } };
}

function answerTo(exchange: Exchange, level: Level, row: ReadRow): Reply {
  const { method, media, preferences } = exchange;
  const showsRows = preferences.return === 'representation';
  const total = preferences.count === null ? '*' : String(row.rows);
  const range = method === 'PATCH' && row.rows > 0 ? `0-${row.rows - 1}` : '*';
  const empty = media.shape === 'array' ? '[]' : null;
  const body =
    media.shape === 'csv' ? [csvHeader(level), ...(row.body === null ? [] : [row.body])].join('\n') : row.body;
  const { 'content-type': contentType, ...headers } = commonHeaders(exchange, [
    'return',
    'count',
    'resolution',
    'missing',
    'handling',
    'maxAffected',
    'tx',
    'timezone',
  ]);
  // An upsert that only updated made nothing new.
  const isNothingNew = isUpsert(exchange) && row.rows > 0 && row.total === row.rows;
  const isMaking = method === 'POST' || method === 'PUT';
  return {
    status: method === 'POST' && isNothingNew ? 200 : isMaking && !isNothingNew ? 201 : showsRows ? 200 : 204,
    headers: {
      ...headers,
      'content-range': `${range}/${total}`,
      ...(showsRows && contentType !== undefined ? { 'content-type': contentType } : {}),
    },
    body: showsRows ? (body ?? empty) : null,
  };
}

function writeOf(
  exchange: Exchange,
  relation: Relation,
  query: ParsedQuery,
  level: Level,
  bound: Parameters,
): string | null {
  switch (exchange.method) {
    case 'POST':
      return insertOf(exchange, relation, query, bound);
    case 'PUT':
      return replaceOf(exchange, relation, query, level, bound);
    case 'PATCH':
      return updateOf(exchange, relation, query, level, bound);
    default:
      refuseUnfiltered('DELETE', level);
      return `delete from ${fromRelation(relation)}${whereOfLevel(level, bound)}`;
  }
}

function insertOf(exchange: Exchange, relation: Relation, query: ParsedQuery, bound: Parameters): string | null {
  const body = bodyOf(exchange);
  const { rows } = body;
  if (rows.length === 0) return null;
  const columns = columnsOf(relation, query, body);
  const table = fromRelation(relation);
  const conflict = conflictOf(exchange, relation, query, columns);
  if (columns.length === 0) return rows.length === 1 ? `insert into ${table} default values` : null;
  const list = columns.map(quoted).join(', ');
  return `insert into ${table} (${list}) select ${list} from ${recordsOf(exchange, relation, columns, body, bound)}${conflict}`;
}

/** The number of rows that an upsert updated, which the statement counts in a setting of its transaction. */
const UPDATED = `'rest.updated'`;
const UPDATED_COUNT = `coalesce(nullif(current_setting(${UPDATED}, true), ''), '0')::int8`;

function isUpsert({ method, preferences }: Exchange): boolean {
  return method === 'PUT' || (method === 'POST' && preferences.resolution === 'merge-duplicates');
}

function conflictOf(exchange: Exchange, relation: Relation, query: ParsedQuery, columns: readonly string[]): string {
  const { resolution } = exchange.preferences;
  if (resolution === null) return '';
  const target = query.onConflict ?? relation.primaryKey;
  for (const name of target) if (!relation.columns.has(name)) throw unknownBodyColumn(relation.name, name);
  if (target.length === 0) return '';
  if (resolution === 'ignore-duplicates' || columns.length === 0) {
    return ` on conflict (${target.map(quoted).join(', ')}) do nothing`;
  }
  return onConflict(target, columns);
}

/** Conflict clause of an upsert: an existing row takes the columns of the new one, and is counted as updated. */
function onConflict(target: readonly string[], columns: readonly string[]): string {
  const on = ` on conflict (${target.map(quoted).join(', ')}) do`;
  const changes = columns.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ');
  return `${on} update set ${changes} where set_config(${UPDATED}, (${UPDATED_COUNT} + 1)::text, true) <> ''`;
}

function updateOf(
  exchange: Exchange,
  relation: Relation,
  query: ParsedQuery,
  level: Level,
  bound: Parameters,
): string | null {
  refuseUnfiltered('UPDATE', level);
  const body = bodyOf(exchange);
  if (body.rows.length !== 1) throw new RestError(400, 'PGRST102', 'An update is one JSON object');
  const columns = columnsOf(relation, query, body);
  if (columns.length === 0) return null;
  const changes = columns.map((name) => `${quoted(name)} = body.${quoted(name)}`).join(', ');
  const record = recordsOf(exchange, relation, columns, body, bound);
  return `update ${fromRelation(relation)} set ${changes} from ${record}${whereOfLevel(level, bound)}`;
}

/** PUT: the one row whose key the address names, made or replaced. */
function replaceOf(
  exchange: Exchange,
  relation: Relation,
  query: ParsedQuery,
  level: Level,
  bound: Parameters,
): string {
  if (query.limits.length > 0 || query.offsets.length > 0) {
    throw new RestError(400, 'PGRST114', 'limit/offset querystring parameters are not allowed for PUT');
  }
  const keys = query.filters.map(({ path, condition }) =>
    path.length === 0 && condition.kind === 'compare' && isPlainEquality(condition) ? condition.field.name : null,
  );
  const { primaryKey } = relation;
  const isKey = keys.length === primaryKey.length && primaryKey.every((name) => keys.includes(name));
  if (!isKey || primaryKey.length === 0) {
    throw new RestError(405, 'PGRST105', "Filters must include all and only primary key columns with 'eq' operators");
  }
  const body = bodyOf(exchange);
  if (body.rows.length !== 1) throw anotherKey();
  const columns = columnsOf(relation, query, body);
  if (!primaryKey.every((name) => columns.includes(name))) throw anotherKey();
  const list = columns.map(quoted).join(', ');
  const given = `(select body.* from ${recordsOf(exchange, relation, columns, body, bound)}) as ${ROOT}`;
  const conflict = onConflict(primaryKey, columns);
  return `insert into ${fromRelation(relation)} (${list}) select ${list} from ${given}${whereOfLevel(level, bound)}${conflict}`;
}

function isPlainEquality({ negated, field, comparison }: Extract<Condition, { kind: 'compare' }>): boolean {
  return !negated && field.path.length === 0 && comparison.operator === 'eq' && comparison.quantifier === null;
}

/** The row of the body is not the one that the address names. */
function anotherKey(): RestError {
  return new RestError(400, 'PGRST115', 'Payload values do not match URL in primary key column(s)');
}

/** A write of the whole table is never intended. */
function refuseUnfiltered(verb: 'UPDATE' | 'DELETE', level: Level): void {
  if (level.conditions.length > 0) return;
  throw new RestError(400, '21000', `${verb} requires a WHERE clause`);
}

function columnsOf(relation: Relation, query: ParsedQuery, { rows }: Body): string[] {
  const [first] = rows;
  const names = query.columns ?? Object.keys(first ?? {});
  for (const name of names) if (!relation.columns.has(name)) throw unknownBodyColumn(relation.name, name);
  if (query.columns === null) {
    const known = new Set(names);
    const isSame = rows.every((row) => {
      const keys = Object.keys(row);
      return keys.length === known.size && keys.every((key) => known.has(key));
    });
    if (!isSame) throw new RestError(400, 'PGRST102', 'All object keys must match');
  }
  return [...names];
}

/** The body's rows, as PostgreSQL parses them. A missing member is null, or the column's default where that is asked. */
function recordsOf(
  { preferences }: Exchange,
  relation: Relation,
  columns: readonly string[],
  { rows, json }: Body,
  bound: Parameters,
): string {
  const typed = columns.map((name) => `${quoted(name)} ${relation.columns.get(name)?.type ?? 'text'}`).join(', ');
  const given = `${bound.bind(json)}::json`;
  const isDefaulted = preferences.missing === 'default';
  const defaults = (isDefaulted ? columns : []).flatMap((name) => {
    const expression = relation.columns.get(name)?.default ?? null;
    const isMissing = expression !== null && rows.some((row) => !Object.hasOwn(row, name));
    return isMissing ? [`${bound.bind(name)}::text, ${expression}`] : [];
  });
  if (defaults.length === 0) return `json_to_recordset(${given}) as body (${typed})`;
  return (
    `json_array_elements(${given}) as given (element), ` +
    `lateral jsonb_to_record(jsonb_build_object(${defaults.join(', ')}) || given.element::jsonb) as body (${typed})`
  );
}
