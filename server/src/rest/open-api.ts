import { commonHeaders } from './exchange.ts';
import type { Reply, Exchange } from './exchange.ts';
import { SEES_EVERY_ROW } from './statement.ts';
import { only } from './statement.ts';
import { RestError } from './rest-error.ts';
import type { Column, FunctionEntry, Relation, SchemaCache } from './schema-cache.ts';

/**
 * GET of the root: what this door offers to the caller's role, as Swagger 2.0 (contract §2.13). Admins and the secret key
 * get it; for everyone else the address does not exist.
 */
export async function describeSchema(exchange: Exchange, cache: SchemaCache): Promise<Reply> {
  const { caller, method } = exchange;
  if (method !== 'GET' && method !== 'HEAD') {
    throw new RestError(405, 'PGRST117', `Unsupported HTTP method: ${method}`);
  }
  const rights = await rightsOf(caller);
  if (rights === null) throw new RestError(404, 'PGRST126', 'Root endpoint metadata is disabled');
  const body = JSON.stringify(describe(cache, rights));
  return { status: 200, headers: commonHeaders(exchange, []), body: method === 'HEAD' ? null : body };
}

type Verb = 'select' | 'insert' | 'update' | 'delete';
type Rights = {
  readonly relations: Readonly<Record<string, readonly Verb[]>>;
  readonly functions: readonly string[];
};

const RIGHTS = `
select case when ${SEES_EVERY_ROW} then json_build_object(
  'relations', (select coalesce(json_object_agg(c.relname, array_remove(array[
      case when has_any_column_privilege(c.oid, 'select') then 'select' end,
      case when has_any_column_privilege(c.oid, 'insert') then 'insert' end,
      case when has_any_column_privilege(c.oid, 'update') then 'update' end,
      case when has_table_privilege(c.oid, 'delete') then 'delete' end], null)), '{}')
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')),
  'functions', (select coalesce(json_agg(distinct p.proname), '[]') from pg_proc p
    where p.pronamespace = 'public'::regnamespace and has_function_privilege(p.oid, 'execute'))) end as rights`;

async function rightsOf({ db, identity }: Exchange['caller']): Promise<Rights | null> {
  if (identity.role === 'anon') return null;
  const { rights } = await only(db.queryAs<{ rights: Rights | null }>(identity, { text: RIGHTS }, { readOnly: true }));
  return rights;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['smallint', 'integer'],
  ['integer', 'integer'],
  ['bigint', 'integer'],
  ['numeric', 'number'],
  ['real', 'number'],
  ['double precision', 'number'],
  ['boolean', 'boolean'],
]);

function describe(cache: SchemaCache, rights: Rights): unknown {
  const relations = [...cache.relations.values()].filter(({ name }) => (rights.relations[name]?.length ?? 0) > 0);
  const functions = [...cache.functions.values()].flatMap((entries) =>
    entries.filter(({ name }) => rights.functions.includes(name)).slice(0, 1),
  );
  return {
    swagger: '2.0',
    info: { title: 'Parrain', description: 'Tables, vues et fonctions de la plateforme', version: '1' },
    basePath: '/rest/v1',
    consumes: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
    produces: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
    paths: Object.fromEntries([
      ['/', { get: { tags: ['Introspection'], summary: 'OpenAPI', responses: OK } }],
      ...relations.map((relation) => [`/${relation.name}`, pathsOf(relation, rights.relations[relation.name] ?? [])]),
      ...functions.map((entry) => [`/rpc/${entry.name}`, callOf(entry)]),
    ]),
    parameters: { ...PARAMETERS, ...Object.fromEntries(relations.flatMap(filtersOf)) },
    definitions: Object.fromEntries(relations.map((relation) => [relation.name, definitionOf(cache, relation)])),
  };
}

const OK = { 200: { description: 'OK' } };
const header = (name: string): unknown => ({ name, in: 'header', type: 'string', required: false });
const query = (name: string): unknown => ({ name, in: 'query', type: 'string', required: false });
const PARAMETERS = {
  select: query('select'),
  order: query('order'),
  limit: query('limit'),
  offset: query('offset'),
  on_conflict: query('on_conflict'),
  columns: query('columns'),
  range: header('Range'),
  prefer: header('Prefer'),
};
const refer = (...names: readonly string[]): unknown[] => names.map((name) => ({ $ref: `#/parameters/${name}` }));

function pathsOf(relation: Relation, verbs: readonly Verb[]): unknown {
  const { name, columns } = relation;
  const filters = refer(...[...columns.keys()].map((column) => `rowFilter.${name}.${column}`));
  const body = { name, in: 'body', required: false, schema: { $ref: `#/definitions/${name}` } };
  const rows = { 200: { description: 'OK', schema: { type: 'array', items: { $ref: `#/definitions/${name}` } } } };
  const tags = [name];
  return {
    ...(verbs.includes('select')
      ? {
          get: {
            tags,
            parameters: [...filters, ...refer('select', 'order', 'range', 'offset', 'limit', 'prefer')],
            responses: { ...rows, 206: { description: 'Partial Content' } },
          },
        }
      : {}),
    ...(verbs.includes('insert')
      ? {
          post: {
            tags,
            parameters: [body, ...refer('select', 'columns', 'on_conflict', 'prefer')],
            responses: { 201: { description: 'Created' } },
          },
        }
      : {}),
    ...(verbs.includes('update')
      ? { patch: { tags, parameters: [...filters, body, ...refer('prefer')], responses: NO_CONTENT } }
      : {}),
    ...(verbs.includes('delete')
      ? { delete: { tags, parameters: [...filters, ...refer('prefer')], responses: NO_CONTENT } }
      : {}),
  };
}

const NO_CONTENT = { 204: { description: 'No Content' } };

function filtersOf({ name, columns }: Relation): [string, unknown][] {
  return [...columns.keys()].map((column) => [`rowFilter.${name}.${column}`, query(column)]);
}

function definitionOf(cache: SchemaCache, { name, columns, primaryKey }: Relation): unknown {
  const forward = (cache.relationships.get(name) ?? []).filter(({ isForward, to }) => isForward && to.kind === 'table');
  const properties = [...columns.values()].map((column) => {
    const leads = forward.find((one) => one.columns.length === 1 && one.columns[0]?.from === column.name);
    const notes = [
      ...(primaryKey.includes(column.name) ? ['This is a Primary Key.<pk/>'] : []),
      ...(leads === undefined
        ? []
        : [
            `This is a Foreign Key to \`${leads.to.name}.${leads.columns[0]?.to ?? ''}\`.` +
              `<fk table='${leads.to.name}' column='${leads.columns[0]?.to ?? ''}'/>`,
          ]),
    ];
    return [
      column.name,
      { ...typeOf(column), ...(notes.length === 0 ? {} : { description: `Note:\n${notes.join('\n')}` }) },
    ];
  });
  const required = [...columns.values()].filter(({ isNotNull, default: value }) => isNotNull && value === null);
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required: required.map((column) => column.name) }),
    properties: Object.fromEntries(properties) as unknown,
  };
}

function typeOf({ type }: Pick<Column, 'type'>): Record<string, unknown> {
  if (type.endsWith('[]')) return { type: 'array', format: type, items: typeOf({ type: type.slice(0, -2) }) };
  const bare = type.replace(/\(.*\)/u, '');
  if (bare === 'json' || bare === 'jsonb') return { format: type };
  return { type: TYPES.get(bare) ?? 'string', format: type };
}

function callOf(entry: FunctionEntry): unknown {
  const tags = [`(rpc) ${entry.name}`];
  const required = entry.arguments.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const properties = Object.fromEntries(entry.arguments.map(({ name, type }) => [name, typeOf({ type })]));
  const schema = { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
  const post = {
    tags,
    parameters: [{ name: 'args', in: 'body', required: true, schema }, ...refer('prefer')],
    responses: OK,
  };
  if (entry.isVolatile) return { post };
  const parameters = entry.arguments.map(({ name, type, isRequired }) => ({
    name,
    in: 'query',
    required: isRequired,
    ...typeOf({ type }),
  }));
  return { get: { tags, parameters, responses: OK }, post };
}
