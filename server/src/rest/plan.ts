import { NAME_BYTES_MAX, ROWS_MAX } from './limits.ts';
import type {
  Comparison,
  Condition,
  EmbedTarget,
  Field,
  JsonStep,
  OrderTerm,
  ParsedQuery,
  SelectItem,
} from './grammar.ts';
import { resolveRelationship } from './relationship.ts';
import { RestError, tooMuch, unknownColumn } from './rest-error.ts';
import type { Column, Relation, Relationship, SchemaCache } from './schema-cache.ts';

/** A column, or a place inside its JSON. */
export type Expression = {
  readonly column: Column;
  readonly path: readonly JsonStep[];
};

export type PlannedCondition =
  | {
      readonly kind: 'compare';
      readonly negated: boolean;
      readonly expression: Expression;
      readonly comparison: Comparison;
    }
  | {
      readonly kind: 'logic';
      readonly negated: boolean;
      readonly operator: 'and' | 'or';
      readonly conditions: readonly PlannedCondition[];
    }
  /** Condition that an embedded relation has a row: `embed=not.is.null`, or `embed=is.null` negated. */
  | { readonly kind: 'exists'; readonly negated: boolean; readonly embed: Embed }
  /** Condition that a row has one of these ids in its column, or passes one of the other conditions. */
  | {
      readonly kind: 'found';
      readonly ids: readonly string[];
      readonly idColumn: string;
      readonly idType: string;
      readonly otherwise: readonly PlannedCondition[];
    };

export type Output =
  | { readonly kind: 'column'; readonly key: string; readonly expression: Expression; readonly cast: string | null }
  /** The number of the level's rows, as one row. */
  | { readonly kind: 'count'; readonly key: string; readonly cast: string | null }
  | { readonly kind: 'embed'; readonly key: string; readonly embed: Embed }
  | { readonly kind: 'spread'; readonly embed: Embed };

export type PlannedOrder = {
  readonly expression: Expression;
  /** The to-one embed that the column is of. */
  readonly embed: Embed | null;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | null;
};

/** The source of rows: a relation, or the result of a function or a write that has its columns. */
export type Source = {
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  /** Its name in messages, where that is another: an embed has the number of its depth. */
  readonly alias?: string;
  /** The relation from which relationships start; null for columns that a function declares. */
  readonly relation: Relation | null;
};

/** One level of a reading, every name resolved. */
export type Level = {
  readonly source: Source;
  readonly outputs: readonly Output[];
  readonly conditions: readonly PlannedCondition[];
  readonly order: readonly PlannedOrder[];
  /** Never above ROWS_MAX. */
  readonly limit: number;
  readonly offset: number;
  /** Embeds without which a row of this level is dropped. */
  readonly required: readonly Embed[];
};

export type Embed = {
  readonly relationship: Relationship;
  readonly level: Level;
};

/** Casts cannot be bound, so only these types can be named: without spaces, which the official client takes out. */
const CAST_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    text: 'text',
    varchar: 'text',
    charactervarying: 'text',
    int2: 'smallint',
    smallint: 'smallint',
    int: 'integer',
    int4: 'integer',
    integer: 'integer',
    int8: 'bigint',
    bigint: 'bigint',
    numeric: 'numeric',
    decimal: 'numeric',
    real: 'real',
    float4: 'real',
    float8: 'double precision',
    doubleprecision: 'double precision',
    bool: 'boolean',
    boolean: 'boolean',
    uuid: 'uuid',
    date: 'date',
    time: 'time',
    timestamp: 'timestamp',
    timestamptz: 'timestamptz',
    timestampwithtimezone: 'timestamptz',
    timestampwithouttimezone: 'timestamp',
    interval: 'interval',
    json: 'json',
    jsonb: 'jsonb',
  }),
);

/** The same reading of these ids alone, and of the rows that pass one of the other conditions. */
export function amongIds(
  level: Level,
  ids: readonly string[],
  otherwise: readonly PlannedCondition[] = [],
  idColumn = 'id',
): Level {
  const idType = level.source.columns.get(idColumn)?.type ?? 'uuid';
  return { ...level, conditions: [...level.conditions, { kind: 'found', ids, idColumn, idType, otherwise }] };
}

export function sourceOf(relation: Relation): Source {
  return { name: relation.name, columns: relation.columns, relation };
}

/**
 * Resolves every name of a parsed query against the cache, from `source` on.
 * @throws RestError for a name that is unknown or ambiguous, or shapes an embed that is not selected.
 */
export function planRead(cache: SchemaCache, source: Source, query: ParsedQuery): Level {
  const all: Part[] = [
    ...query.filters.map(({ path, condition }): Part => ({ path, kind: 'filter', condition })),
    ...query.orders.map(({ path, terms }): Part => ({ path, kind: 'order', terms })),
    ...query.limits.map(({ path, count }): Part => ({ path, kind: 'limit', count })),
    ...query.offsets.map(({ path, count }): Part => ({ path, kind: 'offset', count })),
  ];
  return planLevel(cache, source, query.select, all, 0);
}

type Part = { readonly path: readonly string[] } & (
  | { readonly kind: 'filter'; readonly condition: Condition }
  | { readonly kind: 'order'; readonly terms: readonly OrderTerm[] }
  | { readonly kind: 'limit' | 'offset'; readonly count: number }
);

/** An embed with the names by which filters and orders may address it. */
type NamedEmbed = { readonly names: readonly string[]; readonly embed: Embed };

function planLevel(
  cache: SchemaCache,
  source: Source,
  items: readonly SelectItem[],
  parts: readonly Part[],
  depth: number,
): Level {
  const embedded = items.filter((item) => item.kind === 'embed' || item.kind === 'spread');
  const own = parts.filter(({ path }) => path.length === 0);
  const unclaimed = new Set(parts.filter(({ path }) => path.length > 0));

  const planned = new Map<SelectItem, NamedEmbed>();
  for (const item of embedded) {
    const alias = item.kind === 'embed' ? item.alias : null;
    const isHere = (name: string | undefined): boolean => name === (alias ?? item.target);
    // An aliased embed may still be addressed by its target, unless another one has that name.
    const isByTarget = (name: string | undefined): boolean =>
      name === item.target &&
      embedded.filter((other) => other.target === item.target).length === 1 &&
      !embedded.some((other) => other.kind === 'embed' && other.alias === item.target);
    const theirs = [...unclaimed].filter(({ path: [first] }) => isHere(first) || isByTarget(first));
    for (const part of theirs) unclaimed.delete(part);
    const inner = theirs.map((part) => ({ ...part, path: part.path.slice(1) }));
    planned.set(item, {
      names: [alias ?? item.target, item.target],
      embed: planEmbed(cache, source, item, inner, depth + 1),
    });
  }
  const [lost] = unclaimed;
  if (lost !== undefined) throw notEmbedded(lost.path[0] ?? '');

  const named = [...planned.values()];
  const outputs = items.flatMap((item): Output[] => {
    switch (item.kind) {
      case 'all':
        return [...source.columns.values()].map((column) => ({
          kind: 'column',
          key: column.name,
          expression: { column, path: [] },
          cast: null,
        }));
      case 'column':
        return [planColumn(source, item)];
      case 'embed':
      case 'spread': {
        const embed = planned.get(item)?.embed;
        // An embed that selects nothing only filters.
        if (embed === undefined || item.items.length === 0) return [];
        if (item.kind === 'spread') return [{ kind: 'spread', embed }];
        return [{ kind: 'embed', key: safeKey(item.alias ?? item.target), embed }];
      }
    }
  });
  refuseUngrouped(source, outputs, own);
  return {
    source,
    outputs,
    conditions: own.flatMap((part) => (part.kind === 'filter' ? [planCondition(source, part.condition, named)] : [])),
    order: own.flatMap((part) =>
      part.kind === 'order' ? part.terms.map((term) => planOrder(source, term, named)) : [],
    ),
    limit: Math.min(ROWS_MAX, ...own.flatMap((part) => (part.kind === 'limit' ? [part.count] : []))),
    offset: Math.max(0, ...own.flatMap((part) => (part.kind === 'offset' ? [part.count] : []))),
    required: embedded.flatMap((item) => {
      const embed = planned.get(item)?.embed;
      return item.join === 'inner' && embed !== undefined ? [embed] : [];
    }),
  };
}

/** `count` aggregates all rows into one, so no other column and no order can stand beside it. */
function refuseUngrouped(source: Source, outputs: readonly Output[], own: readonly Part[]): void {
  if (!outputs.some(({ kind }) => kind === 'count')) return;
  const beside = outputs.find((output) => output.kind !== 'count');
  const ordered = own.flatMap((part) => (part.kind === 'order' ? part.terms : []))[0];
  if (beside === undefined && ordered === undefined) return;
  const name = ordered?.field.name ?? (beside?.kind === 'spread' ? beside.embed.level.source.name : beside?.key);
  throw new RestError(
    400,
    '42803',
    `column "${source.name}.${name}" must appear in the GROUP BY clause or be used in an aggregate function`,
  );
}

function planEmbed(
  cache: SchemaCache,
  source: Source,
  item: EmbedTarget,
  parts: readonly Part[],
  depth: number,
): Embed {
  if (source.relation === null) {
    throw new RestError(
      400,
      'PGRST200',
      `Could not find a relationship between '${source.name}' and '${item.target}' in the schema cache`,
    );
  }
  const relationship = resolveRelationship(cache, source.relation, item.target, item.hint);
  const to = sourceOf(relationship.to);
  return {
    relationship,
    level: planLevel(cache, { ...to, alias: `${to.name}_${depth}` }, item.items, parts, depth),
  };
}

function planColumn(source: Source, item: SelectItem & { kind: 'column' }): Output {
  const key = safeKey(item.alias ?? keyOf(item.field));
  const cast = castOf(item.cast);
  if (isCount(source, item.field)) return { kind: 'count', key, cast };
  return { kind: 'column', key, expression: planField(source, item.field), cast };
}

/** A name that PostgreSQL would read as the aggregate of the whole row, where no column has it. */
function isCount({ columns, relation }: Source, { name, path }: Field): boolean {
  return name === 'count' && path.length === 0 && !columns.has(name) && relation?.computed.has(name) !== true;
}

function castOf(type: string | null): string | null {
  if (type === null) return null;
  const cast = CAST_TYPES.get(type.replaceAll(' ', ''));
  if (cast === undefined) throw new RestError(400, '42704', `type "${type}" does not exist`);
  return cast;
}

/** The response key of a column: its name, or the last key of its JSON path. */
function keyOf(field: Field): string {
  return field.path.findLast(({ key }) => typeof key === 'string')?.key.toString() ?? field.name;
}

/**
 * A key of the answer stands in the statement as a column's name, the only text of the request that does: so nothing but
 * letters, digits, `_`, `$`, `-` and spaces, which between double quotes can mean nothing else.
 */
function safeKey(key: string): string {
  if (!/^[\p{L}\p{M}\p{N}_$ -]+$/u.test(key))
    throw tooMuch('A response key has letters, digits, _, $, - and spaces only');
  if (Buffer.byteLength(key) > NAME_BYTES_MAX) throw tooMuch(`A response key has at most ${NAME_BYTES_MAX} bytes`);
  return key;
}

function planField(source: Source, field: Field): Expression {
  const column = source.columns.get(field.name) ?? source.relation?.computed.get(field.name);
  if (column === undefined) throw unknownColumn(source.alias ?? source.name, field.name);
  return { column, path: field.path };
}

function planCondition(source: Source, condition: Condition, embeds: readonly NamedEmbed[]): PlannedCondition {
  if (condition.kind === 'logic') {
    return { ...condition, conditions: condition.conditions.map((inner) => planCondition(source, inner, embeds)) };
  }
  const { field, comparison, negated } = condition;
  // A name may be a column and an embed's alias (`commission_rate:commission_rates(*)`): then the column is meant.
  const named = source.columns.has(field.name) ? undefined : embeds.find(({ names }) => names.includes(field.name));
  if (named === undefined) return { kind: 'compare', negated, expression: planField(source, field), comparison };
  if (comparison.operator !== 'is' || (comparison.value !== 'null' && comparison.value !== 'not_null')) {
    throw new RestError(400, 'PGRST120', 'Only is null or not is null filters are allowed on embedded resources');
  }
  return { kind: 'exists', negated: (comparison.value === 'null') !== negated, embed: named.embed };
}

function planOrder(source: Source, term: OrderTerm, embeds: readonly NamedEmbed[]): PlannedOrder {
  const { descending, nulls } = term;
  if (term.relation === null) {
    const expression = planField(source, term.field);
    // On a column without nulls, `nulls first` or `last` would only keep the planner from the index of that order.
    const isNeverNull = expression.column.isNotNull && expression.path.length === 0;
    return { expression, embed: null, descending, nulls: isNeverNull ? null : nulls };
  }
  const relation = term.relation;
  const embed = embeds.find(({ names }) => names.includes(relation))?.embed;
  if (embed === undefined) throw notEmbedded(relation);
  if (!embed.relationship.isToOne) {
    throw new RestError(400, 'PGRST118', `A related order on '${relation}' is not possible`, {
      details: `'${source.name}' and '${relation}' do not form a many-to-one or one-to-one relationship`,
    });
  }
  return { expression: planField(embed.level.source, term.field), embed, descending, nulls };
}

function notEmbedded(name: string): RestError {
  return new RestError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });
}
