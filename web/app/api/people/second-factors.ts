import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';

/** AU-17: which of these people have a second factor that an admin could take from them. */
export function secondFactorsQuery(ids: readonly string[]) {
  return queryOptions({
    queryKey: ['profiles', 'second-factors', ids],
    queryFn: async (): Promise<ReadonlySet<string>> => {
      if (ids.length === 0) return new Set();
      const client = await supabase();
      const rows = rowsOf<{ id: string }[]>(await client.rpc('people_with_second_factor', { p_ids: [...ids] }));
      return new Set(rows.map((row) => row.id));
    },
  });
}
