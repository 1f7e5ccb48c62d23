import { isTooDeep, JSON_DEPTH_MAX } from '#platform/request-body';

import type { Exchange } from './exchange.ts';
import { pairsOf } from './query-string.ts';
import { RestError } from './rest-error.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The rows of a body, with the JSON list of them: PostgreSQL parses it itself, so that no number is rounded. */
export type Body = { readonly rows: readonly Row[]; readonly json: string };

/** The rows of the request's body. @throws RestError PGRST102 where the body is not one or several objects (contract §2.1, §2.8). */
export function bodyOf(exchange: Exchange): Body {
  switch (exchange.contentType) {
    case 'application/json':
      return jsonBody(exchange.body);
    case 'text/csv':
      return written(rowsOfCsv(exchange.body));
    case 'application/x-www-form-urlencoded':
      return written([formOf(exchange.body)]);
    default:
      throw contentTypeRefused(exchange);
  }
}

export function contentTypeRefused({ contentType }: Exchange): RestError {
  return new RestError(400, 'PGRST102', `Content-Type not acceptable: ${contentType}`);
}

function jsonBody(text: string): Body {
  const parsed = parsedJson(text);
  const isList = Array.isArray(parsed);
  const values: unknown[] = isList ? parsed : [parsed];
  const rows = values.map((row) => {
    if (!isRow(row)) throw notJson();
    return row;
  });
  return { rows, json: isList ? text : `[${text}]` };
}

export function parsedJson(text: string): unknown {
  refuseDepth(text);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(cause);
  }
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a form: one object. */
function formOf(text: string): Row {
  return Object.fromEntries(pairsOf(text).map(({ key, value }) => [key, value]));
}

function written(rows: readonly Row[]): Body {
  return { rows, json: JSON.stringify(rows) };
}

function notJson(cause?: unknown): RestError {
  return new RestError(400, 'PGRST102', 'Empty or invalid json', { cause });
}

function refuseDepth(text: string): void {
  if (isTooDeep(text)) throw new RestError(400, 'PGRST102', `A body is nested at most ${JSON_DEPTH_MAX} deep`);
}

/** CSV: a header of names, then one line a row. A bare NULL is null; any other field is text that its column's type reads. */
function rowsOfCsv(text: string): Row[] {
  const [names, ...lines] = linesOfCsv(text);
  if (names === undefined) throw new RestError(400, 'PGRST102', 'Empty or invalid csv');
  return lines.map((fields) => {
    if (fields.length !== names.length) {
      throw new RestError(400, 'PGRST102', 'All lines must have same number of fields');
    }
    return Object.fromEntries(fields.map((field, index) => [names[index] ?? '', field]));
  });
}

const CSV_FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/uy;

function linesOfCsv(text: string): (string | null)[][] {
  const lines: (string | null)[][] = [];
  let fields: (string | null)[] = [];
  CSV_FIELD.lastIndex = 0;
  while (CSV_FIELD.lastIndex < text.length || fields.length > 0) {
    const [, inQuotes, bare = '', end] = CSV_FIELD.exec(text) ?? [];
    if (end === undefined) throw new RestError(400, 'PGRST102', 'Empty or invalid csv');
    fields.push(inQuotes === undefined ? (bare === 'NULL' ? null : bare) : inQuotes.replaceAll('""', '"'));
    if (end === ',') continue;
    lines.push(fields);
    fields = [];
  }
  return lines;
}
