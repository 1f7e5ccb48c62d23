import { commonHeaders } from './exchange.ts';
import type { Answer, Exchange } from './exchange.ts';
import { parseQuery } from './parse.ts';
import { planRead } from './plan.ts';
import { pairsOf } from './query-string.ts';
import type { Pair } from './query-string.ts';
import { answerRows, only } from './read.ts';
import { notOneRow, RestError } from './rest-error.ts';
import type { FunctionEntry, SchemaCache } from './schema-cache.ts';
import { parameters, quoted, ROOT } from './sql.ts';
import type { Parameters } from './sql.ts';
import { isRow, parsedJson } from './write.ts';

/** Functions of one argument that may be called with any name for it: the specification does not say theirs (RE-12). */
const ANY_ARGUMENT_NAME: ReadonlySet<string> = new Set(['get_commercial_sales']);

/** GET, HEAD and POST of `rpc/<name>`: a function of schema public, found by the names of its arguments. */
export async function callFunction(exchange: Exchange, cache: SchemaCache, name: string): Promise<Answer> {
  const isPost = exchange.method === 'POST';
  const call = matched(name, cache.functions.get(name) ?? [], isPost ? givenInBody(exchange) : givenInQuery(exchange));
  const { entry } = call;
  const pairs = pairsOf(exchange.query);
  const query = parseQuery(isPost ? pairs : pairs.filter((pair) => !isArgument(pair)));
  const bound = parameters();
  const from = fromFunction(call, bound);
  const readOnly = !isPost || !entry.isVolatile;

  if (entry.result.kind === 'rows') {
    const { columns, relation, isSet } = entry.result;
    const level = planRead(cache, { name, columns, relation }, query);
    // One composite value is one object, whatever shape was asked for.
    const media = isSet ? exchange.media : { ...exchange.media, shape: 'object' as const };
    const answer = await answerRows({ ...exchange, media }, level, { from: `${from} as ${ROOT}`, bound, readOnly });
    return isPost && exchange.preferences.return === 'minimal' ? withoutBody(exchange) : answer;
  }

  const value = entry.result.kind === 'void' ? 'null' : `to_json(${ROOT}.value)`;
  const rows = entry.result.kind === 'scalar' && entry.result.isSet ? `coalesce(json_agg(${ROOT}.value), '[]')` : value;
  const { db, identity } = exchange.caller;
  const { body } = await only(
    db.queryAs<{ body: string | null }>(
      identity,
      { text: `select ${rows}::text as body from ${from} as ${ROOT} (value)`, values: bound.values },
      { readOnly },
    ),
  );
  if (entry.result.kind === 'void' || exchange.preferences.return === 'minimal') return withoutBody(exchange);
  if (exchange.media.shape === 'csv') throw notOneRow(0);
  return { status: 200, headers: commonHeaders(exchange, ['handling']), body: body ?? 'null' };
}

function withoutBody(exchange: Exchange): Answer {
  const { 'content-type': _, ...headers } = commonHeaders(exchange, ['return', 'handling']);
  return { status: 204, headers, body: null };
}

/** The arguments of a call: their names, and the JSON object that PostgreSQL reads them from. */
type Given = { readonly names: readonly string[]; readonly json: string };

function givenInBody(exchange: Exchange): Given {
  if (exchange.body.trim() === '') return { names: [], json: '{}' };
  if (exchange.contentType !== 'application/json') {
    throw new RestError(400, 'PGRST102', `Content-Type not acceptable: ${exchange.contentType}`);
  }
  const parsed = parsedJson(exchange.body);
  if (!isRow(parsed)) throw new RestError(400, 'PGRST102', 'Empty or invalid json');
  return { names: Object.keys(parsed), json: exchange.body };
}

function givenInQuery(exchange: Exchange): Given {
  const given = Object.fromEntries(
    pairsOf(exchange.query)
      .filter(isArgument)
      .map(({ key, value }) => [key, value]),
  );
  return { names: Object.keys(given), json: JSON.stringify(given) };
}

const RESERVED = new Set(['select', 'columns', 'on_conflict', 'order', 'limit', 'offset', 'and', 'or']);
const FILTER = /^(?:not\.)?(?:[a-z]+)(?:\([^)]*\))?\./u;

/** In a query string a plain name is an argument, unless its value is written as a filter. */
function isArgument({ key, value }: Pair): boolean {
  return !RESERVED.has(key) && !key.includes('.') && !FILTER.test(value);
}

type Call = { readonly entry: FunctionEntry; readonly given: Given };

function matched(name: string, candidates: readonly FunctionEntry[], given: Given): Call {
  const [first] = candidates;
  const [argument, ...others] = first?.arguments ?? [];
  if (first !== undefined && ANY_ARGUMENT_NAME.has(name) && argument !== undefined && others.length === 0) {
    return { entry: first, given: renamed(given, argument.name, name) };
  }
  const fitting = candidates.filter(
    (entry) =>
      entry.arguments.every((wanted) => !wanted.isRequired || given.names.includes(wanted.name)) &&
      given.names.every((one) => entry.arguments.some((wanted) => wanted.name === one)),
  );
  const [entry, ...more] = fitting;
  if (entry === undefined) throw unknownFunction(name, given);
  if (more.length > 0) {
    throw new RestError(300, 'PGRST203', `Could not choose the best candidate function for public.${name}`);
  }
  return { entry, given };
}

/** The one value given, whatever its name, as the one argument there is. */
function renamed(given: Given, argument: string, name: string): Given {
  const values = Object.values(parsedJson(given.json) as Readonly<Record<string, unknown>>);
  if (values.length !== 1) throw unknownFunction(name, given);
  return { names: [argument], json: JSON.stringify({ [argument]: values[0] }) };
}

function unknownFunction(name: string, given: Given): RestError {
  const signature =
    given.names.length === 0 ? `public.${name} without parameters` : `public.${name}(${given.names.join(', ')})`;
  return new RestError(404, 'PGRST202', `Could not find the function ${signature} in the schema cache`);
}

function fromFunction({ entry, given }: Call, bound: Parameters): string {
  const call = `public.${quoted(entry.name)}`;
  const passed = entry.arguments.filter(({ name }) => given.names.includes(name));
  if (passed.length === 0) return `${call}()`;
  const typed = passed.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ');
  const values = passed.map(({ name }) => `${quoted(name)} => given.${quoted(name)}`).join(', ');
  return `json_to_record(${bound.bind(given.json)}::json) as given (${typed}), lateral ${call}(${values})`;
}
