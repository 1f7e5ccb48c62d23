import { noReferralReceived } from '@parrain/domain/messages';
import { saleChoiceLabels, saleChoices } from '@parrain/domain/sale';
import { useQuery } from '@tanstack/react-query';
import { Inbox, SearchX } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isReferralFilter, receivedReferralsQuery } from '#api/sales/received-referrals';
import type { Referral } from '#api/sales/referral';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { EmptyState } from '#ui/empty-state';
import { ErrorState } from '#ui/error-state';
import { FilterChips } from '#ui/filter-chips';
import { PageHeader } from '#ui/page-header';
import { Pagination } from '#ui/pagination';
import { SearchInput } from '#ui/search-input';
import { NewsBar } from '../../parts/news-bar.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import { useSteadyPage } from '../../parts/use-steady-page.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { ReferralList, ReferralListSkeleton } from './referral-list.tsx';
import { SaleStatusDialog } from './sale-status-dialog.tsx';

/** « Parrainages reçus » (CO-02, CO-03): who to call, where each stands, and the next move. */
export default function ParrainagesRecus(props: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const list = useListState('parrainages-recus', props);
  const [moving, setMoving] = useState<Referral>();
  const status = list.get('statut');
  const choice = isReferralFilter(status) ? status : 'all';
  const asked = { commercialId: profile.id, choice, search: list.search, page: list.page };
  const referrals = useQuery(receivedReferralsQuery(asked));
  const steady = useSteadyPage(referrals, JSON.stringify(asked));
  const isNarrowed = choice !== 'all' || list.search !== '';
  return (
    <>
      <PageHeader
        title={t('Parrainages reçus')}
        description={t('Les contacts que vos clients vous recommandent : appelez, puis dites où vous en êtes.')}
      />
      <StaleNotice query={referrals} />
      <NewsBar count={steady.newsCount} onShow={steady.showNews} />
      <Card>
        <div className="flex flex-col gap-2.5 border-b border-hairline px-4 py-3 sm:px-5">
          <SearchInput
            label={t('Rechercher un contact')}
            value={list.typed}
            onValueChange={list.setTyped}
            className="sm:max-w-96"
          />
          <FilterChips
            label={t('Filtrer par statut')}
            value={choice}
            onValueChange={(next) => list.set({ statut: next === 'all' ? undefined : next })}
            options={[
              { value: 'all', label: t('Tous') },
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
              <ReferralList sales={steady.page.rows} onUpdate={setMoving} />
              <div className="border-t border-hairline empty:hidden">
                <Pagination label={t('Parrainages reçus')} page={steady.page} onMove={list.setPage} />
              </div>
            </>
          ) : isNarrowed ? (
            <EmptyState
              icon={<SearchX />}
              title={t('Aucun résultat')}
              description={t('Aucun parrainage ne correspond à cette recherche et à ce filtre.')}
              action={
                <Button
                  onClick={() => {
                    list.setTyped('');
                    list.set({ statut: undefined, recherche: undefined });
                  }}
                >
                  {t('Tout effacer')}
                </Button>
              }
            />
          ) : (
            <EmptyState
              icon={<Inbox />}
              title={t(noReferralReceived)}
              description={t(
                'Dès qu’un de vos clients invite un ami, le contact apparaît ici, avec de quoi le joindre.',
              )}
              action={<Button onClick={() => props.openSection('mes-clients')}>{t('Voir mes clients')}</Button>}
            />
          )}
        </div>
        <p role="status" className="sr-only">
          {isNarrowed &&
            steady.page &&
            !referrals.isPlaceholderData &&
            t('{{count}} parrainages trouvés', { count: steady.page.rowCount })}
        </p>
      </Card>
      <SaleStatusDialog sale={moving} onClose={() => setMoving(undefined)} />
    </>
  );
}
