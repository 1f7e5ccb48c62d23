import type { Days } from '@parrain/domain/period';
import type { Sale } from '@parrain/domain/sale';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { firstPage, readPage, selectableMax, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { within } from '../transport/within.ts';
import { saleColumns, saleCommercial, saleReferrers, toSale } from './sale-columns.ts';
import { saleSearch } from './sale-search.ts';

/** The columns the server sorts by. */
export const salesToValidateSorts = ['created_at', 'contract_amount', 'referred_contact_name'] as const;

export interface SalesToValidateAsked {
  search: string;
  commercialId: string | null;
  /** Of the sale's creation. */
  days: Days | null;
  sort: (typeof salesToValidateSorts)[number];
  desc: boolean;
  page: PageMark;
}

const pageSize = 25;

/** S-06, AD-09: what the admin has to decide. */
export function salesToValidateQuery(asked: SalesToValidateAsked) {
  return queryOptions({
    queryKey: ['sales', 'to-validate', asked],
    queryFn: () => readSalesToValidate(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** NV-04: the contracts that the list's filters leave, from the first one, as they are now. */
export async function readSelectableContracts(asked: SalesToValidateAsked): Promise<readonly Sale[]> {
  return (await readSalesToValidate({ ...asked, page: firstPage }, selectableMax)).rows;
}

async function readSalesToValidate(
  { search, commercialId, days, sort, desc, page }: SalesToValidateAsked,
  size = pageSize,
): Promise<Page<Sale>> {
  const client = await supabase();
  return readPage(
    (options) => {
      let query = client
        .from('sales')
        .select(`${saleColumns},standing,commercial_notes,${saleCommercial},${saleReferrers}`, options)
        .is('ready_for_validation', true)
        .is('admin_validated', false);
      if (commercialId !== null) query = query.eq('commercial_id', commercialId);
      if (search.trim() !== '') query = query.or(saleSearch(search));
      return within(query, 'created_at', days);
    },
    // A contract that awaits a decision has its amount.
    {
      mark: page,
      pageSize: size,
      order: [
        { column: sort, desc },
        { column: 'id', desc },
      ],
    },
    toSale,
  );
}
