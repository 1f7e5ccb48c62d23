import { daysOf } from '@parrain/domain/period';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { companySettings } from '#api/company/company-settings';
import {
  firstReferrals,
  isReferralFilter,
  receivedReferralsQuery,
  type ReceivedReferralsAsked,
  type ReferralFilter,
} from '#api/sales/received-referrals';
import { referralCountsQuery } from '#api/sales/referral-counts';
import { withoutNewsDaysOf } from '#api/sales/without-news';
import { useProfile } from '#api/transport/session';
import { isDescending } from '../../parts/list-sort.ts';
import type { ListState } from '../../parts/use-list-state.ts';
import { useSteadyPage } from '../../parts/use-steady-page.ts';

/**
 * The referrals that the list's settings ask for, and their counts. Without a setting the list opens on those of today, or on all
 * where none is of today (UI-06), and then stays that list: its last referral done, « Aujourd'hui » is empty, and says so.
 */
export function useReferrals(list: ListState) {
  const { id: commercialId } = useProfile();
  const { data: settings } = useQuery(companySettings);
  const followUpDays = settings?.followUpDays ?? null;
  const days = daysOf(list.get('periode'), list.openedAt);
  const withoutNewsDays = withoutNewsDaysOf(list.get('sans-nouvelles'));
  const isOldestFirst = !isDescending(list.get('sens'));
  const hasFilter = list.search !== '' || days !== null || withoutNewsDays !== null;

  const status = list.get('statut');
  const isGiven = isReferralFilter(status);
  // Who looks for somebody looks among all.
  const chosen = isGiven ? status : hasFilter || isOldestFirst ? 'all' : undefined;
  const [opened, setOpened] = useState<ReferralFilter>();
  const asked: ReceivedReferralsAsked = {
    ...firstReferrals(commercialId),
    choice: chosen ?? opened ?? 'first',
    // Of the late ones alone: the others wait for no setting.
    followUpDays: chosen === 'late' ? followUpDays : null,
    search: list.search,
    days,
    withoutNewsDays,
    isOldestFirst,
    page: list.page,
  };
  const referrals = useQuery(receivedReferralsQuery(asked));
  const found = referrals.isPlaceholderData ? undefined : referrals.data?.choice;
  if (asked.choice === 'first' && found !== undefined && !referrals.isFetching && opened !== found) setOpened(found);
  const choice = chosen ?? opened ?? found;
  const steady = useSteadyPage(referrals, JSON.stringify({ ...asked, choice }));
  const counts = useQuery(referralCountsQuery(commercialId));
  return {
    referrals,
    steady,
    counts: counts.data,
    /** Undefined until it is known which list opens. */
    choice,
    followUpDays,
    isConsentRequired: settings?.requireCallConsent === true,
    withoutNewsDays,
    hasFilter,
    isNarrowed: hasFilter || (isGiven && status !== 'all' && status !== 'today'),
  };
}
