import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../transport/api-error.ts';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';

/** The clients and sales of a commercial: they make leaving a deactivation, not a removal (AD-05). */
export interface CommercialDependents {
  clientsCount: number;
  salesCount: number;
}

export function commercialDependentsQuery(commercialId: string) {
  return queryOptions({
    queryKey: ['profiles', 'commercial-dependents', commercialId],
    queryFn: () => readCommercialDependents(commercialId),
    staleTime: 0,
  });
}

async function readCommercialDependents(commercialId: string): Promise<CommercialDependents> {
  const client = await supabase();
  const [clients, sales] = await Promise.all([
    client.from('profiles').select('id', { count: 'exact' }).eq('commercial_id', commercialId).limit(1),
    client.from('sales').select('id', { count: 'exact' }).eq('commercial_id', commercialId).limit(1),
  ]);
  rowsOf(clients);
  rowsOf(sales);
  if (clients.count === null || sales.count === null) {
    throw new ApiError({ status: clients.status, code: 'unexpected' });
  }
  return { clientsCount: clients.count, salesCount: sales.count };
}
