import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { firstPage, readPage, type OrderColumn, type Page, type PageMark } from '../transport/read-page.ts';
import { saleCorrection, toReferral, type Referral } from './referral.ts';
import { saleColumns, saleCommercial } from './sale-columns.ts';

const ownReferralsPageSize = 20;

/** RE-07, CL-04: the friends a client invited, newest first. */
export function ownReferralsQuery(clientId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['sales', 'own', clientId, page],
    queryFn: () => readOwnSales(clientId, 'invited', page, ownReferralsPageSize),
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** RE-07, CL-05: a client's validated contracts by validation date; a cancelled validation is a line of its own (S-11). */
export function validatedContractsQuery(clientId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['sales', 'own-validated', clientId, page],
    queryFn: () => readOwnSales(clientId, 'validated', page, ownReferralsPageSize),
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** Every validated contract of a client, page after page: for the statement that is printed. */
export async function readAllValidatedContracts(clientId: string): Promise<readonly Referral[]> {
  const contracts: Referral[] = [];
  for (let mark: PageMark | null = firstPage; mark !== null;) {
    const page: Page<Referral> = await readOwnSales(clientId, 'validated', mark, statementPageSize);
    contracts.push(...page.rows);
    mark = page.next;
  }
  return contracts;
}

const statementPageSize = 50;
const newest: readonly OrderColumn[] = [{ column: 'created_at', desc: true }, { column: 'id' }];

async function readOwnSales(
  clientId: string,
  kind: 'invited' | 'validated',
  page: PageMark,
  pageSize: number,
): Promise<Page<Referral>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client
        .from('sales')
        .select(`${saleColumns},${saleCommercial},${saleCorrection}`, options)
        .eq('friend_referrer_id', clientId);
      return kind === 'invited'
        ? query.is('corrects_sale_id', null)
        : query.eq('status', 'validated').is('admin_validated', true);
    },
    { mark: page, pageSize, order: kind === 'invited' ? newest : [{ column: 'validated_at', desc: true }, ...newest] },
    toReferral,
  );
}
