import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** UI-09: how many commercials are late with a first call, and the names of those who are most; by none where the company says no days. */
export const lateCommercialsQuery = queryOptions({
  queryKey: ['figures', 'late-commercials'],
  queryFn: async () => {
    const client = await supabase();
    const answer = await late(client.from('commercial_summaries').select('full_name', { count: 'exact' }))
      .order('waiting_since')
      .limit(3);
    const rows = rowsOf<{ full_name: string }[]>(answer);
    return { count: answer.count ?? rows.length, names: rows.map((row) => row.full_name) };
  },
  ...live,
});

/** Of commercials, those whose first calls are late. */
export const late = <Query extends Narrowing<Query>>(query: Query): Query =>
  query.is('is_late', true).is('deactivated_at', null);

interface Narrowing<Query> {
  is: (column: 'is_late' | 'deactivated_at', value: true | null) => Query;
}
