import type { CommissionPayment } from '@parrain/domain/commission';
import type { Sale } from '@parrain/domain/sale';
import type { Days } from '@parrain/domain/period';
import { commissionPaymentRow, commissionPaymentToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { within } from '../transport/within.ts';
import { saleColumns, saleCommercial, toSale } from '../sales/sale-columns.ts';
import { saleSearch } from '../sales/sale-search.ts';

/** A commission credited to me, with its sale where I may see it: a client referrer is paid for a sale that is not theirs to read. */
export interface OwnCommission extends CommissionPayment {
  sale: Sale | null;
}

const pageSize = 20;

/** The columns the server sorts by. */
export const ownCommissionSorts = ['paid_at', 'amount'] as const;

export interface OwnCommissionsAsked {
  recipientId: string;
  /** Text looked for in the sale. */
  search: string;
  /** Of the credit. */
  days: Days | null;
  sort: (typeof ownCommissionSorts)[number];
  desc: boolean;
  page: PageMark;
}

/** RE-09, CL-06, CL-10: the commissions whose recipient I am. */
export function ownCommissionsQuery(asked: OwnCommissionsAsked) {
  return queryOptions({
    queryKey: ['commission_payments', 'own', asked],
    queryFn: () => readOwnCommissions(asked),
    placeholderData: previousPage,
    ...live,
  });
}

async function readOwnCommissions({
  recipientId,
  search,
  days,
  sort,
  desc,
  page,
}: OwnCommissionsAsked): Promise<Page<OwnCommission>> {
  const client = await supabase();
  const isSearched = search.trim() !== '';
  // A commission is its sale's: those that the search finds.
  const sales = isSearched ? 'sales!inner' : 'sales';
  return readPage(
    (options) => {
      let query = client
        .from('commission_payments')
        .select(
          `id,sale_id,recipient_id,type,amount,status,created_at,paid_at,sale:${sales}(${saleColumns},${saleCommercial})`,
          options,
        )
        .eq('recipient_id', recipientId)
        .eq('type', 'client')
        .eq('status', 'paid')
        .not('paid_at', 'is', null);
      if (isSearched) query = query.or(saleSearch(search), { referencedTable: 'sale' });
      return within(query, 'paid_at', days);
    },
    { mark: page, pageSize, order: [{ column: sort, desc }, { column: 'id' }] },
    (row) => {
      const { sale } = row as { sale: unknown };
      return {
        ...commissionPaymentToDomain(commissionPaymentRow.parse(row)),
        sale: sale === null ? null : toSale(sale),
      };
    },
  );
}
