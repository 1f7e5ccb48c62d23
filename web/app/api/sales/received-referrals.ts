import { dayOf } from '@parrain/domain/date';
import type { Days } from '@parrain/domain/period';
import { openStatuses, saleChoices, type SaleChoice } from '@parrain/domain/sale';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { firstPage, inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { within } from '../transport/within.ts';
import { saleConsents, toCallAnswer, type ConsentsRow } from './call-answer.ts';
import {
  saleCorrection,
  saleFollowUp,
  saleMessage,
  saleNews,
  saleToCorrect,
  toStandingReferral,
  type Referral,
} from './referral.ts';
import { saleColumns, saleReferrers } from './sale-columns.ts';
import { withoutNews } from './without-news.ts';

const lists = ['today', 'all', 'call_back', 'late'] as const;

/** One of the six statuses of the modal, all of them, those of today, whose day to call back has come, or that are late. */
export type ReferralFilter = SaleChoice | (typeof lists)[number];

export interface ReceivedReferralsAsked {
  commercialId: string;
  /** `first`: those of today where there are some, else all of them (UI-06). */
  choice: ReferralFilter | 'first';
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

/** The list as it opens. */
export function firstReferrals(commercialId: string): ReceivedReferralsAsked {
  return {
    commercialId,
    choice: 'first',
    followUpDays: null,
    search: '',
    days: null,
    withoutNewsDays: null,
    isOldestFirst: false,
    page: firstPage,
  };
}

/** True of a text that names one of the filters. */
export function isReferralFilter(value: unknown): value is ReferralFilter {
  return [...lists, ...saleChoices].some((choice) => choice === value);
}

/** A page, and the list that it is of. */
export interface ReferralPage extends Page<Referral> {
  choice: ReferralFilter;
}

/**
 * RE-06, CO-02: the referrals a commercial received, newest first; those of today late, due, new, the oldest first (UI-06). Corrections
 * are entries of the accounts, not referrals.
 */
export function receivedReferralsQuery(asked: ReceivedReferralsAsked) {
  return queryOptions({
    queryKey: receivedKey(asked),
    queryFn: ({ client }): Promise<ReferralPage> => {
      const { choice } = asked;
      return choice === 'first' ? readFirst(asked, client) : readReceivedReferrals({ ...asked, choice });
    },
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
        rowsOf(await client.from('sales').select(`${columns},${saleFollowUp},${saleToCorrect}`).eq('id', id).single()),
      );
    },
    ...live,
  });
}

const receivedKey = (asked: ReceivedReferralsAsked) => ['sales', 'received', asked] as const;

/** One round trip, but for who has nothing to do today. The list is then there under its own name too, and is not read again for it. */
async function readFirst(asked: ReceivedReferralsAsked, cache: QueryClient): Promise<ReferralPage> {
  const today = await readReceivedReferrals({ ...asked, choice: 'today' });
  const page = today.rowCount > 0 ? today : await readReceivedReferrals({ ...asked, choice: 'all' });
  cache.setQueryData(receivedKey({ ...asked, choice: page.choice }), page);
  return page;
}

async function readReceivedReferrals(
  asked: ReceivedReferralsAsked & { choice: ReferralFilter },
): Promise<ReferralPage> {
  const { commercialId, choice, followUpDays, search, days, withoutNewsDays, isOldestFirst, page } = asked;
  const client = await supabase();
  const read = await readPage(
    (options) => {
      let query = client
        .from('sales')
        .select(
          `${columns}${choice === 'today' ? ',today_rank' : ''},${choice === 'call_back' ? saleFollowUp.replace('follow_ups', 'follow_ups!inner') : saleFollowUp},${saleToCorrect}`,
          options,
        )
        .eq('commercial_id', commercialId)
        .is('corrects_sale_id', null);
      if (choice === 'today') {
        // The rank says as much of the status; the index needs it said.
        query = query.in('status', openStatuses).is('ready_for_validation', false).not('today_rank', 'is', null);
      } else if (choice === 'pending') query = query.eq('status', 'pending').is('ready_for_validation', false);
      else if (choice === 'pending_validation') query = query.eq('status', 'pending').is('ready_for_validation', true);
      else if (choice === 'call_back') {
        query = query
          .lte('follow_up.call_back_on', dayOf(new Date()))
          .in('status', openStatuses)
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
      order:
        choice === 'today'
          ? [{ column: 'today_rank' }, { column: 'created_at' }, { column: 'id' }]
          : [
              { column: 'created_at', desc: !isOldestFirst },
              { column: 'id', desc: isOldestFirst },
            ],
    },
    toReceivedReferral,
  );
  return { ...read, choice };
}

function toReceivedReferral(row: unknown): Referral {
  return { ...toStandingReferral(row), callAnswer: toCallAnswer(row as ConsentsRow) };
}
