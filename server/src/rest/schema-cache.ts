import type { Database } from '#platform/database';

import { RestError } from './rest-error.ts';
import { viewSources } from './view-columns.ts';

export type Column = {
  readonly name: string;
  /** As PostgreSQL writes it, such as `timestamp with time zone`. */
  readonly type: string;
  /** True when a constraint keeps it from being null; a view's and a function's columns may always be. */
  readonly isNotNull: boolean;
  /** The default, an SQL expression of the catalogue. */
  readonly default: string | null;
  /** The relation whose row the function of this name reads, where the column is computed. */
  readonly computedOf?: string;
};

export type Relation = {
  readonly kind: 'table' | 'view';
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  /** Functions of one row that give a value: columns where they are named, never part of `*`. */
  readonly computed: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
  /** The roles that may read it: nobody else is told its name. */
  readonly roles: ReadonlySet<string>;
};

/** Columns of two relations that are equal. */
type Pairs = readonly { readonly from: string; readonly to: string }[];

/** One way to go from a relation to another: a foreign key, two of them through a third relation, or a function. */
export type Relationship = {
  /** The foreign key's name, or the function's. */
  readonly constraint: string;
  readonly from: Relation;
  readonly to: Relation;
  /** Pairs of a column of `from` and the column of `to`, or of the junction, that it equals. */
  readonly columns: Pairs;
  /** True when `from` holds the foreign key. */
  readonly isForward: boolean;
  readonly isToOne: boolean;
  /** The relation between the two sides of many-to-many. */
  readonly junction: { readonly relation: Relation; readonly constraint: string; readonly columns: Pairs } | null;
  /** True when a function of a row of `from` gives the rows of `to`. */
  readonly isComputed: boolean;
};

type Argument = {
  /** Empty where it has none. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** True when it takes any number of values, as one list. */
  readonly isVariadic: boolean;
};

type FunctionResult =
  | { readonly kind: 'void' }
  | { readonly kind: 'scalar'; readonly isSet: boolean }
  /** Rows of a relation where `relation` is known, else of the columns that the function itself declares. */
  | {
      readonly kind: 'rows';
      readonly isSet: boolean;
      readonly relation: Relation | null;
      readonly columns: ReadonlyMap<string, Column>;
    };

/** Types of the one argument without a name that is given a request's whole body. */
const WHOLE_BODY_TYPES: ReadonlySet<string> = new Set(['json', 'jsonb', 'text', 'xml', 'bytea']);

export type FunctionEntry = {
  readonly name: string;
  readonly arguments: readonly Argument[];
  readonly isVolatile: boolean;
  readonly result: FunctionResult;
  /** The roles that may call it: nobody else is told its name. */
  readonly roles: ReadonlySet<string>;
};

/** The objects of schema `public`. Every identifier of every statement comes from here. */
export type SchemaCache = {
  readonly relations: ReadonlyMap<string, Relation>;
  /** By the name of the relation they start from. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** By name: functions may share one. */
  readonly functions: ReadonlyMap<string, readonly FunctionEntry[]>;
  /** True when a function, policy or view of the database reads `request.headers` and its like. */
  readonly readsRequest: boolean;
  /** True when a function of the database sets `response.status` or `response.headers`. */
  readonly setsResponse: boolean;
};

export type SchemaCacheHolder = {
  readonly get: () => Promise<SchemaCache>;
  /** Reports that PostgreSQL lacks something that the cache has: a migration has run. */
  readonly suspect: () => void;
  /** Reloads the schema, with retries: it has changed, or may have while the listener was down. */
  readonly reload: () => void;
};

const RELOAD_AFTER_MS = 5000;
const RETRY_AFTER_MS = 1000;

/** Holds the cache, loaded at first use. While a reload runs or fails, the old one serves. */
export function holdSchemaCache(database: Database, now: () => Date): SchemaCacheHolder {
  let known: SchemaCache | null = null;
  let loading: Promise<SchemaCache> | null = null;
  let loadedAt = 0;
  let isStale = false;

  async function load(): Promise<SchemaCache> {
    loadedAt = now().getTime();
    loading ??= loadSchemaCache(database).finally(() => {
      loading = null;
    });
    known = await loading;
    return known;
  }

  function reload(): void {
    if (known === null && loading === null) return;
    // The reading under way may have begun before the change: read once more after it.
    if (isStale) return;
    isStale = true;
    const before = loading ?? Promise.resolve();
    before
      .catch(() => undefined)
      .then(async () => {
        isStale = false;
        await load();
      })
      .catch(() => {
        setTimeout(reload, RETRY_AFTER_MS).unref();
      });
  }

  return {
    async get() {
      if (known !== null) return known;
      try {
        return await load();
      } catch (cause) {
        throw new RestError(503, 'PGRST002', 'Could not query the database for the schema cache. Retrying.', {
          headers: { 'retry-after': '1' },
          cause,
        });
      }
    },
    suspect() {
      if (known === null || now().getTime() - loadedAt < RELOAD_AFTER_MS) return;
      load().catch(() => undefined);
    },
    reload,
  };
}

type CatalogRow = {
  readonly relations: readonly {
    readonly name: string;
    readonly kind: string;
    readonly oid: number;
    readonly columns: readonly {
      readonly name: string;
      readonly number: number;
      readonly type: string;
      readonly isNotNull: boolean;
      readonly default: string | null;
    }[];
    readonly rule: string | null;
    readonly roles: readonly string[];
  }[];
  readonly keys: readonly {
    readonly name: string;
    readonly kind: 'p' | 'u' | 'f';
    readonly table: number;
    readonly columns: readonly number[];
    readonly target: number;
    readonly targetColumns: readonly number[] | null;
  }[];
  readonly functions: readonly {
    readonly name: string;
    readonly volatility: string;
    readonly isSet: boolean;
    readonly type: string;
    readonly typeKind: string;
    readonly typeRelation: number;
    readonly names: readonly string[] | null;
    readonly modes: readonly string[] | null;
    readonly types: readonly string[];
    readonly defaults: number;
    /** The relation of which a row is the one argument. */
    readonly ofRow: number | null;
    readonly rows: number;
    readonly description: string | null;
    readonly roles: readonly string[];
  }[];
  readonly readsRequest: boolean;
  readonly setsResponse: boolean;
};

/** SQL: the roles of callers that pass a test, as JSON. */
const rolesThat = (may: string): string =>
  `(select coalesce(json_agg(r.rolname), '[]') from pg_roles r
    where r.rolname in ('anon', 'authenticated', 'api_key', 'service_role') and ${may})`;

// Functions that came with an extension are not ours to offer; trigger functions cannot be called.
const CATALOG = `
select
  (select coalesce(json_agg(json_build_object('name', c.relname, 'kind', c.relkind, 'oid', c.oid::int8,
    'columns', (select json_agg(json_build_object('name', a.attname, 'number', a.attnum, 'type', format_type(a.atttypid, a.atttypmod),
      'isNotNull', a.attnotnull, 'default', case when a.attidentity <> ''
        then format('nextval(pg_get_serial_sequence(%L, %L)::regclass)', format('public.%I', c.relname), a.attname)
        when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end)
      order by a.attnum) from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'rule', (select r.ev_action::text from pg_rewrite r where r.ev_class = c.oid and r.rulename = '_RETURN'),
    'roles', ${rolesThat("has_any_column_privilege(r.oid, c.oid, 'select')")})), '[]')
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and not c.relispartition) as relations,
  (select coalesce(json_agg(json_build_object('name', k.conname, 'kind', k.contype, 'table', k.conrelid::int8,
    'columns', k.conkey, 'target', k.confrelid::int8, 'targetColumns', k.confkey) order by k.conname), '[]')
    from pg_constraint k where k.connamespace = 'public'::regnamespace and k.contype in ('p', 'u', 'f') and k.conparentid = 0) as keys,
  (select coalesce(json_agg(json_build_object('name', p.proname, 'volatility', p.provolatile, 'isSet', p.proretset,
    'type', format_type(p.prorettype, null), 'typeKind', t.typtype, 'typeRelation', t.typrelid::int8, 'names', p.proargnames,
    'modes', p.proargmodes, 'types', (select coalesce(json_agg(format_type(u.type, null) order by u.place), '[]')
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality u (type, place)),
    'defaults', p.pronargdefaults, 'rows', p.prorows,
    'description', obj_description(p.oid, 'pg_proc'), 'roles', ${rolesThat("has_function_privilege(r.oid, p.oid, 'execute')")}, 'ofRow', (select nullif(r.typrelid, 0)::int8 from pg_type r
      where r.oid = p.proargtypes[0] and p.pronargs = 1)) order by p.proname, p.oid), '[]')
    from pg_proc p join pg_type t on t.oid = p.prorettype
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
      and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')) as functions,
  exists (select from (
      select coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as text from pg_proc p
        where p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) and p.prokind <> 'a'
      union all select concat(p.qual, p.with_check) from pg_policies p
      union all select v.definition from pg_views v where v.schemaname not in ('pg_catalog', 'information_schema')
    ) source where source.text ~ '\\mrequest\\.(headers|method|path|cookies)\\M') as "readsRequest",
  exists (select from pg_proc p where p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    and p.prokind <> 'a' and coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) ~ '\\mresponse\\.(headers|status)\\M')
    as "setsResponse"`;

export async function loadSchemaCache(database: Database): Promise<SchemaCache> {
  const { rows } = await database.queryAsService<CatalogRow>('schema cache', { text: CATALOG, prepare: false });
  const catalog = rows[0];
  if (catalog === undefined) throw new Error('The catalogue could not be read');

  const byOid = new Map<number, Relation & { readonly computed: Map<string, Column> }>();
  const columnNames = new Map<number, ReadonlyMap<number, string>>();
  for (const entry of catalog.relations) {
    const names = new Map(entry.columns.map(({ number, name }) => [number, name]));
    const primary = catalog.keys.find((key) => key.kind === 'p' && key.table === entry.oid);
    columnNames.set(entry.oid, names);
    byOid.set(entry.oid, {
      kind: entry.kind === 'v' || entry.kind === 'm' ? 'view' : 'table',
      name: entry.name,
      columns: new Map(
        entry.columns.map(({ name, type, isNotNull, default: value }) => [
          name,
          { name, type, isNotNull, default: value },
        ]),
      ),
      computed: new Map(),
      primaryKey: primary?.columns.map((number) => nameIn(names, number)) ?? [],
      roles: new Set(entry.roles),
    });
  }
  for (const entry of catalog.functions) {
    const row = entry.ofRow === null ? undefined : byOid.get(entry.ofRow);
    if (row === undefined || entry.isSet || entry.type === 'void' || entry.typeRelation !== 0) continue;
    const { name, type } = entry;
    row.computed.set(name, { name, type, isNotNull: false, default: null, computedOf: row.name });
  }
  return {
    relations: new Map([...byOid.values()].map((relation) => [relation.name, relation])),
    relationships: relationshipsOf(catalog, byOid, columnNames),
    functions: functionsOf(catalog, byOid),
    readsRequest: catalog.readsRequest,
    setsResponse: catalog.setsResponse,
  };
}

type ColumnNames = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** Relation that shows columns of a table: the table itself, or a view that carries them. */
type Shown = { readonly relation: Relation; readonly columns: readonly string[] };

function relationshipsOf(
  catalog: CatalogRow,
  byOid: ReadonlyMap<number, Relation>,
  columnNames: ColumnNames,
): ReadonlyMap<string, readonly Relationship[]> {
  const views = catalog.relations.flatMap(({ oid, rule }) => {
    const relation = byOid.get(oid);
    return rule === null || relation === undefined ? [] : [{ relation, sources: viewSources(rule) }];
  });

  function shownBy(table: number, numbers: readonly number[]): Shown[] {
    const relation = byOid.get(table);
    const names = columnNames.get(table);
    if (relation === undefined || names === undefined) return [];
    const shown: Shown[] = [{ relation, columns: numbers.map((number) => nameIn(names, number)) }];
    for (const view of views) {
      const columns = numbers.map(
        (number) => view.sources.find((source) => source.table === table && source.column === number)?.name,
      );
      if (columns.every((column) => column !== undefined)) shown.push({ relation: view.relation, columns });
    }
    return shown;
  }

  const found = new Map<string, Relationship[]>();
  function add(relationship: Relationship): void {
    const existing = found.get(relationship.from.name);
    if (existing === undefined) found.set(relationship.from.name, [relationship]);
    else existing.push(relationship);
  }

  for (const key of catalog.keys) {
    if (key.kind !== 'f' || key.targetColumns === null) continue;
    const isOneToOne = catalog.keys.some(
      (other) =>
        other.kind !== 'f' &&
        other.table === key.table &&
        other.columns.length === key.columns.length &&
        other.columns.every((column) => key.columns.includes(column)),
    );
    for (const holder of shownBy(key.table, key.columns)) {
      for (const target of shownBy(key.target, key.targetColumns)) {
        const pairs = holder.columns.map((from, index) => ({ from, to: target.columns[index] ?? '' }));
        add({
          constraint: key.name,
          from: holder.relation,
          to: target.relation,
          columns: pairs,
          isForward: true,
          isToOne: true,
          ...DIRECT,
        });
        add({
          constraint: key.name,
          from: target.relation,
          to: holder.relation,
          columns: pairs.map(({ from, to }) => ({ from: to, to: from })),
          isForward: false,
          isToOne: isOneToOne,
          ...DIRECT,
        });
      }
    }
  }
  const direct = Array.from(found);
  for (const [relation, relationships] of direct) addThroughJunctions(relation, relationships, add);
  for (const entry of catalog.functions) {
    const from = entry.ofRow === null ? undefined : byOid.get(entry.ofRow);
    const to = byOid.get(entry.typeRelation);
    if (from === undefined || to === undefined) continue;
    const isToOne = !entry.isSet || entry.rows === 1;
    add({ constraint: entry.name, from, to, columns: [], isForward: false, isToOne, junction: null, isComputed: true });
  }
  return found;
}

const DIRECT = { junction: null, isComputed: false } as const;

/** A relation whose primary key holds two foreign keys stands between what they lead to (contract §2.5). */
function addThroughJunctions(
  name: string,
  direct: readonly Relationship[],
  add: (relationship: Relationship) => void,
): void {
  const forward = direct.filter(
    ({ isForward, from, columns, junction }) =>
      isForward && junction === null && columns.every((pair) => from.primaryKey.includes(pair.from)),
  );
  for (const one of forward) {
    for (const other of forward) {
      if (one.from.name !== name || one.constraint === other.constraint) continue;
      add({
        constraint: one.constraint,
        from: one.to,
        to: other.to,
        columns: one.columns.map(({ from, to }) => ({ from: to, to: from })),
        isForward: false,
        isToOne: false,
        junction: { relation: one.from, constraint: other.constraint, columns: other.columns },
        isComputed: false,
      });
    }
  }
}

function functionsOf(
  catalog: CatalogRow,
  byOid: ReadonlyMap<number, Relation>,
): ReadonlyMap<string, readonly FunctionEntry[]> {
  const found = new Map<string, FunctionEntry[]>();
  for (const entry of catalog.functions.toSorted(byOfficialOrder)) {
    const all = entry.types.map((type, index) => ({
      name: entry.names?.[index] ?? '',
      type,
      mode: entry.modes?.[index] ?? 'i',
    }));
    const given = all.filter(({ mode }) => mode === 'i' || mode === 'b' || mode === 'v');
    // An unnamed argument cannot be given, except the one that takes the whole body (contract §2.9).
    const [first, ...others] = given;
    const isWhole = first?.name === '' && others.length === 0 && WHOLE_BODY_TYPES.has(first.type);
    if (!isWhole && given.some(({ name }) => name === '')) continue;
    const returned = all.filter(({ mode }) => mode === 'o' || mode === 'b' || mode === 't');
    const made: FunctionEntry = {
      name: entry.name,
      arguments: given.map(({ name, type, mode }, index) => ({
        name,
        type,
        isVariadic: mode === 'v',
        isRequired: index < given.length - entry.defaults,
      })),
      isVolatile: entry.volatility === 'v',
      result: resultOf(entry, returned, byOid),
      roles: new Set(entry.roles),
    };
    const existing = found.get(made.name);
    if (existing === undefined) found.set(made.name, [made]);
    else existing.push(made);
  }
  return found;
}

type CatalogFunction = CatalogRow['functions'][number];

/** The order in which the official server names functions that share a name: by the number of arguments, then by what they are. */
function byOfficialOrder(one: CatalogFunction, other: CatalogFunction): number {
  const inputs = ({ types, modes }: CatalogFunction): number =>
    types.filter((_, index) => ['i', 'b', 'v'].includes(modes?.[index] ?? 'i')).length;
  const rest = ({ description, names, types }: CatalogFunction): string =>
    JSON.stringify([description ?? '', types.map((type, index) => [names?.[index] ?? '', type])]);
  const [first, second] = [rest(one), rest(other)];
  return inputs(one) - inputs(other) || (first < second ? -1 : first > second ? 1 : 0);
}

function resultOf(
  entry: CatalogRow['functions'][number],
  returned: readonly Pick<Column, 'name' | 'type'>[],
  byOid: ReadonlyMap<number, Relation>,
): FunctionResult {
  if (entry.type === 'void') return { kind: 'void' };
  const relation = byOid.get(entry.typeRelation) ?? null;
  if (relation !== null) {
    // No constraint of the table applies to the result of a function.
    const columns = new Map([...relation.columns].map(([name, column]) => [name, { ...column, isNotNull: false }]));
    return { kind: 'rows', isSet: entry.isSet, relation, columns };
  }
  if (returned.length > 1 || (returned.length === 1 && entry.isSet)) {
    const columns = new Map(returned.map(({ name, type }) => [name, { name, type, isNotNull: false, default: null }]));
    return { kind: 'rows', isSet: entry.isSet, relation: null, columns };
  }
  return { kind: 'scalar', isSet: entry.isSet };
}

function nameIn(names: ReadonlyMap<number, string>, number: number): string {
  const name = names.get(number);
  if (name === undefined) throw new Error(`The catalogue has no column ${number}`);
  return name;
}
