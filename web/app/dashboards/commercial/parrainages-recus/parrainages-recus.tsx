import { daysOf } from '@parrain/domain/period';
import { saleChoiceLabels, saleChoices } from '@parrain/domain/sale';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { companySettings } from '#api/company/company-settings';
import { isReferralFilter, receivedReferralsQuery, type ReferralFilter } from '#api/sales/received-referrals';
import type { Referral } from '#api/sales/referral';
import { withoutNewsDaysOf } from '#api/sales/without-news';
import { useProfile } from '#api/transport/session';
import { Card } from '#ui/card';
import { ErrorState } from '#ui/error-state';
import { FilterChips } from '#ui/filter-chips';
import { PageHeader } from '#ui/page-header';
import { SearchInput } from '#ui/search-input';
import { isDescending } from '../../parts/list-sort.ts';
import { NewsBar } from '../../parts/news-bar.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useOnce } from '../../parts/use-once.ts';
import { useSteadyPage } from '../../parts/use-steady-page.ts';
import { ActionButton } from '../../shell/actions.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { commercialActions } from '../actions.tsx';
import { countText } from '../../parts/count-text.ts';
import { ReferralList, ReferralListSkeleton } from './referral-list.tsx';
import { lazyPart } from '#ui/lazy-part';

// After the first contacts: these need the list of a select.
// At the foot of the list.
const Pagination = lazyPart(async () => ({ default: (await import('#ui/pagination')).Pagination }));
const NoReferral = lazyPart(() => import('./no-referral.tsx'));
const ReferralTools = lazyPart(
  () => import('./referral-tools.tsx'),
  <span className="h-9 w-130 max-w-full max-wide:w-36 max-sm:h-11" />,
);
const ReferralPanel = lazyPart(async () => ({ default: (await import('./referral-panel.tsx')).ReferralPanel }));
const ImportDialog = lazyPart(() => import('../../parts/imports/import-dialog.tsx'));
const SaleStatusDialog = lazyPart(async () => ({
  default: (await import('./sale-status-dialog.tsx')).SaleStatusDialog,
}));

/** « Parrainages reçus » (CO-02, CO-03): who to call, where each stands, and the next move. */
export default function ParrainagesRecus(props: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const list = useListState('parrainages-recus', props, 'parrainage');
  const [isImporting, setIsImporting] = useState(false);
  const [moving, setMoving] = useState<Referral>();
  const isMovingKnown = useOnce(moving !== undefined);
  const isPanelKnown = useOnce(list.openId !== undefined);
  const { data: settings } = useQuery(companySettings);
  const followUpDays = settings?.followUpDays ?? null;
  const status = list.get('statut');
  const choice = isReferralFilter(status) ? status : 'all';
  const days = daysOf(list.get('periode'), list.openedAt);
  const withoutNewsDays = withoutNewsDaysOf(list.get('sans-nouvelles'));
  const isOldestFirst = !isDescending(list.get('sens'));
  const asked = {
    commercialId: profile.id,
    choice,
    followUpDays,
    search: list.search,
    days,
    withoutNewsDays,
    isOldestFirst,
    page: list.page,
  };
  const referrals = useQuery(receivedReferralsQuery(asked));
  const steady = useSteadyPage(referrals, JSON.stringify(asked));
  const isNarrowed = choice !== 'all' || list.search !== '' || days !== null || withoutNewsDays !== null;
  const onlyCallsBack = choice === 'call_back' && list.search === '' && days === null && withoutNewsDays === null;
  const { clear } = filtersOf(list, ['statut', 'periode', 'sans-nouvelles']);
  return (
    <>
      <PageHeader
        title={t('Parrainages reçus')}
        description={t('Les contacts que vos clients vous recommandent : appelez, puis dites où vous en êtes.')}
        actions={<ActionButton action={commercialActions.importReferrals} onRun={() => setIsImporting(true)} />}
      />
      <StaleNotice query={referrals} />
      <NewsBar count={steady.newsCount} onShow={steady.showNews} />
      <Card>
        <div className="flex flex-col gap-2.5 border-b border-hairline px-4 py-3 max-sm:gap-1 max-sm:py-2 sm:px-5">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <SearchInput
              label={t('Rechercher un contact')}
              value={list.typed}
              onValueChange={list.setTyped}
              size="sm"
              className="min-w-0 flex-1 basis-28 sm:max-w-96 sm:basis-56"
            />
            <ReferralTools
              list={list}
              page={referrals.data}
              withoutNewsDays={withoutNewsDays}
              clear={clear}
              isSearched={isNarrowed && Boolean(steady.page?.rowCount)}
              isEmpty={steady.page?.rowCount === 0}
            />
          </div>
          <FilterChips<ReferralFilter>
            label={t('Filtrer par statut')}
            value={choice}
            onValueChange={(next) => list.set({ statut: next === 'all' ? undefined : next })}
            options={[
              { value: 'all', label: t('Tous') },
              { value: 'call_back', label: t('À relancer') },
              ...(followUpDays === null ? [] : [{ value: 'late' as const, label: t('En retard') }]),
              ...saleChoices.map((value) => ({ value, label: t(saleChoiceLabels[value]) })),
            ]}
          />
        </div>
        <div aria-busy={referrals.isPlaceholderData || undefined}>
          {referrals.isLoadingError ? (
            <ErrorState onRetry={() => void referrals.refetch()} pending={referrals.isFetching} />
          ) : steady.page === undefined ? (
            <ReferralListSkeleton />
          ) : steady.page.rowCount > 0 ? (
            <>
              <ReferralList
                sales={steady.page.rows}
                followUpDays={followUpDays}
                isConsentRequired={settings?.requireCallConsent === true}
                onOpen={(sale) => list.openRow(sale.id)}
                onUpdate={setMoving}
              />
              <div className="border-t border-hairline empty:hidden">
                <Pagination label={t('Parrainages reçus')} page={steady.page} onMove={list.setPage} />
              </div>
            </>
          ) : (
            <NoReferral
              openSection={props.openSection}
              onClear={isNarrowed ? clear : undefined}
              onShowSilent={
                onlyCallsBack ? () => list.set({ statut: undefined, 'sans-nouvelles': '7', sens: 'asc' }) : undefined
              }
            />
          )}
        </div>
        <p role="status" className="sr-only">
          {isNarrowed &&
            steady.page &&
            !referrals.isPlaceholderData &&
            countText(steady.page.rowCount, t('parrainage trouvé'), t('parrainages trouvés'))}
        </p>
      </Card>
      {isPanelKnown && (
        <ReferralPanel referralId={list.openId} onClose={list.closeRow} onUpdate={(sale) => setMoving(sale)} />
      )}
      {isImporting && <ImportDialog kind="referrals" isAdmin={false} onClose={() => setIsImporting(false)} />}
      {isMovingKnown && <SaleStatusDialog sale={moving} onClose={() => setMoving(undefined)} />}
    </>
  );
}
