import type { Days } from '@parrain/domain/period';
import { openStatuses, type Sale } from '@parrain/domain/sale';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import {
  firstPage,
  readPage,
  selectableMax,
  previousPage,
  type Page,
  type OrderColumn,
  type PageMark,
} from '../transport/read-page.ts';
import { saleColumns, saleCommercial, saleReferrers, toSale } from './sale-columns.ts';
import { within } from '../transport/within.ts';
import { salesOfReference } from './external-references.ts';
import { saleSearch } from './sale-search.ts';
import { withoutNews } from './without-news.ts';

/** Filters of the admin's sales: the labels of the status column, each with its rows and no other (S-05, FX-73). */
export const saleFilters = ['all', 'validated', 'to_validate', 'pending', 'rejected', 'corrections'] as const;
export type SaleFilter = (typeof saleFilters)[number];

/**
 * The columns the server sorts by: those whose order an index has. Not by commercial nor by referrer: their names stand with the
 * people, and no index gives their order over the sales; the filter by commercial and the search by name lead there.
 */
export const saleSorts = ['referred_contact_name', 'contract_amount', 'status', 'created_at'] as const;
export type SaleSort = (typeof saleSorts)[number];

export interface AllSalesAsked {
  search: string;
  filter: SaleFilter;
  commercialId: string | null;
  /** Of the sale's creation. */
  days: Days | null;
  /** Open referrals that nobody changed for so many days. */
  withoutNewsDays: number | null;
  /** Only what this client referred (M-02). */
  referrerId?: string | undefined;
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
    placeholderData: previousPage,
    ...live,
  });
}

/** NV-04: the sales that the list's filters leave, from the first one, as they are now. */
export async function readSelectableSales(asked: AllSalesAsked): Promise<readonly Sale[]> {
  return (await readAllSales({ ...asked, page: firstPage }, selectableMax)).rows;
}

async function readAllSales(
  { search, filter, commercialId, days, withoutNewsDays, referrerId, sort, desc, page }: AllSalesAsked,
  size = pageSize,
): Promise<Page<Sale>> {
  const client = await supabase();
  const known = await salesOfReference(search);
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
          query = query.in('status', openStatuses);
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
      if (referrerId !== undefined)
        query = query.or(
          `friend_referrer_id.eq.${referrerId},and(client_referrer_id.eq.${referrerId},friend_referrer_id.is.null)`,
        );
      if (search.trim() !== '') {
        query = query.or([saleSearch(search), ...(known.length === 0 ? [] : [`id.in.(${known.join(',')})`])].join(','));
      }
      return within(withoutNews(query, withoutNewsDays), 'created_at', days);
    },
    { mark: page, pageSize: size, order: orderOf(sort, desc) },
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
