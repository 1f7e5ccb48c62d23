import { contentTypeRefused, isRow, parsedJson } from './body.ts';
import { commonHeaders, contentRange } from './exchange.ts';
import type { Reply, Exchange } from './exchange.ts';
import { IS_VALUES, PLAIN, QUANTIFIABLE, TEXT_SEARCH } from './grammar.ts';
import { ROWS_MAX } from './limits.ts';
import { nearName } from './near-name.ts';
import { parseQuery } from './parse.ts';
import { planRead } from './plan.ts';
import { pairsOf } from './query-string.ts';
import type { Pair } from './query-string.ts';
import { answerRows } from './read.ts';
import { RestError } from './rest-error.ts';
import type { FunctionEntry, SchemaCache } from './schema-cache.ts';
import { only, parameters, quoted, ROOT } from './statement.ts';
import type { Parameters } from './statement.ts';
import { inTransaction } from './transaction.ts';

/** Functions of one argument that may be called with any name for it: the specification names none (RE-12). */
const ANY_ARGUMENT_NAME: ReadonlySet<string> = new Set(['get_commercial_sales']);

/** GET, HEAD and POST of `rpc/<name>`: a function of schema public, found by the names of its arguments. */
export async function callFunction(exchange: Exchange, cache: SchemaCache, name: string): Promise<Reply> {
  const isPost = exchange.method === 'POST';
  const given = isPost ? givenInBody(exchange) : givenInQuery(exchange);
  const call = matched(name, cache, given, exchange);
  const { result, isVolatile } = call.entry;
  const pairs = pairsOf(exchange.query);
  const query = parseQuery(isPost ? pairs : pairs.filter((pair) => !isArgument(pair)));
  const bound = parameters();
  const from = fromFunction(call, bound);
  const readOnly = !isPost || !isVolatile;
  const isMinimal = isPost && exchange.preferences.return === 'minimal';
  if (exchange.preferences.maxAffected !== null && !(result.kind !== 'void' && result.isSet)) {
    throw new RestError(
      400,
      'PGRST128',
      'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
    );
  }

  if (result.kind === 'rows') {
    const { columns, relation, isSet } = result;
    const level = planRead(cache, { name, columns, relation }, query);
    const answer = await answerRows(exchange, level, { from: `${from} as ${ROOT}`, bound, readOnly, isOne: !isSet });
    return isMinimal ? withoutBody(answer) : answer;
  }

  if (exchange.media.shape === 'csv')
    throw new RestError(406, 'PGRST107', 'None of these media types are available: text/csv');
  const isSet = result.kind === 'scalar' && result.isSet;
  const value = result.kind === 'void' ? 'null' : `to_json(${ROOT}.value)`;
  const { limit, offset } = pageOf(query);
  const text = isSet
    ? `with called as materialized (select * from ${from} as ${ROOT} (value)) ` +
      `select coalesce(json_agg(${ROOT}.value), '[]')::text as body, count(*)::int as rows, ` +
      `(select count(*)::int from called) as total from (select * from called limit ${limit} offset ${offset}) as ${ROOT}`
    : `select ${value}::text as body, 1 as rows, 1 as total from ${from} as ${ROOT} (value)`;
  const { body, rows, total } = await inTransaction(exchange, { readOnly }, async (tx) =>
    only(tx.query<{ body: string | null; rows: number; total: number }>({ text, values: bound.values })),
  );
  const isCounted = exchange.preferences.count !== null;
  const headers = {
    ...commonHeaders(exchange, ['return', 'count', 'handling', 'tx', 'timezone']),
    'content-range': contentRange(isSet ? offset : 0, rows, isCounted ? total : null),
  };
  const status = isCounted && rows < total ? 206 : 200;
  const answer = { status, headers, body: exchange.method === 'HEAD' ? null : (body ?? 'null') };
  return result.kind === 'void' || isMinimal ? withoutBody(answer) : answer;
}

/** A range of bare values, which have no other grammar. */
function pageOf({ limits, offsets }: ReturnType<typeof parseQuery>): { limit: number; offset: number } {
  return {
    limit: Math.min(ROWS_MAX, ...limits.map(({ count }) => count)),
    offset: Math.max(0, ...offsets.map(({ count }) => count)),
  };
}

function withoutBody({ headers }: Reply): Reply {
  const { 'content-type': _, ...others } = headers;
  return { status: 204, headers: others, body: null };
}

/** The arguments of a call: by name, as the JSON object that PostgreSQL parses, or one value without a name. */
type Given = {
  readonly names: readonly string[];
  readonly json: string;
  /** Arguments that came as pairs of texts: one name may come several times. */
  readonly pairs?: readonly Pair[];
  /** The whole body, for a function of one unnamed argument of one of these types. */
  readonly whole: { readonly text: string; readonly types: readonly string[] } | null;
};

function givenInBody({ body, contentType, ...exchange }: Exchange): Given {
  if (body.trim() === '') return { names: [], json: '{}', whole: null };
  switch (contentType) {
    case 'application/json': {
      const parsed = parsedJson(body);
      const whole = { text: body, types: ['json', 'jsonb'] };
      return isRow(parsed) ? { names: Object.keys(parsed), json: body, whole } : { names: [], json: '', whole };
    }
    case 'application/x-www-form-urlencoded': {
      return givenInPairs(pairsOf(body));
    }
    case 'text/plain':
      return { names: [], json: '', whole: { text: body, types: ['text'] } };
    case 'text/xml':
      return { names: [], json: '', whole: { text: body, types: ['xml'] } };
    case 'application/octet-stream':
      return { names: [], json: '', whole: { text: body, types: ['bytea'] } };
    default:
      throw contentTypeRefused({ ...exchange, body, contentType });
  }
}

function givenInQuery(exchange: Exchange): Given {
  return givenInPairs(pairsOf(exchange.query).filter(isArgument));
}

/** Of a name that comes several times the last value counts, but for an argument that takes them all. */
function givenInPairs(pairs: readonly Pair[]): Given {
  const given = Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
  return { names: Object.keys(given), json: JSON.stringify(given), pairs, whole: null };
}

const RESERVED = new Set(['select', 'columns', 'on_conflict', 'order', 'limit', 'offset', 'and', 'or']);
const OPERATORS = new Set<string>([...QUANTIFIABLE, ...PLAIN, ...TEXT_SEARCH, 'in']);

/** True when a pair of the query string is an argument: a plain name whose value is not written as a filter. */
function isArgument({ key, value }: Pair): boolean {
  if (RESERVED.has(key) || key.includes('.')) return false;
  const [, operator = '', operand = ''] = /^(?:not\.)?([a-z]+)(?:\([^)]*\))?\.([\s\S]*)$/u.exec(value) ?? [];
  return operator === 'is' ? !IS_VALUES.some((known) => known === operand.toLowerCase()) : !OPERATORS.has(operator);
}

type Call = { readonly entry: FunctionEntry; readonly given: Given; readonly isWhole: boolean };

function matched(name: string, cache: SchemaCache, given: Given, exchange: Exchange): Call {
  const candidates = cache.functions.get(name) ?? [];
  const unknown = (): RestError => unknownFunction(name, cache, given, exchange);
  const [first] = candidates;
  const [argument, ...others] = first?.arguments ?? [];
  if (first !== undefined && ANY_ARGUMENT_NAME.has(name) && argument !== undefined && others.length === 0) {
    return {
      entry: first,
      given: renamed(given, argument.name, unknown),
      isWhole: false,
    };
  }
  const fitting =
    given.json === ''
      ? []
      : candidates.filter(
          (entry) =>
            entry.arguments.every((wanted) => !wanted.isRequired || given.names.includes(wanted.name)) &&
            given.names.every((one) => entry.arguments.some((wanted) => wanted.name === one)),
        );
  const whole = candidates.filter(
    (one) => takesWholeBody(one) && given.whole?.types.includes(one.arguments[0]?.type ?? '') === true,
  );
  const [entry, ...more] = fitting.length > 0 ? fitting : whole;
  if (entry === undefined) throw unknown();
  if (more.length > 0) throw ambiguousFunction([entry, ...more]);
  return { entry, given, isWhole: takesWholeBody(entry) };
}

/** A function of one unnamed argument: a function with more of them, or of another type, is not in the cache. */
function takesWholeBody({ arguments: [argument] }: FunctionEntry): boolean {
  return argument?.name === '';
}

/** The one given value, under the name of the one argument. @throws `unknown` unless there is exactly one. */
function renamed(given: Given, argument: string, unknown: () => RestError): Given {
  const values = given.json === '' ? [] : Object.values(parsedJson(given.json) as Readonly<Record<string, unknown>>);
  if (values.length !== 1) throw unknown();
  return { names: [argument], json: JSON.stringify({ [argument]: values[0] }), whole: null };
}

/** The content types whose body is one argument. With any other, arguments have names. */
const WHOLE_ONLY: ReadonlyMap<string, string> = new Map([
  ['text/plain', 'text'],
  ['text/xml', 'xml'],
  ['application/octet-stream', 'bytea'],
]);

/** The official server's message, letter for letter (contract §2.9). */
function unknownFunction(name: string, cache: SchemaCache, { names }: Given, exchange: Exchange): RestError {
  const { method, contentType } = exchange;
  const whole = method === 'POST' ? WHOLE_ONLY.get(contentType) : undefined;
  const isNamed = names.length > 0;
  const signature = isNamed ? `(${names.join(', ')})` : ' without parameters';
  const named = isNamed ? ` with parameter${names.length > 1 ? 's' : ''} ${names.join(', ')}` : ' without parameters';
  const orWhole =
    method === 'POST' && contentType === 'application/json' ? ' or with a single unnamed json/jsonb parameter' : '';
  const searched = whole === undefined ? `${named}${orWhole}` : ` with a single unnamed ${whole} parameter`;
  return new RestError(
    404,
    'PGRST202',
    `Could not find the function public.${name}${whole === undefined ? signature : ''} in the schema cache`,
    {
      details: `Searched for the function public.${name}${searched}, but no matches were found in the schema cache.`,
      hint: whole === undefined ? nearFunction(name, cache, names, exchange) : null,
    },
  );
}

/** The function that was probably meant, among those that the caller may call: of this name by its arguments, else by its name. */
function nearFunction(
  name: string,
  cache: SchemaCache,
  names: readonly string[],
  { caller: { identity } }: Exchange,
): string | null {
  const known = [...cache.functions.values()].flat().filter(({ roles }) => roles.has(identity.role));
  const overloads = known.filter((one) => one.name === name);
  const listOf = (all: readonly string[]): string => `(${all.toSorted().join(', ')})`;
  const list = nearName(
    listOf(names),
    overloads.map((one) => listOf(one.arguments.map((argument) => argument.name))),
  );
  const near =
    overloads.length > 0
      ? list && `${name}${list}`
      : nearName(
          name,
          known.map((one) => one.name),
        );
  return near === null ? null : `Perhaps you meant to call the function public.${near}`;
}

function ambiguousFunction(entries: readonly FunctionEntry[]): RestError {
  const signatures = entries.map(
    (entry) => `public.${entry.name}(${entry.arguments.map(({ name, type }) => `${name} => ${type}`).join(', ')})`,
  );
  return new RestError(
    300,
    'PGRST203',
    `Could not choose the best candidate function between: ${signatures.join(', ')}`,
    {
      hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
    },
  );
}

function fromFunction({ entry, given, isWhole }: Call, bound: Parameters): string {
  const call = `public.${quoted(entry.name)}`;
  if (isWhole) return `${call}(${bound.bind(given.whole?.text ?? given.json)}::${entry.arguments[0]?.type ?? 'text'})`;
  const passed = entry.arguments.filter(({ name }) => given.names.includes(name));
  if (passed.length === 0) return `${call}()`;
  const typed = passed.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ');
  const values = passed
    .map(({ name, isVariadic }) => `${isVariadic ? 'variadic ' : ''}${quoted(name)} => given.${quoted(name)}`)
    .join(', ');
  return `json_to_record(${bound.bind(jsonOf(entry, given))}::json) as given (${typed}), lateral ${call}(${values})`;
}

/** The arguments as JSON: all values of an argument that takes several. */
function jsonOf({ arguments: wanted }: FunctionEntry, { json, pairs }: Given): string {
  const variadic = wanted.find(({ isVariadic }) => isVariadic)?.name;
  if (pairs === undefined || variadic === undefined) return json;
  const values = pairs.filter(({ key }) => key === variadic).map(({ value }) => value);
  return JSON.stringify({ ...(JSON.parse(json) as Readonly<Record<string, string>>), [variadic]: values });
}
