import type { Sale } from '@parrain/domain/sale';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { containing, readPage, type Page } from '../transport/read-page.ts';
import { saleColumns, saleCommercial, saleReferrers, toSale } from './sale-columns.ts';

/** How the admin sorts sales out: by the labels of the status column, each with its rows and no other (S-05, FX-73). */
export const saleFilters = ['all', 'validated', 'to_validate', 'pending', 'rejected', 'corrections'] as const;
export type SaleFilter = (typeof saleFilters)[number];

/** The columns the server sorts by. */
export const saleSorts = ['referred_contact_name', 'contract_amount', 'status', 'created_at'] as const;
export type SaleSort = (typeof saleSorts)[number];

export interface AllSalesAsked {
  search: string;
  filter: SaleFilter;
  commercialId: string | null;
  sort: SaleSort;
  desc: boolean;
  page: number;
}

export const allSalesPageSize = 25;

/** RE-05, AD-07: one page of all sales, with the people they name. */
export function allSalesQuery(asked: AllSalesAsked) {
  return queryOptions({
    queryKey: ['sales', 'all', asked],
    queryFn: () => readAllSales(asked),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readAllSales({ search, filter, commercialId, sort, desc, page }: AllSalesAsked): Promise<Page<Sale>> {
  const client = await supabase();
  return readPage(
    (from, to) => {
      let query = client
        .from('sales')
        .select(`${saleColumns},commercial_notes,${saleCommercial},${saleReferrers}`, { count: 'exact' });
      switch (filter) {
        case 'validated':
          query = query.is('admin_validated', true).is('corrects_sale_id', null);
          break;
        case 'to_validate':
          query = query.eq('status', 'validated').is('admin_validated', false);
          break;
        case 'pending':
          query = query.in('status', ['pending', 'contacted', 'in_negotiation']);
          break;
        case 'rejected':
          query = query.eq('status', 'rejected');
          break;
        case 'corrections':
          query = query.not('corrects_sale_id', 'is', null);
          break;
        case 'all':
      }
      if (commercialId !== null) query = query.eq('commercial_id', commercialId);
      if (search.trim() !== '') query = query.or(searched(search));
      // Only an amount may be missing; said of a column that never is, it would keep the index from being used.
      const missing = sort === 'contract_amount' ? { nullsFirst: false } : {};
      return (
        query
          .order(sort, { ascending: !desc, ...missing })
          // The index of each order ends with the id, in the same direction.
          .order('id', { ascending: !desc })
          .range(from, to)
      );
    },
    { page, pageSize: allSalesPageSize },
    toSale,
  );
}

/** The contact's name, mail or phone, the contract's words, or the short id (I-03). */
function searched(search: string): string {
  const text = containing(search);
  const conditions = [
    'referred_contact_name',
    'referred_contact_email',
    'referred_contact_phone',
    'contract_description',
  ].map((column) => `${column}.ilike.${text}`);
  const short = search.trim().toLowerCase();
  if (/^[\da-f]{8}$/.test(short)) {
    conditions.push(`and(id.gte.${short}-0000-0000-0000-000000000000,id.lte.${short}-ffff-ffff-ffff-ffffffffffff)`);
  }
  return conditions.join(',');
}
