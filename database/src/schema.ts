import type { Client } from 'pg';

/** Today's schema as PostgreSQL has it, written by its test: what a reviewer of a migration reads. */
export const SCHEMA = new URL('../schema.sql', import.meta.url);

const HEAD = `-- The schema that the migrations make, as PostgreSQL says it: to be read, and its difference reviewed. Never run: the migrations are.
-- Written anew by: cd database && npx vitest run tests/schema.test.ts -u
--
-- Every table has row level security on and forced, and a policy « <table>_service_all » for parrain_service. Security-definer
-- functions belong to parrain_service. A function is granted to nobody but those that are named.
`;

/**
 * Writes the whole schema down, schema by schema, sorted by name: a table with its constraints, indexes, policies, triggers and
 * grants, then views, types and functions.
 */
export async function schemaOf(client: Pick<Client, 'query'>): Promise<string> {
  // Every name is written with its schema.
  await client.query('begin; set local search_path = pg_catalog');
  try {
    const { rows } = await client.query<{ text: string }>(STATEMENTS);
    return `${HEAD}\n${rows.map(({ text }) => text).join('\n\n')}\n`;
  } finally {
    await client.query('rollback');
  }
}

/** The grants of an access list to the program's own roles, one statement a role. */
const grants = (list: string, owner: string, on: string): string => `
  (select string_agg(e'\\n' || format('grant %s on %s to %s;', g.verbs, ${on}, g.role), '' order by g.role)
   from (select a.grantee::regrole::text as role, string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as verbs
     from aclexplode(${list}) a where a.grantee <> ${owner} and a.grantee::regrole::text in
       ('anon', 'api_key', 'authenticated', 'service_role', 'parrain_service', 'authenticator')
     group by a.grantee) g)`;

/** The parts of one kind, each on a line of its own. */
const lines = (select: string, from: string, order: string): string =>
  `coalesce((select string_agg(e'\\n' || ${select}, '' order by ${order}) from ${from}), '')`;

const STATEMENTS = `
with schemas as (
  select oid, nspname as name, nspacl, nspowner from pg_namespace where nspname in ('public', 'auth', 'private', 'storage', 'figures')
),
relations as (
  select c.*, s.name || '.' || c.relname as name, s.name as schema
  from pg_class c join schemas s on s.oid = c.relnamespace
  where c.relkind in ('r', 'v') and not (s.name = 'private' and c.relname = 'migrations')
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
),
statements as (
  -- Text: as a "name" it would end after 63 letters, and functions that differ in their last arguments come in any order.
  select s.name as schema, 0 as kind, ''::text as name, '-- ' || s.name || e'\\ncreate schema ' || s.name || ';'
    || coalesce(${grants('s.nspacl', 's.nspowner', `'schema ' || s.name`)}, '') as text
  from schemas s
  union all
  select r.schema, 1, r.relname, 'create ' || case r.relpersistence when 'u' then 'unlogged ' else '' end || 'table ' || r.name || e' (\\n'
    || (select string_agg(part, e',\\n' order by place, name) from (
      select a.attnum::integer as place, '' as name, '  ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
        || case when a.attnotnull then ' not null' else '' end
        || case when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
          when a.attidentity = 'a' then ' generated always as identity'
          else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end as part
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
      union all
      select 10000, k.conname::text collate "C", '  constraint ' || k.conname || ' ' || regexp_replace(pg_get_constraintdef(k.oid), '\\s+', ' ', 'g')
      from pg_constraint k where k.conrelid = r.oid and k.contype in ('c', 'u', 'f', 'p', 'x')) parts)
    || e'\\n)' || coalesce(' with (' || array_to_string(r.reloptions, ', ') || ')', '') || ';'
    || ${lines(
      `pg_get_indexdef(i.indexrelid) || ';'`,
      `pg_index i where i.indrelid = r.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
      `i.indexrelid::regclass::text collate "C"`,
    )}
    || case when r.relrowsecurity and r.relforcerowsecurity then '' else e'\\n-- NO ROW LEVEL SECURITY' end
    || ${lines(
      `format('create policy %s on %s%s for %s to %s%s%s;', p.polname, r.name, case when p.polpermissive then '' else ' as restrictive' end,
        case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
        array_to_string(array(select o::regrole::text from unnest(p.polroles) o), ', '),
        coalesce(' using (' || regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\\s+', ' ', 'g') || ')', ''),
        coalesce(' with check (' || regexp_replace(pg_get_expr(p.polwithcheck, p.polrelid), '\\s+', ' ', 'g') || ')', ''))`,
      `pg_policy p where p.polrelid = r.oid and p.polname <> r.relname || '_service_all'`,
      `p.polname collate "C"`,
    )}
    || ${lines(
      `pg_get_triggerdef(g.oid) || ';'`,
      `pg_trigger g where g.tgrelid = r.oid and not g.tgisinternal`,
      `g.tgname collate "C"`,
    )}
    || coalesce(${grants('r.relacl', 'r.relowner', 'r.name')}, '')
    || ${lines(
      `format('grant %s (%s) on %s to %s;', c.verb, c.columns, r.name, c.role)`,
      `(select lower(x.privilege_type) as verb, x.grantee::regrole::text as role, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
        from pg_attribute a, aclexplode(a.attacl) x where a.attrelid = r.oid and x.grantee <> 0 group by 1, 2) c`,
      `c.verb, c.role`,
    )}
  from relations r where r.relkind = 'r'
  union all
  select r.schema, 2, r.relname, 'create view ' || r.name || coalesce(' with (' || array_to_string(r.reloptions, ', ') || ')', '') || e' as\\n'
    || pg_get_viewdef(r.oid) || coalesce(${grants('r.relacl', 'r.relowner', 'r.name')}, '')
  from relations r where r.relkind = 'v'
  union all
  select s.name, 3, c.relname, 'create type ' || s.name || '.' || c.relname || ' as ('
    || (select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0) || ');'
  from pg_class c join schemas s on s.oid = c.relnamespace where c.relkind = 'c'
  union all
  select s.name, 4, p.oid::regprocedure::text, trim(trailing e'\\n' from replace(pg_get_functiondef(p.oid), 'CREATE OR REPLACE FUNCTION', 'CREATE FUNCTION')) || ';'
    || case when p.prosecdef and p.proowner <> 'parrain_service'::regrole then e'\\n-- OWNED BY ' || p.proowner::regrole else '' end
    || coalesce(${grants('p.proacl', 'p.proowner', `'function ' || p.oid::regprocedure`)}, '')
  from pg_proc p join schemas s on s.oid = p.pronamespace
  where not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
)
select text from statements order by schema collate "C", kind, name collate "C"`;
