import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** Read anew once somebody’s status is said, or the number of contracts from which they are told. */
export const regularKey = ['figures', 'regular-payees'];

/** Particuliers who have become regular and whom no admin has dealt with: how many, and the names of those with the most contracts (AC-10). */
export interface RegularCount {
  count: number;
  names: readonly string[];
}

export const regularCountQuery = queryOptions({
  queryKey: [...regularKey, 'count'],
  queryFn: async (): Promise<RegularCount> => {
    const client = await supabase();
    const answer = await client
      .rpc('regular_payees', {}, { count: 'exact' })
      .select('full_name')
      .is('dealt_at', null)
      .order('contracts', { ascending: false })
      .limit(3);
    const rows = rowsOf(answer) as { full_name: string }[];
    return { count: answer.count ?? rows.length, names: rows.map((row) => row.full_name) };
  },
  ...live,
});
