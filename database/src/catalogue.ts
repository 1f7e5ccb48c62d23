import { readFile } from 'node:fs/promises';

/** One thing that the database has: « public.sales: policy sales_secret_read », and how it is. */
export type CatalogueEntry = {
  readonly key: string;
  readonly detail: string;
  /** True when it defends the data: those entries have a list and tests of their own. */
  readonly is_defence: boolean;
};

export type Difference =
  | { readonly manque: string }
  | { readonly 'en trop': string }
  | { readonly attendu: string; readonly trouvé: string };

type Ask = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/** All that the migrations of this version make, written by their test and read in production. */
export const EXPECTED = new URL('./catalogue.txt', import.meta.url);

/** Reads what the database has, in one order. */
export async function catalogueOf(query: Ask): Promise<readonly CatalogueEntry[]> {
  return (await query(CATALOGUE)) as readonly CatalogueEntry[];
}

/** As it stands in {@link EXPECTED}: one entry a line, with a mark where it is a defence. */
export const textOf = (entries: readonly CatalogueEntry[]): string =>
  entries.map(({ key, detail, is_defence }) => `${key}\t${detail}${is_defence ? '\tdefence' : ''}\n`).join('');

/** Names each thing that is not as the migrations of this version make it. */
export async function differencesOf(entries: readonly CatalogueEntry[]): Promise<readonly Difference[]> {
  const found = new Map(entries.map(({ key, detail }) => [key, detail]));
  const hasLogin = found.has('role login');
  const differences: Difference[] = [];
  for (const line of (await readFile(EXPECTED, 'utf8')).split('\n')) {
    const [key = '', detail = ''] = line.split('\t');
    if (key === '') continue;
    const actual = found.get(key);
    found.delete(key);
    if (actual === detail) continue;
    if (actual !== undefined) differences.push({ attendu: key + detail, trouvé: key + actual });
    // The login of a database is made by the first server that comes to it.
    else if (hasLogin || !/\blogin\b/u.test(key)) differences.push({ manque: key + detail });
  }
  for (const [key, detail] of found) {
    // An index more is the operator's business: it changes no answer.
    if (!/: index /u.test(key)) differences.push({ 'en trop': key + detail });
  }
  return differences;
}

const SCHEMAS = `'public', 'auth', 'storage', 'private', 'figures'`;
/** Roles that the program knows: what an operator's own role was granted is the operator's. */
const OURS = `'anon', 'api_key', 'authenticated', 'service_role', 'parrain_service', 'authenticator'`;

/** The privileges of an access list that concern the program's own roles, with their names. */
const granted = (list: string): string => `lateral (
  select case a.grantee when 0 then 'everyone' else coalesce(r.name, '') end as role, a.privilege_type, a.grantee
  from aclexplode(${list}) a left join roles r on r.oid = a.grantee where a.grantee = 0 or r.is_ours)`;

const CATALOGUE = `
with roles as (
  select oid, rolname in (${OURS}) or rolname = login.name as is_ours,
    case when rolname = login.name then 'login'
      when oid = (select relowner from pg_class where oid = to_regclass('private.migrations')) then 'owner'
      else rolname::text end as name,
    rolsuper, rolbypassrls, rolinherit
  from pg_roles, (select 'parrain_login_' || oid as name from pg_database where datname = current_database()) login
),
schemas as (
  select oid, nspname as name, nspacl, nspowner, nspname in (${SCHEMAS}) as is_own
  from pg_namespace where nspname in (${SCHEMAS}, 'graphile_worker')
),
-- What an extension brings is the extension's.
tables as (
  select c.oid, n.name || '.' || c.relname as name, c.relacl, c.relowner, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
    c.relpersistence, n.is_own and c.relname <> 'migrations' as is_own
  from pg_class c join schemas n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v') and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
),
sequences as (
  select c.oid, n.name || '.' || c.relname as name, c.relacl, c.relowner
  from pg_class c join schemas n on n.oid = c.relnamespace where c.relkind = 'S'
),
functions as (
  select p.*, n.name as schema, n.is_own,
    n.name || ': function ' || p.proname || '(' || array_to_string(array(select format_type(t, null) from unnest(p.proargtypes::oid[]) t), ',') || ')' as key
  from pg_proc p join schemas n on n.oid = p.pronamespace
  where not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
),
entries as (
  select t.name || ': not null ' || a.attname as key, '' as detail, t.is_own as is_defence
    from tables t join pg_attribute a on a.attrelid = t.oid where t.relkind = 'r' and a.attnum > 0 and a.attnotnull and not a.attisdropped
  union all
  select t.name || ': ' || case k.contype when 'c' then 'check' when 'u' then 'unique' when 'f' then 'foreign key' when 'x' then 'exclusion'
      else 'primary key' end || ' ' || k.conname, ' ' || regexp_replace(pg_get_constraintdef(k.oid), '\\s+', ' ', 'g'), t.is_own
    from tables t join pg_constraint k on k.conrelid = t.oid where k.contype in ('c', 'u', 'f', 'p', 'x')
  union all
  select t.name || ': ' || case when i.indisunique then 'unique ' else 'index ' end || x.relname,
      ' ' || substring(pg_get_indexdef(i.indexrelid) from 'USING.*') || case when i.indisvalid then '' else ' (invalid)' end, t.is_own and i.indisunique
    from tables t join pg_index i on i.indrelid = t.oid join pg_class x on x.oid = i.indexrelid
    where not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  union all
  select t.name || ': trigger ' || g.tgname, ' ' || substring(pg_get_triggerdef(g.oid) from '(?:BEFORE|AFTER|INSTEAD OF).*'), t.is_own
    from tables t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal
  union all
  select t.name || ': firing of ' || g.tgname, case g.tgenabled when 'O' then ' on' when 'D' then ' off' else ' ' || g.tgenabled::text end, false
    from tables t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal
  union all
  select t.name || ': row security', case when t.relforcerowsecurity and t.relrowsecurity then ' forced' else ' missing' end, true
    from tables t where t.relkind = 'r' and t.is_own
  union all
  select t.name || ': view as its', case when 'security_invoker=true' = any (t.reloptions) then ' caller' else ' owner' end, true
    from tables t where t.relkind = 'v' and t.is_own
  union all
  select t.name || ': view of', ' ' || md5(regexp_replace(pg_get_viewdef(t.oid), '\\s+', ' ', 'g')), false from tables t where t.relkind = 'v'
  union all
  select t.name || ': policy ' || p.polname, ' for ' || p.polcmd::text || ' to ' || array(select coalesce(o.name, r::regrole::text) from unnest(p.polroles) r left join roles o on o.oid = r)::text
      || case when p.polpermissive then '' else ' restrictive' end
      || coalesce(' using ' || regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\\s+', ' ', 'g'), '')
      || coalesce(' with check ' || regexp_replace(pg_get_expr(p.polwithcheck, p.polrelid), '\\s+', ' ', 'g'), ''), t.is_own
    from tables t join pg_policy p on p.polrelid = t.oid
  union all
  select t.name || ': grant to ' || a.role, ' of ' || string_agg(lower(a.privilege_type), ', ' order by a.privilege_type), t.is_own
    from tables t, ${granted('t.relacl')} a where a.grantee <> t.relowner group by t.name, a.role, t.is_own
  union all
  select t.name || ': grant to ' || a.role || ' of ' || lower(a.privilege_type), ' (' || string_agg(x.attname, ', ' order by x.attnum) || ')', t.is_own
    from tables t join pg_attribute x on x.attrelid = t.oid, ${granted('x.attacl')} a
    where x.attacl is not null and a.grantee <> 0 group by t.name, a.role, a.privilege_type, t.is_own
  union all
  select f.key, case when f.prosecdef then ' as ' || coalesce(o.name, f.proowner::regrole::text) else ' as its caller' end
      || ' for ' || coalesce((select string_agg(a.role, ', ' order by a.role) from ${granted('f.proacl')} a where a.grantee <> f.proowner and a.role <> 'login'), 'nobody'), f.is_own
    from functions f left join roles o on o.oid = f.proowner
  union all
  select replace(f.key, ': function ', ': login may call '), '', false
    from functions f where exists (select from ${granted('f.proacl')} a where a.role = 'login')
  union all
  select replace(f.key, ': function ', ': body of '), ' ' || md5(f.prosrc || coalesce(pg_get_function_sqlbody(f.oid), '')) || ' ' || l.lanname || ' ' || f.provolatile::text
      || case when f.proleakproof then ' leakproof' else '' end || case when f.proisstrict then ' strict' else '' end
      || ' returns ' || pg_get_function_result(f.oid) || coalesce(' set ' || array_to_string(f.proconfig, ' set '), ''), false
    from functions f join pg_language l on l.oid = f.prolang
  union all
  select replace(f.key, ': function ', ': owner of '), ' ' || o.name, false from functions f join roles o on o.oid = f.proowner
  union all
  select t.name || ': owner', ' ' || o.name, false from (select name, relowner from tables union all select name, relowner from sequences) t join roles o on o.oid = t.relowner
  union all
  select s.name || ': owner', case when s.name = 'public' then '' else ' ' || o.name end, false from schemas s join roles o on o.oid = s.nspowner
  union all
  select s.name || ': grant to ' || a.role, ' of ' || string_agg(lower(a.privilege_type), ', ' order by a.privilege_type), false
    from schemas s, ${granted('s.nspacl')} a where a.grantee <> s.nspowner group by s.name, a.role
  union all
  select s.name || ': grant to ' || a.role, ' of ' || string_agg(lower(a.privilege_type), ', ' order by a.privilege_type), false
    from sequences s, ${granted('s.relacl')} a where a.grantee <> s.relowner group by s.name, a.role
  union all
  select t.name || ': ' || case t.relkind when 'v' then 'view' else 'table' end, case t.relpersistence when 'u' then ' unlogged' else '' end, false from tables t
  union all
  select t.name || ': column ' || a.attname, ' ' || format_type(a.atttypid, a.atttypmod)
      || case a.attgenerated when '' then coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') else ' generated ' || pg_get_expr(d.adbin, d.adrelid) end
      || case a.attidentity when '' then '' else ' identity' end, false
    from tables t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
  union all
  select 'role ' || r.name, case when r.rolsuper or r.rolbypassrls then ' passes over row security' when r.rolinherit then ' inherits' else '' end, false
    from roles r where r.is_ours
  union all
  select 'role ' || m.name || ': member of ' || r.name, case when bool_or(a.inherit_option) then ' with its rights' else '' end, false
    from pg_auth_members a join roles r on r.oid = a.roleid join roles m on m.oid = a.member where r.is_ours and m.is_ours group by m.name, r.name
  union all
  select 'new objects of ' || o.name || ': grant to ' || a.role, ' of ' || string_agg(lower(a.privilege_type) || ' on ' || d.defaclobjtype::text, ', ' order by d.defaclobjtype, a.privilege_type), false
    from pg_default_acl d join roles o on o.oid = d.defaclrole, ${granted('d.defaclacl')} a where o.name in ('owner', 'parrain_service') group by o.name, a.role
  union all
  select 'new functions of ' || o.name, ' are nobody’s', false
    from pg_default_acl d join roles o on o.oid = d.defaclrole
    where o.name = 'owner' and d.defaclobjtype = 'f' and d.defaclnamespace = 0 and not exists (select from aclexplode(d.defaclacl) a where a.grantee = 0)
  union all
  select 'extension ' || e.extname, '', false from pg_extension e where e.extname = 'pg_trgm'
)
select key, detail, is_defence from entries order by key || detail collate "C"`;
