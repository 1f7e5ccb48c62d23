import { dayOf } from '@parrain/domain/date';
import type { Days } from '@parrain/domain/period';
import { saleChoices, type SaleChoice } from '@parrain/domain/sale';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { within } from '../transport/within.ts';
import { saleConsents, toCallAnswer, type ConsentsRow } from './call-answer.ts';
import { saleCorrection, saleFollowUp, saleMessage, saleNews, toStandingReferral, type Referral } from './referral.ts';
import { saleColumns, saleReferrers } from './sale-columns.ts';
import { withoutNews } from './without-news.ts';

/** One of the six statuses of the modal, all of them, those whose day to call back has come, or those that are late. */
export type ReferralFilter = SaleChoice | 'all' | 'call_back' | 'late';

export interface ReceivedReferralsAsked {
  commercialId: string;
  choice: ReferralFilter;
  /** The company's days before a referral that nobody contacted is late; null where it has none. */
  followUpDays: number | null;
  search: string;
  /** Of the referral's arrival. */
  days: Days | null;
  /** Open referrals that nobody changed for so many days. */
  withoutNewsDays: number | null;
  /** The oldest first. */
  isOldestFirst: boolean;
  page: PageMark;
}

const pageSize = 20;
const columns = `${saleColumns},commercial_notes,${saleReferrers},${saleCorrection},${saleNews},${saleConsents},${saleMessage}`;

/** True of a text that names one of the filters. */
export function isReferralFilter(value: unknown): value is ReferralFilter {
  return value === 'all' || value === 'call_back' || value === 'late' || saleChoices.some((choice) => choice === value);
}

/** RE-06, CO-02: the referrals a commercial received, newest first. Corrections are entries of the accounts, not referrals. */
export function receivedReferralsQuery(asked: ReceivedReferralsAsked) {
  return queryOptions({
    queryKey: ['sales', 'received', asked],
    queryFn: () => readReceivedReferrals(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** One referral that the signed-in commercial received, for its panel. */
export function receivedReferralQuery(id: string) {
  return queryOptions({
    queryKey: ['sales', 'received-one', id],
    queryFn: async (): Promise<Referral> => {
      const client = await supabase();
      return toReceivedReferral(
        rowsOf(await client.from('sales').select(`${columns},${saleFollowUp}`).eq('id', id).single()),
      );
    },
    ...live,
  });
}

async function readReceivedReferrals({
  commercialId,
  choice,
  followUpDays,
  search,
  days,
  withoutNewsDays,
  isOldestFirst,
  page,
}: ReceivedReferralsAsked): Promise<Page<Referral>> {
  const client = await supabase();
  return readPage(
    (options) => {
      let query = client
        .from('sales')
        .select(
          `${columns},${choice === 'call_back' ? saleFollowUp.replace('follow_ups', 'follow_ups!inner') : saleFollowUp}`,
          options,
        )
        .eq('commercial_id', commercialId)
        .is('corrects_sale_id', null);
      if (choice === 'pending') query = query.eq('status', 'pending').is('ready_for_validation', false);
      else if (choice === 'pending_validation') query = query.eq('status', 'pending').is('ready_for_validation', true);
      else if (choice === 'call_back') {
        query = query
          .lte('follow_up.call_back_on', dayOf(new Date()))
          .in('status', ['pending', 'contacted', 'in_negotiation'])
          .is('ready_for_validation', false);
      } else if (choice === 'late') {
        const since = new Date(Date.now() - (followUpDays ?? 0) * 86_400_000).toISOString();
        query = query.eq('status', 'pending').is('ready_for_validation', false).lte('created_at', since);
      } else if (choice !== 'all') query = query.eq('status', choice);
      if (search.trim() !== '') query = query.or(inTerms(search));
      return within(withoutNews(query, withoutNewsDays), 'created_at', days);
    },
    {
      mark: page,
      pageSize,
      order: [
        { column: 'created_at', desc: !isOldestFirst },
        { column: 'id', desc: isOldestFirst },
      ],
    },
    toReceivedReferral,
  );
}

function toReceivedReferral(row: unknown): Referral {
  return { ...toStandingReferral(row), callAnswer: toCallAnswer(row as ConsentsRow) };
}
