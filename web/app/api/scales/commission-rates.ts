import type { CommissionRate } from '@parrain/domain/commission';
import { commissionRateRow, commissionRateToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { firstPage, readPage, type Page, type PageMark } from '../transport/read-page.ts';

/** Columns that `commissionRateToDomain` reads. */
export const commissionRateColumns =
  'id,name,description,client_commission_type,client_commission_amount,commercial_commission_type,' +
  'commercial_commission_amount,client_hold_days,from_contract_amount,created_at,is_default,archived_at';

const pageSize = 24;
/** More scales than anyone chooses among. */
const choicesMax = 50;

/** RE-11, AD-08: the scales in force, the default one first; or the archived ones (S-12). */
export function commissionRatesQuery({ archived, page }: { archived: boolean; page: PageMark }) {
  return queryOptions({
    queryKey: ['commission-rates', archived, page],
    queryFn: () => readCommissionRates(archived, page, pageSize),
    // From page to page the list stays, and the focus with it; the archived scales are another list.
    placeholderData: (before: Page<CommissionRate> | undefined, query) =>
      query?.queryKey[1] === archived ? before : undefined,
    ...live,
  });
}

/** The scales a sale may be validated with, the default one first (AD-12). */
export const liveCommissionRatesQuery = queryOptions({
  queryKey: ['commission-rates', 'live'],
  queryFn: () => readCommissionRates(false, firstPage, choicesMax),
  ...live,
});

async function readCommissionRates(archived: boolean, page: PageMark, size: number): Promise<Page<CommissionRate>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client.from('commission_rates').select(commissionRateColumns, options);
      return archived ? query.not('archived_at', 'is', null) : query.is('archived_at', null);
    },
    {
      mark: page,
      pageSize: size,
      order: [{ column: 'is_default', desc: true }, { column: 'created_at', desc: true }, { column: 'id' }],
    },
    (row) => commissionRateToDomain(commissionRateRow.parse(row)),
  );
}
