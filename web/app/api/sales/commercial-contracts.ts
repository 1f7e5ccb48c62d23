import type { Days } from '@parrain/domain/period';
import type { Sale } from '@parrain/domain/sale';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page, type PageMark } from '../transport/read-page.ts';
import { within } from '../transport/within.ts';
import { saleColumns, saleReferrers, toSale } from './sale-columns.ts';

export const contractsPageSize = 20;

/** The columns of the history that the server sorts by. */
export const commissionHistorySorts = [
  'referred_contact_name',
  'contract_amount',
  'commercial_commission_amount',
  'validated_at',
] as const;

export interface CommissionHistoryAsked {
  commercialId: string;
  /** Of the validation. */
  days: Days | null;
  sort: (typeof commissionHistorySorts)[number];
  desc: boolean;
  page: PageMark;
}

/**
 * CO-09: the contracts that brought the commercial a commission; a cancelled validation is a line of its own, with its
 * opposite amounts (S-11).
 */
export function commissionHistoryQuery(asked: CommissionHistoryAsked) {
  return queryOptions({
    queryKey: ['sales', 'commission-history', asked],
    queryFn: () => readCommissionHistory(asked),
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** CO-10: every contract on which the company must still decide, with its forecast commissions. */
export function contractsAwaitingCompanyQuery(commercialId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['sales', 'awaiting-company', commercialId, page],
    queryFn: () => readAwaitingContracts(commercialId, page),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readCommissionHistory({
  commercialId,
  days,
  sort,
  desc,
  page,
}: CommissionHistoryAsked): Promise<Page<Sale>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client
        .from('sales')
        .select(`${saleColumns},${saleReferrers}`, options)
        .eq('commercial_id', commercialId)
        .is('admin_validated', true);
      return within(query, 'validated_at', days);
    },
    // What is validated has its date and its amounts.
    {
      mark: page,
      pageSize: contractsPageSize,
      order: [{ column: sort, desc }, { column: 'created_at', desc: true }, { column: 'id' }],
    },
    toSale,
  );
}

async function readAwaitingContracts(commercialId: string, page: PageMark): Promise<Page<Sale>> {
  const client = await supabase();
  return readPage(
    (options) =>
      client
        .from('sales')
        .select(`${saleColumns},${saleReferrers}`, options)
        .eq('commercial_id', commercialId)
        .is('ready_for_validation', true)
        .is('admin_validated', false),
    { mark: page, pageSize: contractsPageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    toSale,
  );
}
