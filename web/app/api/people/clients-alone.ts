import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { countOf } from '../transport/read.ts';

/** Number of clients whom no commercial follows: they registered by themselves, and cannot invite before one is chosen. */
export const aloneCountQuery = queryOptions({ queryKey: ['clients', 'alone'], queryFn: countAlone, ...live });

/** Of clients, those whom no commercial follows. */
export const alone = <Query extends Narrowing<Query>>(query: Query): Query =>
  query.is('commercial_id', null).is('deactivated_at', null);

interface Narrowing<Query> {
  is: (column: 'commercial_id' | 'deactivated_at', value: null) => Query;
}

async function countAlone(): Promise<number> {
  const client = await supabase();
  return countOf(await alone(client.from('client_summaries').select('id', { count: 'exact', head: true })));
}
