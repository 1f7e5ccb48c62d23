import type { Sale } from '@parrain/domain/sale';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page } from '../transport/read-page.ts';
import { saleColumns, saleCommercial, saleReferrers, toSale } from './sale-columns.ts';

export const salesToValidatePageSize = 25;

/** S-06, AD-09: what the admin has to decide, the oldest first. */
export function salesToValidateQuery(page: number) {
  return queryOptions({
    queryKey: ['sales', 'to-validate', page],
    queryFn: () => readSalesToValidate(page),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readSalesToValidate(page: number): Promise<Page<Sale>> {
  const client = await supabase();
  return readPage(
    (from, to) =>
      client
        .from('sales')
        .select(`${saleColumns},commercial_notes,${saleCommercial},${saleReferrers}`, { count: 'exact' })
        .is('ready_for_validation', true)
        .is('admin_validated', false)
        .order('created_at')
        .order('id')
        .range(from, to),
    { page, pageSize: salesToValidatePageSize },
    toSale,
  );
}
