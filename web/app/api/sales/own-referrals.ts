import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, type Page } from '../transport/read-page.ts';
import { saleCorrection, toReferral, type Referral } from './referral.ts';
import { saleColumns, saleCommercial } from './sale-columns.ts';

export const ownReferralsPageSize = 20;

/** RE-07, CL-04: the friends a client invited, newest first. */
export function ownReferralsQuery(clientId: string, page: number) {
  return queryOptions({
    queryKey: ['sales', 'own', clientId, page],
    queryFn: () => readOwnSales(clientId, 'invited', page, ownReferralsPageSize),
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** RE-07, CL-05: a client's validated contracts by validation date; a cancelled validation is a line of its own (S-11). */
export function validatedContractsQuery(clientId: string, page: number) {
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
  for (let page = 0; ; page += 1) {
    const { rows, rowCount } = await readOwnSales(clientId, 'validated', page, statementPageSize);
    contracts.push(...rows);
    if (rows.length === 0 || contracts.length >= rowCount) return contracts;
  }
}

const statementPageSize = 50;

async function readOwnSales(
  clientId: string,
  kind: 'invited' | 'validated',
  page: number,
  pageSize: number,
): Promise<Page<Referral>> {
  const client = await supabase();
  return readPage(
    (from, to) => {
      const query = client
        .from('sales')
        .select(`${saleColumns},${saleCommercial},${saleCorrection}`, { count: 'exact' })
        .eq('friend_referrer_id', clientId);
      const wanted =
        kind === 'invited'
          ? query.is('corrects_sale_id', null)
          : query.eq('status', 'validated').is('admin_validated', true).order('validated_at', { ascending: false });
      return wanted.order('created_at', { ascending: false }).order('id').range(from, to);
    },
    { page, pageSize },
    toReferral,
  );
}
