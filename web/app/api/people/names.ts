import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';

/** The names of a few people, by id. */
export function namesQuery(ids: readonly (string | null)[]) {
  return queryOptions({ queryKey: ['profiles', 'names', ids], queryFn: () => readNames(ids) });
}

/** The names of the people of a page, by id; deleted people have none. */
export async function readNames(ids: Iterable<string | null>): Promise<ReadonlyMap<string, string>> {
  const distinct = [...new Set(ids)].filter((id) => id !== null);
  if (distinct.length === 0) return new Map();
  const client = await supabase();
  const rows = rowsOf(
    await client
      .from('profiles')
      .select('id,full_name')
      .in('id', distinct)
      .overrideTypes<{ id: string; full_name: string }[], { merge: false }>(),
  );
  return new Map(rows.map((row) => [row.id, row.full_name]));
}
