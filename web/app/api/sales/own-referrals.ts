import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { saleCorrection, saleNews, toStandingReferral, type Referral } from './referral.ts';
import { saleColumns, saleCommercial } from './sale-columns.ts';
import { saleSearch } from './sale-search.ts';

export interface OwnReferralsAsked {
  clientId: string;
  search: string;
  page: PageMark;
}

/** RE-07, CL-04: the friends a client invited, newest first. */
export function ownReferralsQuery(asked: OwnReferralsAsked) {
  return queryOptions({
    queryKey: ['sales', 'own', asked],
    queryFn: () => readOwnReferrals(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** One referral of the signed-in client, for its panel. */
export function ownReferralQuery(id: string) {
  return queryOptions({
    queryKey: ['sales', 'own-one', id],
    queryFn: async (): Promise<Referral> => {
      const client = await supabase();
      return toStandingReferral(
        rowsOf(
          await client
            .from('sales')
            .select(`${saleColumns},${saleCommercial},${saleCorrection},${saleNews}`)
            .eq('id', id)
            .single(),
        ),
      );
    },
    ...live,
  });
}

async function readOwnReferrals({ clientId, search, page }: OwnReferralsAsked): Promise<Page<Referral>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client
        .from('sales')
        .select(`${saleColumns},${saleCommercial},${saleCorrection},${saleNews}`, options)
        .eq('friend_referrer_id', clientId)
        .is('corrects_sale_id', null);
      return search.trim() === '' ? query : query.or(saleSearch(search));
    },
    { mark: page, pageSize: 20, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    toStandingReferral,
  );
}
