import type { Sale } from '@parrain/domain/sale';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { containing, readPage, type Page, type OrderColumn, type PageMark } from '../transport/read-page.ts';
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
  page: PageMark;
}

const pageSize = 25;

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
    (options) => {
      let query = client
        .from('sales')
        .select(`${saleColumns},commercial_notes,${saleCommercial},${saleReferrers}`, options);
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
      return query;
    },
    { mark: page, pageSize, order: orderOf(sort, desc) },
    toSale,
  );
}

/** As the indexes have it: the newest come with their ids upwards, every other order with its ids in its own direction. */
function orderOf(sort: SaleSort, desc: boolean): readonly OrderColumn[] {
  return [
    // Only an amount may be missing.
    { column: sort, desc, ...(sort === 'contract_amount' ? { nulls: 'last' } : {}) },
    { column: 'id', desc: sort === 'created_at' ? !desc : desc },
  ];
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
