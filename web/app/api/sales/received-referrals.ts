import { saleChoices, type SaleChoice } from '@parrain/domain/sale';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { containing, readPage, type Page, type PageMark } from '../transport/read-page.ts';
import { saleCorrection, toReferral, type Referral } from './referral.ts';
import { saleColumns, saleReferrers } from './sale-columns.ts';

export interface ReceivedReferralsAsked {
  commercialId: string;
  /** One of the six statuses of the modal, or all of them. */
  choice: SaleChoice | 'all';
  search: string;
  page: PageMark;
}

const pageSize = 20;

/** True of a text that names one of the filters. */
export function isReferralFilter(value: unknown): value is ReceivedReferralsAsked['choice'] {
  return value === 'all' || saleChoices.some((choice) => choice === value);
}

/** RE-06, CO-02: the referrals a commercial received, newest first. Corrections are entries of the accounts, not referrals. */
export function receivedReferralsQuery(asked: ReceivedReferralsAsked) {
  return queryOptions({
    queryKey: ['sales', 'received', asked],
    queryFn: () => readReceivedReferrals(asked),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readReceivedReferrals({
  commercialId,
  choice,
  search,
  page,
}: ReceivedReferralsAsked): Promise<Page<Referral>> {
  const client = await supabase();
  return readPage(
    (options) => {
      let query = client
        .from('sales')
        .select(`${saleColumns},commercial_notes,${saleReferrers},${saleCorrection}`, options)
        .eq('commercial_id', commercialId)
        .is('corrects_sale_id', null);
      if (choice === 'pending') query = query.eq('status', 'pending').is('ready_for_validation', false);
      else if (choice === 'pending_validation') query = query.eq('status', 'pending').is('ready_for_validation', true);
      else if (choice !== 'all') query = query.eq('status', choice);
      if (search.trim() !== '') {
        const text = containing(search);
        query = query.or(
          ['referred_contact_name', 'referred_contact_email', 'referred_contact_phone', 'contract_description']
            .map((column) => `${column}.ilike.${text}`)
            .join(','),
        );
      }
      return query;
    },
    { mark: page, pageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    toReferral,
  );
}
