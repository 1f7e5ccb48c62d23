import { commonHeaders } from './exchange.ts';
import type { Answer, Exchange } from './exchange.ts';
import { parseQuery } from './parse.ts';
import { planRead, sourceOf } from './plan.ts';
import type { Level } from './plan.ts';
import { pairsOf } from './query-string.ts';
import { fromRelation, only } from './read.ts';
import { notOneRow, RestError, unknownBodyColumn } from './rest-error.ts';
import type { Relation, SchemaCache } from './schema-cache.ts';
import { csvHeader, parameters, quoted, readStatement, ROOT, whereOfWrite } from './sql.ts';
import type { Parameters, ReadRow } from './sql.ts';
import type { ParsedQuery } from './grammar.ts';

/**
 * POST, PATCH and DELETE of a table. What may be written is decided by the database's grants and policies, under which
 * almost everything is refused (P-06); here nothing is committed before it is known that the answer asked for can be given.
 */
export async function writeRelation(exchange: Exchange, cache: SchemaCache, relation: Relation): Promise<Answer> {
  const query = parseQuery(pairsOf(exchange.query));
  const level = planRead(cache, sourceOf(relation), query);
  const bound = parameters();
  const write = writeOf(exchange, relation, query, level, bound);
  // Nothing to write: an empty list, or no column.
  if (write === null) return answerTo(exchange, level, { body: null, rows: 0, total: null });

  const showsRows = exchange.preferences.return === 'representation';
  const returned = showsRows ? [...relation.columns.keys()].map((name) => `${ROOT}.${quoted(name)}`).join(', ') : '1';
  const statement = readStatement(
    { ...level, conditions: [], required: [] },
    {
      with: `with written as (${write} returning ${returned}) `,
      from: `written as ${ROOT}`,
      media: exchange.media,
      showsRows,
      total: 'none',
      isLimited: false,
    },
    bound,
  );
  const { db, identity } = exchange.caller;
  const { tx: end, maxAffected } = exchange.preferences;
  const rolledBack = new RolledBack();
  try {
    return await db.transactionAs(identity, async (tx) => {
      const row = await only(tx.query<ReadRow>(statement));
      if (exchange.media.shape === 'object' && row.rows !== 1) throw notOneRow(row.rows);
      if (maxAffected !== null && row.rows > maxAffected) {
        throw new RestError(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
          details: `The query affects ${row.rows} rows`,
        });
      }
      const answer = answerTo(exchange, level, row);
      if (end === 'rollback') throw rolledBack.with(answer);
      return answer;
    });
  } catch (error) {
    if (error === rolledBack && rolledBack.answer !== null) return rolledBack.answer;
    throw error;
  }
}

/** Carries an answer out of a transaction that must not be kept (`Prefer: tx=rollback`). */
class RolledBack extends Error {
  override readonly name = 'RolledBack';
  answer: Answer | null = null;

  with(answer: Answer): this {
    this.answer = answer;
    return this;
  }
}

function answerTo(exchange: Exchange, level: Level, row: ReadRow): Answer {
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
  ]);
  return {
    status: method === 'POST' ? 201 : showsRows ? 200 : 204,
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
    case 'PATCH':
      return updateOf(exchange, relation, query, level, bound);
    default:
      refuseUnfiltered('DELETE', level);
      return `delete from ${fromRelation(relation)}${whereOfWrite(level, bound)}`;
  }
}

function insertOf(exchange: Exchange, relation: Relation, query: ParsedQuery, bound: Parameters): string | null {
  const rows = rowsOf(exchange);
  if (rows.length === 0) return null;
  const columns = columnsOf(relation, query, rows);
  const table = fromRelation(relation);
  const conflict = conflictOf(exchange, relation, query, columns);
  if (columns.length === 0) return rows.length === 1 ? `insert into ${table} default values` : null;
  if (
    exchange.preferences.missing === 'default' &&
    rows.some((row) => columns.some((name) => !Object.hasOwn(row, name)))
  ) {
    throw new RestError(400, 'PGRST127', 'missing=default is not implemented for rows with differing keys');
  }
  const list = columns.map(quoted).join(', ');
  const body = exchange.body.trimStart().startsWith('[') ? exchange.body : `[${exchange.body}]`;
  return `insert into ${table} (${list}) select ${list} from ${recordOf(relation, columns, body, 'json_to_recordset', bound)}${conflict}`;
}

function conflictOf(exchange: Exchange, relation: Relation, query: ParsedQuery, columns: readonly string[]): string {
  const { resolution } = exchange.preferences;
  if (resolution === null) return '';
  const target = query.onConflict ?? relation.primaryKey;
  for (const name of target) if (!relation.columns.has(name)) throw unknownBodyColumn(relation.name, name);
  if (target.length === 0) return '';
  const on = ` on conflict (${target.map(quoted).join(', ')}) do`;
  if (resolution === 'ignore-duplicates' || columns.length === 0) return `${on} nothing`;
  return `${on} update set ${columns.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ')}`;
}

function updateOf(
  exchange: Exchange,
  relation: Relation,
  query: ParsedQuery,
  level: Level,
  bound: Parameters,
): string | null {
  refuseUnfiltered('UPDATE', level);
  const [row, ...more] = rowsOf(exchange);
  if (row === undefined || more.length > 0) throw new RestError(400, 'PGRST102', 'An update is one JSON object');
  const columns = columnsOf(relation, query, [row]);
  if (columns.length === 0) return null;
  const body = exchange.body.trimStart().startsWith('[') ? JSON.stringify(row) : exchange.body;
  const record = recordOf(relation, columns, body, 'json_to_record', bound);
  const changes = columns.map((name) => `${quoted(name)} = body.${quoted(name)}`).join(', ');
  return `update ${fromRelation(relation)} set ${changes} from ${record}${whereOfWrite(level, bound)}`;
}

/** The whole table is never what is meant. */
function refuseUnfiltered(verb: 'UPDATE' | 'DELETE', level: Level): void {
  if (level.conditions.length > 0) return;
  throw new RestError(400, '21000', `${verb} requires a WHERE clause`);
}

type Row = Readonly<Record<string, unknown>>;

/** The body's objects; PostgreSQL reads the body itself, so that no number is rounded on the way. */
function rowsOf(exchange: Exchange): Row[] {
  if (exchange.contentType !== 'application/json') {
    throw new RestError(400, 'PGRST102', `Content-Type not acceptable: ${exchange.contentType}`);
  }
  const parsed = parsedJson(exchange.body);
  const rows: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return rows.map((row) => {
    if (!isRow(row)) throw new RestError(400, 'PGRST102', 'Empty or invalid json');
    return row;
  });
}

export function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new RestError(400, 'PGRST102', 'Empty or invalid json', { cause });
  }
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function columnsOf(relation: Relation, query: ParsedQuery, rows: readonly Row[]): string[] {
  const [first] = rows;
  const names = query.columns ?? Object.keys(first ?? {});
  for (const name of names) if (!relation.columns.has(name)) throw unknownBodyColumn(relation.name, name);
  if (query.columns === null) {
    const isSame = rows.every((row) => {
      const keys = Object.keys(row);
      return keys.length === names.length && keys.every((key) => names.includes(key));
    });
    if (!isSame) throw new RestError(400, 'PGRST102', 'All object keys must match');
  }
  return [...names];
}

function recordOf(
  relation: Relation,
  columns: readonly string[],
  body: string,
  reader: 'json_to_record' | 'json_to_recordset',
  bound: Parameters,
): string {
  const typed = columns.map((name) => `${quoted(name)} ${relation.columns.get(name)?.type ?? 'text'}`);
  return `${reader}(${bound.bind(body)}::json) as body (${typed.join(', ')})`;
}
