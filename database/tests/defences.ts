import { readFileSync } from 'node:fs';

import type { OpenedDatabase } from '../src/testing.ts';

/** The list of all that defends the data, one a line, as PostgreSQL has it. `vitest -u` writes it anew; a person reads the difference. */
export const LIST = new URL('./defences.txt', import.meta.url);

/** What the database itself says that it has. */
export async function defencesOf(db: Pick<OpenedDatabase, 'asOwner'>): Promise<string> {
  const rows = await db.asOwner<{ line: string }>(CATALOGUE);
  return `${rows.map(({ line }) => line).join('\n')}\n`;
}

/** The entries of one kind in the list: « not null: public.sales.status » gives its table and its name. */
export function listed(kind: string): { readonly table: string; readonly name: string }[] {
  return readFileSync(LIST, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const match = /^(?<table>\S+): (?<kind>[a-z ]+) (?<name>[\w.]+)(?: |$)/u.exec(line)?.groups;
      if (match === undefined || match['kind'] !== kind) return [];
      return [{ table: match['table'] ?? '', name: match['name'] ?? '' }];
    });
}

/** Who may do what with a table, of all its columns: one entry for each role and verb. */
export function listedGrants(): { readonly table: string; readonly role: string; readonly verb: string }[] {
  return readFileSync(LIST, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const match = /^(?<table>\S+): grant to (?<role>\w+) of (?<verbs>[a-z, ]+)$/u.exec(line)?.groups;
      const { table = '', role = '', verbs = '' } = match ?? {};
      return verbs === '' ? [] : verbs.split(', ').map((verb) => ({ table, role, verb }));
    });
}

/** Who may do what with some columns only. */
export function listedColumns(): {
  readonly table: string;
  readonly role: string;
  readonly verb: string;
  readonly column: string;
}[] {
  return readFileSync(LIST, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const match = /^(?<table>\S+): grant to (?<role>\w+) of (?<verb>\w+) \((?<columns>[\w, ]+)\)$/u.exec(
        line,
      )?.groups;
      const { table = '', role = '', verb = '', columns = '' } = match ?? {};
      return columns === '' ? [] : columns.split(', ').map((column) => ({ table, role, verb, column }));
    });
}

/** Who may call what. */
export function listedFunctions(): { readonly name: string; readonly roles: readonly string[] }[] {
  return readFileSync(LIST, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const match = /^(?<schema>\w+): function (?<name>\w+\([^)]*\)) as .* for (?<roles>[a-z_, ]+)$/u.exec(
        line,
      )?.groups;
      const { schema = '', name = '', roles = '' } = match ?? {};
      return name === '' ? [] : [{ name: `${schema}.${name}`, roles: roles === 'nobody' ? [] : roles.split(', ') }];
    });
}

const CATALOGUE = `
with tables as (
  select c.oid, n.nspname || '.' || c.relname as name, c.relacl, c.relowner, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'auth', 'storage', 'private', 'figures') and c.relkind in ('r', 'p', 'v') and c.relname <> 'migrations'
),
lines as (
  select t.name || ': not null ' || a.attname as line
    from tables t join pg_attribute a on a.attrelid = t.oid where t.relkind = 'r' and a.attnum > 0 and a.attnotnull
  union all
  select t.name || ': ' || case k.contype when 'c' then 'check' when 'u' then 'unique' when 'f' then 'foreign key' when 'x' then 'exclusion'
      else 'primary key' end || ' ' || k.conname || ' ' || regexp_replace(pg_get_constraintdef(k.oid), '\\s+', ' ', 'g')
    from tables t join pg_constraint k on k.conrelid = t.oid where k.contype in ('c', 'u', 'f', 'p', 'x')
  union all
  select t.name || ': unique ' || x.relname || ' ' || substring(pg_get_indexdef(i.indexrelid) from 'USING.*')
    from tables t join pg_index i on i.indrelid = t.oid join pg_class x on x.oid = i.indexrelid
    where i.indisunique and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  union all
  select t.name || ': trigger ' || g.tgname || ' ' || substring(pg_get_triggerdef(g.oid) from '(?:BEFORE|AFTER|INSTEAD OF).*')
    from tables t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal
  union all
  select t.name || ': row security ' || case when t.relforcerowsecurity and t.relrowsecurity then 'forced' else 'missing' end
    from tables t where t.relkind = 'r'
  union all
  select t.name || ': view as its ' || case when 'security_invoker=true' = any (t.reloptions) then 'caller' else 'owner' end from tables t where t.relkind = 'v'
  union all
  select t.name || ': policy ' || p.polname || ' for ' || p.polcmd::text || ' to ' || array(select r::regrole::text from unnest(p.polroles) r)::text
      || coalesce(' using ' || regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\\s+', ' ', 'g'), '')
      || coalesce(' with check ' || regexp_replace(pg_get_expr(p.polwithcheck, p.polrelid), '\\s+', ' ', 'g'), '')
    from tables t join pg_policy p on p.polrelid = t.oid
  union all
  select t.name || ': grant to ' || case a.grantee when 0 then 'everyone' else a.grantee::regrole::text end || ' of '
      || string_agg(lower(a.privilege_type), ', ' order by a.privilege_type)
    from tables t, aclexplode(t.relacl) a where a.grantee <> t.relowner group by t.name, a.grantee
  union all
  select t.name || ': grant to ' || a.grantee::regrole || ' of ' || lower(a.privilege_type) || ' (' || string_agg(x.attname, ', ' order by x.attnum) || ')'
    from tables t join pg_attribute x on x.attrelid = t.oid, aclexplode(x.attacl) a
    where x.attacl is not null and a.grantee <> 0 group by t.name, a.grantee, a.privilege_type
  union all
  select n.nspname || ': function ' || p.proname || '(' || array_to_string(array(select format_type(t, null) from unnest(p.proargtypes::oid[]) t), ',') || ') ' || case when p.prosecdef then 'as ' || p.proowner::regrole else 'as its caller' end
      || ' for ' || coalesce((select string_agg(case a.grantee when 0 then 'everyone' else a.grantee::regrole::text end, ', ' order by a.grantee::regrole::text)
        from aclexplode(p.proacl) a where a.grantee <> p.proowner), 'nobody')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'auth', 'private', 'figures', 'storage')
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
)
select line from lines order by line collate "C"`;
