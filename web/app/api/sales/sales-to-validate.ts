import type { Sale } from '@parrain/domain/sale';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page, type PageMark } from '../transport/read-page.ts';
import { saleColumns, saleCommercial, saleReferrers, toSale } from './sale-columns.ts';

const pageSize = 25;

/** S-06, AD-09: what the admin has to decide, the oldest first. */
export function salesToValidateQuery(page: PageMark) {
  return queryOptions({
    queryKey: ['sales', 'to-validate', page],
    queryFn: () => readSalesToValidate(page),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readSalesToValidate(page: PageMark): Promise<Page<Sale>> {
  const client = await supabase();
  return readPage(
    (options) =>
      client
        .from('sales')
        .select(`${saleColumns},commercial_notes,${saleCommercial},${saleReferrers}`, options)
        .is('ready_for_validation', true)
        .is('admin_validated', false),
    { mark: page, pageSize, order: [{ column: 'created_at' }, { column: 'id' }] },
    toSale,
  );
}
