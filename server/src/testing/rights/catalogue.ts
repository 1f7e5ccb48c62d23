import type { TestDatabase } from '../index.ts';

export type CatalogueRelation = {
  readonly name: string;
  readonly isView: boolean;
  readonly columns: readonly string[];
  readonly key: string;
  /** Columns that PostgreSQL fills in itself. */
  readonly generated: readonly string[];
  /** A column that people may update; the first that anybody could where there is none. */
  readonly written: string;
};

export type CatalogueFunction = {
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly type: string }[];
};

/** Every table and view of schema public, as PostgreSQL has them. */
export function readRelations(db: TestDatabase): Promise<CatalogueRelation[]> {
  return db.asOwner<CatalogueRelation>(
    `select c.relname as name, c.relkind in ('v', 'm') as "isView",
       array_agg(a.attname::text order by a.attnum) as columns,
       coalesce(
         (select k.attname::text from pg_constraint p
            join pg_attribute k on k.attrelid = p.conrelid and k.attnum = p.conkey[1]
            where p.conrelid = c.oid and p.contype = 'p'),
         (array_agg(a.attname::text order by a.attname <> 'id', a.attnum))[1]) as key,
       coalesce(
         (array_agg(a.attname::text order by a.attnum) filter (where has_column_privilege('authenticated', c.oid, a.attnum, 'update')))[1],
         (array_agg(a.attname::text order by a.attnum) filter (where a.attidentity <> 'a' and a.attgenerated = ''))[1]) as written,
       coalesce(array_agg(a.attname::text) filter (where a.attidentity = 'a' or a.attgenerated <> ''), '{}') as generated
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
     group by c.oid order by c.relname`,
  );
}

/** Every function of schema public that did not come with an extension. */
export function readFunctions(db: TestDatabase): Promise<CatalogueFunction[]> {
  return db.asOwner<CatalogueFunction>(
    `select p.proname as name, coalesce((select json_agg(json_build_object('name', coalesce(p.proargnames[u.place], ''),
         'type', format_type(u.type, null)) order by u.place)
       from unnest(p.proargtypes::oid[]) with ordinality u (type, place)), '[]') as arguments
     from pg_proc p where p.pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     order by p.oid::regprocedure::text`,
  );
}

/** One fingerprint of all that schema public holds. */
export async function fingerprint(db: TestDatabase, relations: readonly CatalogueRelation[]): Promise<unknown> {
  const parts = relations
    .filter(({ isView }) => !isView)
    .map(
      ({ name }) =>
        `select '${name}' as name, md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as rows from public.${name} t`,
    );
  return db.asOwner(parts.join(' union all '));
}
