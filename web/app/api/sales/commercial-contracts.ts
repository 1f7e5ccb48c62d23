import type { Sale } from '@parrain/domain/sale';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page } from '../transport/read-page.ts';
import { saleColumns, saleReferrers, toSale } from './sale-columns.ts';

export const commercialContractsPageSize = 20;

/**
 * CO-09: the contracts that bring the commercial a commission, earned or awaited, the newest first; a cancelled
 * validation is a line of its own, with its opposite amounts (S-11).
 */
export function commissionHistoryQuery(commercialId: string, page: number) {
  return queryOptions({
    queryKey: ['sales', 'commission-history', commercialId, page],
    queryFn: () => readContracts(commercialId, page, 'signed'),
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** CO-10: sales pending and ready for validation, with their forecast commissions. */
export function contractsAwaitingCompanyQuery(commercialId: string, page: number) {
  return queryOptions({
    queryKey: ['sales', 'awaiting-company', commercialId, page],
    queryFn: () => readContracts(commercialId, page, 'awaiting'),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readContracts(commercialId: string, page: number, kind: 'signed' | 'awaiting'): Promise<Page<Sale>> {
  const client = await supabase();
  return readPage(
    (from, to) => {
      const query = client
        .from('sales')
        .select(`${saleColumns},${saleReferrers}`, { count: 'exact' })
        .eq('commercial_id', commercialId);
      const wanted =
        kind === 'signed'
          ? query.eq('status', 'validated').order('validated_at', { ascending: false, nullsFirst: true })
          : query.eq('status', 'pending').is('ready_for_validation', true);
      return wanted.order('created_at', { ascending: false }).order('id').range(from, to);
    },
    { page, pageSize: commercialContractsPageSize },
    toSale,
  );
}
