import type { Days } from '@parrain/domain/period';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { firstPage, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { within } from '../transport/within.ts';
import { saleCorrection, toReferral, type Referral } from './referral.ts';
import { saleColumns, saleCommercial } from './sale-columns.ts';
import { saleSearch } from './sale-search.ts';

/** The columns that the server sorts by. */
export const validatedContractSorts = ['contract_amount', 'validated_at', 'client_commission_amount'] as const;

export interface ValidatedContractsAsked {
  clientId: string;
  search: string;
  /** Of the validation. */
  days: Days | null;
  sort: (typeof validatedContractSorts)[number];
  desc: boolean;
  page: PageMark;
}

/** RE-07, CL-05: a client's validated contracts; a cancelled validation is a line of its own (S-11). */
export function validatedContractsQuery(asked: ValidatedContractsAsked) {
  return queryOptions({
    queryKey: ['sales', 'own-validated', asked],
    queryFn: () => readValidatedContracts(asked, 20),
    placeholderData: previousPage,
    ...live,
  });
}

/** Every validated contract of a client, page after page: for the statement that is printed. */
export async function readAllValidatedContracts(clientId: string): Promise<readonly Referral[]> {
  const contracts: Referral[] = [];
  for (let mark: PageMark | null = firstPage; mark !== null;) {
    const page: Page<Referral> = await readValidatedContracts(
      { clientId, search: '', days: null, sort: 'validated_at', desc: true, page: mark },
      50,
    );
    contracts.push(...page.rows);
    mark = page.next;
  }
  return contracts;
}

async function readValidatedContracts(
  { clientId, search, days, sort, desc, page }: ValidatedContractsAsked,
  pageSize: number,
): Promise<Page<Referral>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client
        .from('sales')
        .select(`${saleColumns},${saleCommercial},${saleCorrection}`, options)
        .eq('friend_referrer_id', clientId)
        .eq('status', 'validated')
        .is('admin_validated', true);
      return within(search.trim() === '' ? query : query.or(saleSearch(search)), 'validated_at', days);
    },
    {
      mark: page,
      pageSize,
      order: [{ column: sort, desc }, { column: 'created_at', desc: true }, { column: 'id' }],
    },
    toReferral,
  );
}
