import { groupBy } from '@parrain/domain/group-by';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';
import { saleCorrection, toStandingReferral, type Referral } from './referral.ts';
import { saleColumns } from './sale-columns.ts';

const pageSize = 10;

/** CO-05: the referrals of one client, newest first: as friend referrer, else as client referrer (D-07). */
export function clientReferralsQuery(clientId: string, page: PageMark) {
  return queryOptions({
    queryKey: ['sales', 'of-client', clientId, page],
    queryFn: () => readClientReferrals(clientId, page),
    placeholderData: previousPage,
    ...live,
  });
}

/** CO-05: all referrals of clients who have few, by the client's id, newest first: one request for all of them. */
export async function readReferralsOf(clientIds: readonly string[]): Promise<ReadonlyMap<string, readonly Referral[]>> {
  if (clientIds.length === 0) return new Map();
  const client = await supabase();
  const ids = `(${clientIds.join(',')})`;
  const rows = rowsOf<unknown[]>(
    await client
      .from('sales')
      .select(`${saleColumns},${saleCorrection}`)
      .is('corrects_sale_id', null)
      .or(`friend_referrer_id.in.${ids},and(client_referrer_id.in.${ids},friend_referrer_id.is.null)`)
      .order('created_at', { ascending: false })
      .order('id'),
  );
  return groupBy(rows.map(toStandingReferral), (sale) => sale.friendReferrerId ?? sale.clientReferrerId ?? '');
}

async function readClientReferrals(clientId: string, page: PageMark): Promise<Page<Referral>> {
  const client = await supabase();
  return readPage(
    (options) =>
      client
        .from('sales')
        .select(`${saleColumns},${saleCorrection}`, options)
        .is('corrects_sale_id', null)
        .or(`friend_referrer_id.eq.${clientId},and(client_referrer_id.eq.${clientId},friend_referrer_id.is.null)`),
    { mark: page, pageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    toStandingReferral,
  );
}
