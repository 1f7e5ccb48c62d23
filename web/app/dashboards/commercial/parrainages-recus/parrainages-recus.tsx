import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '#ui/card';
import { ErrorState } from '#ui/error-state';
import { lazyPart } from '#ui/lazy-part';
import { PageHeader } from '#ui/page-header';
import { SearchInput } from '#ui/search-input';
import { countText } from '../../parts/count-text.ts';
import { NewsBar } from '../../parts/news-bar.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useOnce } from '../../parts/use-once.ts';
import { ActionButton } from '../../shell/actions.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { commercialActions } from '../actions.tsx';
import { ReferralChips } from './referral-chips.tsx';
import { ReferralList, ReferralListSkeleton } from './referral-list.tsx';
import { useReferrals } from './use-referrals.ts';
import { useStatusSheet } from './use-status-sheet.ts';

// After the first contacts: these need the list of a select.
// At the foot of the list.
const Pagination = lazyPart(async () => ({ default: (await import('#ui/pagination')).Pagination }));
const NoReferral = lazyPart(() => import('./no-referral.tsx'));
const ReferralTools = lazyPart(
  () => import('./referral-tools.tsx'),
  <span className="h-9 w-130 max-w-full max-wide:w-36 max-sm:h-11" />,
);
const ReferralPanel = lazyPart(() => import('./referral-panel.tsx'));
const ImportDialog = lazyPart(() => import('../../parts/imports/import-dialog.tsx'));
const SaleStatusDialog = lazyPart(() => import('./sale-status-dialog.tsx'));

/** « Parrainages reçus » (CO-02, CO-03): who to call today, where each stands, and the next move. */
export default function ParrainagesRecus(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('parrainages-recus', props, 'parrainage');
  const [isImporting, setIsImporting] = useState(false);
  const { moving, update, noteReach, close } = useStatusSheet();
  const isMovingKnown = useOnce(moving !== undefined);
  const isPanelKnown = useOnce(list.openId !== undefined);
  const found = useReferrals(list);
  const { referrals, steady, choice, hasFilter, isNarrowed } = found;
  const { clear } = filtersOf(list, ['statut', 'periode', 'sans-nouvelles']);
  return (
    <>
      <PageHeader
        title={t('Parrainages reçus')}
        // On a phone the list begins higher, and its import is an icon: who to call is in sight.
        description={
          <span className="max-sm:hidden">
            {t('Les contacts que vos clients vous recommandent : appelez, puis dites où vous en êtes.')}
          </span>
        }
        actions={
          <ActionButton
            action={commercialActions.importReferrals}
            className="max-sm:size-11 max-sm:gap-0 max-sm:overflow-hidden max-sm:px-0 max-sm:text-[0px]!"
            onRun={() => setIsImporting(true)}
          />
        }
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
              withoutNewsDays={found.withoutNewsDays}
              hasOwnOrder={choice === 'today'}
              clear={clear}
              isSearched={isNarrowed && Boolean(steady.page?.rowCount)}
              isEmpty={steady.page?.rowCount === 0}
            />
          </div>
          <ReferralChips
            choice={choice}
            counts={found.counts}
            hasLate={found.followUpDays !== null}
            onChoose={(statut) => list.set({ statut })}
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
                followUpDays={found.followUpDays}
                isConsentRequired={found.isConsentRequired}
                isToday={choice === 'today'}
                onOpen={(sale) => list.openRow(sale.id)}
                onUpdate={update}
                onReach={noteReach}
              />
              <div className="border-t border-hairline empty:hidden">
                <Pagination label={t('Parrainages reçus')} page={steady.page} onMove={list.setPage} />
              </div>
            </>
          ) : (
            <NoReferral
              openSection={props.openSection}
              choice={hasFilter ? undefined : choice}
              onClear={isNarrowed ? clear : undefined}
              onShowAll={() => list.set({ statut: 'all' })}
              onShowSilent={() => list.set({ statut: undefined, 'sans-nouvelles': '7', sens: 'asc' })}
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
        <ReferralPanel referralId={list.openId} onClose={list.closeRow} onUpdate={update} onReach={noteReach} />
      )}
      {isImporting && <ImportDialog kind="referrals" isAdmin={false} onClose={() => setIsImporting(false)} />}
      {isMovingKnown && <SaleStatusDialog sale={moving?.referral} after={moving?.after} onClose={close} />}
    </>
  );
}
