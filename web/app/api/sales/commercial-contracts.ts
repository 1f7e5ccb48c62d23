import type { Sale } from '@parrain/domain/sale';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page, type OrderColumn, type PageMark } from '../transport/read-page.ts';
import { saleColumns, saleReferrers, toSale } from './sale-columns.ts';

const pageSize = 20;

/**
 * CO-09: the contracts that bring the commercial a commission, earned or awaited, the newest first; a cancelled
 * validation is a line of its own, with its opposite amounts (S-11).
 */
export function commissionHistoryQuery(commercialId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['sales', 'commission-history', commercialId, page],
    queryFn: () => readContracts(commercialId, page, 'signed'),
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** CO-10: sales pending and ready for validation, with their forecast commissions. */
export function contractsAwaitingCompanyQuery(commercialId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['sales', 'awaiting-company', commercialId, page],
    queryFn: () => readContracts(commercialId, page, 'awaiting'),
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** Contracts without a validation come first. */
const validatedLast: OrderColumn = { column: 'validated_at', desc: true, nulls: 'first' };
const newest: readonly OrderColumn[] = [{ column: 'created_at', desc: true }, { column: 'id' }];

async function readContracts(commercialId: string, page: PageMark, kind: 'signed' | 'awaiting'): Promise<Page<Sale>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client
        .from('sales')
        .select(`${saleColumns},${saleReferrers}`, options)
        .eq('commercial_id', commercialId);
      return kind === 'signed'
        ? query.eq('status', 'validated')
        : query.eq('status', 'pending').is('ready_for_validation', true);
    },
    { mark: page, pageSize, order: kind === 'signed' ? [validatedLast, ...newest] : newest },
    toSale,
  );
}
