import type { Days } from '@parrain/domain/period';
import type { Sale } from '@parrain/domain/sale';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
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

/** Earned: the company has validated. Pending: signed, and the company must still validate (S-08). */
export const commissionHistoryStates = ['gagnees', 'en-attente'] as const;
export type CommissionHistoryState = (typeof commissionHistoryStates)[number];

export interface CommissionHistoryAsked {
  commercialId: string;
  state: CommissionHistoryState | null;
  /** Of the validation. */
  days: Days | null;
  sort: (typeof commissionHistorySorts)[number];
  desc: boolean;
  page: PageMark;
}

/**
 * CO-09: every signed contract, earned or pending (DF-04); a cancelled validation is a line of its own, with its
 * opposite amounts (S-11). Those that the company must still validate have no date of validation: they stand as the newest.
 */
export function commissionHistoryQuery(asked: CommissionHistoryAsked) {
  return queryOptions({
    queryKey: ['sales', 'commission-history', asked],
    queryFn: () => readCommissionHistory(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** CO-10: the pending sales flagged ready for validation, with their forecast commissions. */
export function contractsAwaitingCompanyQuery(commercialId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['sales', 'awaiting-company', commercialId, page],
    queryFn: () => readAwaitingContracts(commercialId, page),
    placeholderData: previousPage,
    ...live,
  });
}

async function readCommissionHistory({
  commercialId,
  state,
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
        .eq('status', 'validated');
      const some = state === null ? query : query.is('admin_validated', state === 'gagnees');
      return within(some, 'validated_at', days);
    },
    {
      mark: page,
      pageSize: contractsPageSize,
      order: [
        // A signed contract has its amounts; without its validation it has no date of it.
        sort === 'validated_at' ? { column: sort, desc, nulls: desc ? 'first' : 'last' } : { column: sort, desc },
        { column: 'created_at', desc: true },
        { column: 'id' },
      ],
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
        .eq('status', 'pending')
        .is('ready_for_validation', true),
    { mark: page, pageSize: contractsPageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    toSale,
  );
}
