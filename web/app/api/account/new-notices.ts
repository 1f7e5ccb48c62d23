import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { countOf } from '../transport/read.ts';

/** Number of notices that are new to the signed-in person (TM-03). */
export const newNoticesQuery = queryOptions({
  queryKey: ['notices', 'new'],
  queryFn: async (): Promise<number> => {
    const client = await supabase();
    return countOf(await client.from('notices').select('id', { count: 'exact', head: true }).is('read_at', null));
  },
  ...live,
});
