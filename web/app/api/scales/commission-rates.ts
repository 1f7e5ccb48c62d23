import type { CommissionRate } from '@parrain/domain/commission';
import { commissionRateRow, commissionRateToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page } from '../transport/read-page.ts';

export const commissionRatesPageSize = 24;

/** RE-11, AD-08: the scales in force, the default one first; or the archived ones (S-12). */
export function commissionRatesQuery({ archived, page }: { archived: boolean; page: number }) {
  return queryOptions({
    queryKey: ['commission-rates', { archived, page }],
    queryFn: () => readCommissionRates(archived, page, commissionRatesPageSize),
    ...live,
  });
}

/** The scales a sale may be validated with, the default one first (AD-12). */
export const liveCommissionRatesQuery = queryOptions({
  queryKey: ['commission-rates', 'live'],
  queryFn: () => readCommissionRates(false, 0, 50),
  ...live,
});

async function readCommissionRates(archived: boolean, page: number, pageSize: number): Promise<Page<CommissionRate>> {
  const client = await supabase();
  return readPage(
    (from, to) => {
      const query = client
        .from('commission_rates')
        .select(
          'id,name,description,client_commission_type,client_commission_amount,commercial_commission_type,' +
            'commercial_commission_amount,created_at,is_default,archived_at',
          { count: 'exact' },
        );
      const scoped = archived ? query.not('archived_at', 'is', null) : query.is('archived_at', null);
      return scoped
        .order('is_default', { ascending: false })
        .order('created_at', { ascending: false })
        .order('id')
        .range(from, to);
    },
    { page, pageSize },
    (row) => commissionRateToDomain(commissionRateRow.parse(row)),
  );
}
