import type { Comparison } from './grammar.ts';
import { ROWS_MAX } from './limits.ts';
import type { MediaType } from './media-type.ts';
import type { Embed, Expression, Level, Output, PlannedOrder, PlannedCondition } from './plan.ts';
import type { CountShortcut } from './shortcuts/counts.ts';
import { parameters, quoted, ROOT } from './statement.ts';
import type { Parameters, Statement } from './statement.ts';

export type ReadOptions = {
  /** The source of the outermost rows, with ROOT as its alias. */
  readonly from: string;
  /** Statements in front, such as a write whose result is read. */
  readonly with?: string;
  readonly media: Pick<MediaType, 'shape' | 'stripNulls'>;
  /** False for HEAD and for minimal answers: rows are counted, not shown. */
  readonly showsRows: boolean;
  /** Counting of the rows that pass the conditions beyond the page: none, exact, or up to a number. */
  readonly total: 'none' | 'exact' | 'up to the rows of a page' | { readonly sql: string };
  /** False for the rows of a write, which are shown whole. */
  readonly isLimited: boolean;
  /** A kept total, which an exact count takes where the caller sees all that it counts. */
  readonly counts?: CountShortcut | null;
  /** Readings that exclude each other, whose union has the page's first rows; the level itself where there are none. */
  readonly arms?: readonly Level[] | null;
  /** The number of rows that the conditions leave, where it was counted before. */
  readonly known?: number | null;
};

export type ReadRow = {
  readonly body: string | null;
  readonly rows: number;
  readonly total: number | null;
};

/** The one statement of a reading: the answer's body, made by the database, its number of rows, and the total asked for. */
export function readStatement(level: Level, options: ReadOptions, bound: Parameters = parameters()): Statement {
  const context: Context = { bind: bound.bind, aliases: 0 };
  const arms = options.showsRows ? (options.arms ?? null) : null;
  const isCounted =
    (options.total === 'exact' || options.total === 'up to the rows of a page') && (options.known ?? null) === null;
  // PostgreSQL refuses a value that is bound and not used, and the arms have the conditions themselves.
  const where = arms === null || isCounted ? whereOf(context, level, ROOT, null) : '';
  const outputs = options.showsRows ? outputsOf(context, level, ROOT) : { columns: [], joins: '' };
  const order =
    level.order.length === 0 || !options.showsRows ? '' : ` order by ${orderOf(context, level.order, ROOT)}`;
  // Our own print of an integer of at most ROWS_MAX. A bound limit would hide from the planner how few rows are wanted, and
  // every execution would be planned again.
  const limit = options.isLimited ? ` limit ${level.limit}` : '';
  const offset = options.isLimited && level.offset > 0 ? context.bind(String(level.offset)) : null;
  const rest = `${where}${order}${limit}${offset === null ? '' : ` offset ${offset}`}`;
  const shown = `select ${outputs.columns.map(({ sql, key }) => `${sql} as ${quoted(key)}`).join(', ')} from `;
  const isCutFirst =
    offset !== null && options.showsRows && level.outputs.some(({ kind }) => kind === 'embed' || kind === 'spread');
  const page =
    arms !== null
      ? `${shown}(${armsOf(context, level, arms, options.from)}) as ${ROOT}${outputs.joins}${order}${limit}`
      : isCutFirst
        ? `${shown}(select ${neededColumns(level)} from ${options.from}${rest}) as ${ROOT}${outputs.joins}${order}`
        : `${shown}${options.from}${outputs.joins}${rest}`;
  const columns = outputs.columns.map((_, index) => `c${index}`);
  const text =
    `${options.with ?? ''}select ${options.showsRows ? bodyOf(options.media, columns) : 'null'} as body, ` +
    `count(*)::int as rows, ${totalOf(level, options, where, offset, bound.bind)} as total ` +
    `from (${page}) as ${ROW}${options.media.shape === 'csv' && columns.length > 0 ? ` (${columns.join(', ')})` : ''}`;
  return { text, values: bound.values };
}

/** The first rows of each arm, in the level's order. */
function armsOf(context: Context, level: Level, arms: readonly Level[], from: string): string {
  const columns = neededColumns(level);
  return arms
    .map((arm) => {
      const where = whereOf(context, arm, ROOT, null);
      return `(select ${columns} from ${from}${where} order by ${orderOf(context, level.order, ROOT)} limit ${level.limit})`;
    })
    .join(' union all ');
}

/** The ids of the arms' first rows. */
export function idsStatement(level: Level, arms: readonly Level[], from: string): Statement {
  const bound = parameters();
  const context: Context = { bind: bound.bind, aliases: 0 };
  const id = level.source.columns.get('id');
  const expression = id === undefined ? [] : [{ column: id, path: [] }];
  const outputs = expression.map((one): Output => ({ kind: 'column', key: 'id', expression: one, cast: null }));
  const rows = armsOf(context, { ...level, outputs }, arms, from);
  const order = orderOf(context, level.order, ROOT);
  const text = `select ${ROOT}."id" as id from (${rows}) as ${ROOT} order by ${order} limit ${level.limit}`;
  return { text, values: bound.values };
}

/**
 * The columns of the outermost rows that are used outside the page's own `select`. PostgreSQL computes the outputs of the
 * rows that an offset skips too: where these are sub-selects, the page is cut first.
 */
function neededColumns(level: Level): string {
  const names = new Set<string>();
  const expressions = [
    ...level.outputs.flatMap((output) => (output.kind === 'column' ? [output.expression] : [])),
    ...level.order.flatMap(({ expression, embed }) => (embed === null ? [expression] : [])),
  ];
  const embeds = [
    ...level.outputs.flatMap((output) => ('embed' in output ? [output.embed] : [])),
    ...level.order.flatMap(({ embed }) => (embed === null ? [] : [embed])),
  ];
  for (const { column } of expressions) names.add(column.name);
  for (const { relationship } of embeds) for (const { from } of relationship.columns) names.add(from);
  // A computed column takes the whole row.
  const isOfRow =
    expressions.some(({ column }) => column.computedOf !== undefined) ||
    embeds.some(({ relationship }) => relationship.isComputed);
  const all = isOfRow ? level.source.columns.keys() : names;
  return [...all].map((name) => `${ROOT}.${quoted(name)}`).join(', ');
}

/** The planner's estimate of the number of rows that pass the conditions. */
export function estimateStatement(level: Level, from: string): Statement {
  const bound = parameters();
  const where = whereOf({ bind: bound.bind, aliases: 0 }, level, ROOT, null);
  return { text: `explain (format json) select 1 from ${from}${where}`, values: bound.values };
}

/** A level's conditions as a `where` over ROOT; empty where it has none. */
export function whereOfLevel(level: Level, bound: Parameters): string {
  return whereOf({ bind: bound.bind, aliases: 0 }, level, ROOT, null);
}

/** A level's order as an `order by` over ROOT; empty where it has none. */
export function orderOfLevel(level: Level, bound: Parameters): string {
  return level.order.length === 0 ? '' : ` order by ${orderOf({ bind: bound.bind, aliases: 0 }, level.order, ROOT)}`;
}

/** The first line of a CSV answer. */
export function csvHeader(level: Level): string {
  return keysOf(level)
    .map((key) => (/[",\r\n]/u.test(key) ? `"${key.replaceAll('"', '""')}"` : key))
    .join(',');
}

function keysOf(level: Level): string[] {
  return level.outputs.flatMap((output) => (output.kind === 'spread' ? keysOf(output.embed.level) : [output.key]));
}

type Context = {
  readonly bind: Parameters['bind'];
  aliases: number;
};

/** No response key can have this name, so it always means the row. */
const ROW = '"(row)"';

function bodyOf(media: ReadOptions['media'], columns: readonly string[]): string {
  if (media.shape === 'csv') {
    return `string_agg(concat_ws(',', ${columns.map(csvValue).join(', ')}), e'\\n')`;
  }
  const rows = media.stripNulls ? `json_strip_nulls(json_agg(${ROW}))` : `json_agg(${ROW})`;
  return media.shape === 'object' ? `(${rows} -> 0)::text` : `coalesce(${rows}, '[]')::text`;
}

/** A spreadsheet would run a cell that begins like a formula: an apostrophe makes it text. Numbers are left alone. */
function csvValue(column: string): string {
  const text = `${ROW}.${column}::text`;
  const cell = `case when ${text} ~ '${FORMULA}' then '''' else '' end || ${text}`;
  return `coalesce(case when ${text} ~ '[",\\r\\n]' then '"' || replace(${cell}, '"', '""') || '"' else ${cell} end, '')`;
}

/** The start of a formula, which a negative number is not. A spreadsheet in Japanese reads the full-width signs too. */
const FORMULA = '^(?!-(\\d+(\\.\\d+)?(e[-+]?\\d+)?|[Ii]nfinity)$)[-=+@\\t\\r\\n＝＋－＠]';

function exactTotalOf({ from, counts }: ReadOptions, where: string, bind: Parameters['bind']): string {
  const counted = `(select count(*) from ${from}${where})`;
  return counts?.totalSql(counted, where, bind) ?? counted;
}

function totalOf(
  level: Level,
  options: ReadOptions,
  where: string,
  offset: string | null,
  bind: Parameters['bind'],
): string {
  if (options.total === 'none') return 'null';
  if (typeof options.total === 'object') return options.total.sql;
  if (options.known !== null && options.known !== undefined) return `${bind(String(options.known))}::int8`;
  const counted =
    options.total === 'exact'
      ? exactTotalOf(options, where, bind)
      : `(select count(*) from (select from ${options.from}${where} limit ${ROWS_MAX + 1}) as counted)`;
  if (!options.isLimited) return counted;
  // A page that is not full is the last one, and its end is the total.
  const isLast = `count(*) < ${level.limit}${offset === null ? '' : ' and count(*) > 0'}`;
  return `case when ${isLast} then count(*)${offset === null ? '' : ` + ${offset}::int8`} else ${counted} end`;
}

type OutputColumn = { readonly sql: string; readonly key: string };

function outputsOf(context: Context, level: Level, alias: string): { columns: OutputColumn[]; joins: string } {
  let joins = '';
  const columns = level.outputs.flatMap((output: Output): OutputColumn[] => {
    switch (output.kind) {
      case 'column': {
        const sql = expressionOf(context, output.expression, alias);
        return [{ key: output.key, sql: output.cast === null ? sql : `${sql}::${output.cast}` }];
      }
      case 'count':
        return [{ key: output.key, sql: `count(*)${output.cast === null ? '' : `::${output.cast}`}` }];
      case 'embed':
        return [{ key: output.key, sql: embedOf(context, output.embed, alias) }];
      case 'spread': {
        const spread = spreadOf(context, output.embed, alias);
        joins += spread.join;
        return spread.columns;
      }
    }
  });
  return { columns, joins };
}

/** One object or null for a to-one relation, an array for the others. */
function embedOf(context: Context, embed: Embed, parent: string): string {
  const rows = selectOf(context, embed, parent).sql;
  return embed.relationship.isToOne
    ? `(select row_to_json(${ROW}) from (${rows}) as ${ROW})`
    : `(select coalesce(json_agg(${ROW}), '[]') from (${rows}) as ${ROW})`;
}

/** The columns of a to-one relation stand among its parent's; those of the others become parallel arrays. */
function spreadOf(context: Context, embed: Embed, parent: string): { join: string; columns: OutputColumn[] } {
  const alias = nextAlias(context);
  const { sql, keys } = selectOf(context, embed, parent);
  const names = keys.map((_, index) => `c${index}`);
  const columns = names.map((name, index) => ({ key: keys[index] ?? '', sql: `${alias}.${name}` }));
  if (embed.relationship.isToOne) {
    return { join: ` left join lateral (${sql}) as ${alias} (${names.join(', ')}) on true`, columns };
  }
  const inner = nextAlias(context);
  const arrays = names.map((name) => `coalesce(json_agg(${inner}.${name}), '[]') as ${name}`);
  return {
    join: ` left join lateral (select ${arrays.join(', ')} from (${sql}) as ${inner} (${names.join(', ')})) as ${alias} on true`,
    columns,
  };
}

function selectOf(context: Context, embed: Embed, parent: string): { sql: string; keys: string[] } {
  const { level, relationship } = embed;
  const alias = nextAlias(context);
  const { columns, joins } = outputsOf(context, level, alias);
  const { from, join } = fromEmbed(context, embed, alias, parent);
  const where = whereOf(context, level, alias, join);
  const order = level.order.length === 0 ? '' : ` order by ${orderOf(context, level.order, alias)}`;
  // A foreign key leads to one row of a table; of a view only where the view repeats none.
  const limit = relationship.isToOne
    ? Math.min(level.limit, relationship.to.kind === 'view' || relationship.isComputed ? 1 : level.limit)
    : level.limit;
  const isBounded = relationship.isToOne && limit >= ROWS_MAX ? '' : ` limit ${limit}`;
  const offset = level.offset > 0 ? ` offset ${context.bind(String(level.offset))}` : '';
  return {
    sql:
      `select ${columns.map(({ sql, key }) => `${sql} as ${quoted(key)}`).join(', ')} ` +
      `from ${from}${joins}${where}${order}${isBounded}${offset}`,
    keys: columns.map(({ key }) => key),
  };
}

function whereOf(context: Context, level: Level, alias: string, join: string | null): string {
  const conditions = [
    ...(join === null ? [] : [join]),
    ...level.conditions.map((condition) => conditionOf(context, condition, alias)),
    ...level.required.map((embed) => existsOf(context, embed, alias)),
  ];
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
}

function existsOf(context: Context, embed: Embed, parent: string): string {
  const alias = nextAlias(context);
  const { from, join } = fromEmbed(context, embed, alias, parent);
  return `exists (select from ${from}${whereOf(context, embed.level, alias, join)})`;
}

/** The source of an embed's rows, and the join to their parent. */
function fromEmbed(
  context: Context,
  { relationship: { constraint, from, to, columns, junction, isComputed } }: Embed,
  alias: string,
  parent: string,
): { readonly from: string; readonly join: string | null } {
  const equal = (pairs: typeof columns, left: string, right: string): string =>
    pairs.map((pair) => `${right}.${quoted(pair.to)} = ${left}.${quoted(pair.from)}`).join(' and ');
  if (isComputed) return { from: `public.${quoted(constraint)}(${rowOf(from.name, parent)}) as ${alias}`, join: null };
  const target = `public.${quoted(to.name)} as ${alias}`;
  if (junction === null) return { from: target, join: equal(columns, parent, alias) };
  const between = nextAlias(context);
  return {
    from: `public.${quoted(junction.relation.name)} as ${between} join ${target} on ${equal(junction.columns, between, alias)}`,
    join: equal(columns, parent, between),
  };
}

/** A whole row of the relation's own type, also where a statement in front gave it. */
function rowOf(relation: string, alias: string): string {
  return `${alias}::public.${quoted(relation)}`;
}

function nextAlias(context: Context): string {
  context.aliases += 1;
  return `t${context.aliases}`;
}

function conditionOf(context: Context, condition: PlannedCondition, alias: string): string {
  switch (condition.kind) {
    case 'compare': {
      const expression = expressionOf(context, condition.expression, alias);
      const isBoolean = condition.expression.column.type === 'boolean' && condition.expression.path.length === 0;
      const sql = comparisonOf(context, condition.comparison, expression, condition.expression, isBoolean);
      return condition.negated ? `not (${sql})` : `(${sql})`;
    }
    case 'logic': {
      const inner = condition.conditions.map((one) => conditionOf(context, one, alias));
      return `${condition.negated ? 'not ' : ''}(${inner.join(` ${condition.operator} `)})`;
    }
    case 'exists':
      return `${condition.negated ? 'not ' : ''}${existsOf(context, condition.embed, alias)}`;
    case 'found': {
      const isFound = `${alias}.${quoted(condition.idColumn)} = any (${context.bind(condition.ids)}::${condition.idType}[])`;
      return `(${[isFound, ...condition.otherwise.map((one) => conditionOf(context, one, alias))].join(' or ')})`;
    }
  }
}

const OPERATORS = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxr: '&<',
  nxl: '&>',
  adj: '-|-',
} as const;

const TEXT_SEARCHES = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
} as const;

const IS = { null: 'null', not_null: 'not null', true: 'true', false: 'false', unknown: 'unknown' } as const;

function comparisonOf(
  context: Context,
  comparison: Comparison,
  sql: string,
  { column, path }: Expression,
  isBoolean: boolean,
): string {
  switch (comparison.operator) {
    case 'in':
      return `${sql} = any (${context.bind(comparison.members)})`;
    case 'is':
      return `${sql} is ${IS[comparison.value]}`;
    case 'fts':
    case 'plfts':
    case 'phfts':
    case 'wfts': {
      const config = comparison.config === null ? '' : `${context.bind(comparison.config)}::regconfig, `;
      const document =
        path.length === 0 && column.type === 'tsvector' ? sql : `to_tsvector(${config}${textOf(sql, column, path)})`;
      return `${document} @@ ${TEXT_SEARCHES[comparison.operator]}(${config}${context.bind(comparison.operand)})`;
    }
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'like':
    case 'ilike':
    case 'match':
    case 'imatch': {
      const { operator, operand, quantifier } = comparison;
      // As a literal, so that the planner finds the partial indexes.
      if (isBoolean && operator === 'eq' && quantifier === null && (operand === 'true' || operand === 'false')) {
        return `${sql} = ${operand === 'true' ? 'true' : 'false'}`;
      }
      const isPattern = operator === 'like' || operator === 'ilike';
      const place = context.bind(isPattern ? operand.replaceAll('*', '%') : operand);
      return `${sql} ${OPERATORS[operator]} ${quantifier === null ? place : `${quantifier} (${place})`}`;
    }
    default:
      return `${sql} ${OPERATORS[comparison.operator]} ${context.bind(comparison.operand)}`;
  }
}

/** The document of a text search: to_tsvector reads text and JSON itself, other types are cast to text. */
function textOf(sql: string, { type }: Expression['column'], path: Expression['path']): string {
  const isDocument = type === 'text' || type === 'json' || type === 'jsonb' || path.length > 0;
  return isDocument ? sql : `${sql}::text`;
}

function expressionOf(context: Context, { column, path }: Expression, alias: string): string {
  const { computedOf, name } = column;
  const sql =
    computedOf === undefined ? `${alias}.${quoted(name)}` : `public.${quoted(name)}(${rowOf(computedOf, alias)})`;
  if (path.length === 0) return sql;
  const json = column.type === 'json' || column.type === 'jsonb' ? sql : `to_jsonb(${sql})`;
  const steps = path.map(({ key, asText }) => {
    const type = typeof key === 'number' ? 'int' : 'text';
    return `${asText ? '->>' : '->'} ${context.bind(String(key))}::${type}`;
  });
  return `(${json} ${steps.join(' ')})`;
}

function orderOf(context: Context, order: readonly PlannedOrder[], alias: string): string {
  return order
    .map(({ expression, embed, descending, nulls }) => {
      const sql =
        embed === null ? expressionOf(context, expression, alias) : relatedOf(context, expression, embed, alias);
      return `${sql} ${descending ? 'desc' : 'asc'}${nulls === null ? '' : ` nulls ${nulls}`}`;
    })
    .join(', ');
}

function relatedOf(context: Context, expression: Expression, embed: Embed, parent: string): string {
  const alias = nextAlias(context);
  const { from, join } = fromEmbed(context, embed, alias, parent);
  const where = whereOf(context, embed.level, alias, join);
  return `(select ${expressionOf(context, expression, alias)} from ${from}${where} limit 1)`;
}
