import { formatEuros } from '@parrain/domain/money';
import { daysOf } from '@parrain/domain/period';
import { saleState } from '@parrain/domain/sale';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { HandCoins } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { clientFiguresQuery } from '#api/payments/client-figures';
import { clientMonthsQuery } from '#api/payments/client-months';
import { ownCommissionSorts, ownCommissionsQuery, type OwnCommission } from '#api/payments/own-commissions';
import { refresh } from '#api/transport/refresh';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { FilterChips } from '#ui/filter-chips';
import { PageHeader } from '#ui/page-header';
import { CancelledLine } from '../../parts/cancelled-line.tsx';
import { ExplainedCommission } from '../../parts/explained-commission.tsx';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, isBare, useListState } from '../../parts/use-list-state.ts';
import { useTotals } from '../../parts/use-totals.tsx';
import { Views } from '../../parts/views.tsx';
import { runAction } from '../../shell/run-action.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { clientActions } from '../actions.tsx';
import { DebtNotice } from '../debt-notice.tsx';
import { BalanceExplain } from '../balance-explain.tsx';
import { useMayAsk } from '../wallet/may-ask.ts';
import { MoneySteps } from '../wallet/money-steps.tsx';
import { Skeleton } from '#ui/skeleton';
import { StatementTable } from '../../parts/statement-table.tsx';
import { lazyPart } from '#ui/lazy-part';
import { NothingFound } from '#ui/nothing-found';

const DisputeDialog = lazyPart(() => import('../../parts/dispute-dialog.tsx'));
// As high as what comes, so that the list below stays in its place.
const earningsRoom = <Skeleton className="mt-4 h-105 w-full rounded-card max-sm:h-100" />;
const Earnings = lazyPart(() => import('./earnings.tsx'), earningsRoom);

/** « Mes Commissions » (CL-06, CL-10): what is mine, line by line, and why. */
export default function MesCommissions(props: SectionProps) {
  const { openSection, detail } = props;
  const { t } = useTranslation();
  const rows = useRef<HTMLDivElement>(null);
  const view: View = detail['vue'] === 'releve' ? 'releve' : 'detail';
  const show = (next: View) =>
    openSection('mes-commissions', next === 'releve' ? { vue: next } : {}, { replace: true, keepScroll: true });
  const showRows = (next: View) => {
    show(next);
    rows.current?.focus({ preventScroll: true });
    rows.current?.scrollIntoView({ block: 'start' });
  };
  const profile = useProfile();
  const list = useListState('mes-commissions', props);
  const figures = useQuery(clientFiguresQuery(profile.id));
  const months = useQuery(clientMonthsQuery(profile.id));
  const days = daysOf(list.get('periode'), list.openedAt);
  const sort = ownCommissionSorts.find((column) => column === list.get('tri')) ?? 'paid_at';
  const desc = isDescending(list.get('sens'));
  const asked = { recipientId: profile.id, search: list.search, days, sort, desc, page: list.page };
  const commissions = useQuery(ownCommissionsQuery(asked));
  const isNarrowed = days !== null || !isBare(list, commissions);
  const filters = filtersOf(list, ['periode']);
  const cards = figures.data;
  const { mayAsk } = useMayAsk(cards, list.openedAt);
  const ownColumns: readonly DataColumn<OwnCommission>[] = [
    {
      id: 'contact',
      header: t('Contact'),
      width: 'wide',
      cell: (commission) => <Contact commission={commission} />,
    },
    {
      id: 'commercial',
      header: t('Commercial'),
      width: 'medium',
      cell: (commission) => <Cell text={commission.sale?.commercialName ?? null} />,
    },
    {
      id: 'paid_at',
      header: t('Date de la vente'),
      sortable: true,
      cell: (commission) => (
        <DateText value={commission.sale?.validatedAt ?? commission.paidAt} className="whitespace-nowrap" />
      ),
    },
    {
      id: 'amount',
      header: t('Commission'),
      sortable: true,
      align: 'right',
      cell: (commission) => (
        <ExplainedCommission
          amount={commission.amount}
          sale={commission.sale}
          saleId={commission.saleId}
          side="client"
        />
      ),
    },
  ];
  const columns = useTotals('own-commissions', commissions.data, ownColumns, totalLabels);
  return (
    <>
      <PageHeader
        title={t('Mes Commissions')}
        description={t('Chaque commission validée, et comment elle a été calculée.')}
      />
      <StaleNotice query={commissions} />
      {detail['contestation'] !== undefined && (
        <DisputeDialog
          disputeId={detail['contestation']}
          onClose={() => openSection('mes-commissions', { vue: 'releve' }, { replace: true, keepScroll: true })}
        />
      )}
      <DebtNotice debt={cards?.debt} />
      <FigureGrid>
        <FigureCard
          label={t('Total commissions')}
          value={cards && <Amount cents={cards.totalCommissions} />}
          note={
            cards &&
            (cards.totalCommissions === 0n
              ? t('aucune commission pour l’instant')
              : cards.pendingCommissions === 0n
                ? t('toutes validées par la société')
                : t('dont {{amount}} en attente de validation', { amount: formatEuros(cards.pendingCommissions) }))
          }
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Commissions validées')}
          value={cards && <Amount cents={cards.validatedCommissions} />}
          note={t('créditées à la validation du contrat')}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Disponible pour paiement')}
          tone={cards && cards.available > 0n ? 'yours' : 'plain'}
          value={cards && <Amount cents={cards.available} />}
          note={cards && <BalanceExplain cards={cards} />}
          failed={figures.isLoadingError}
          action={
            mayAsk
              ? {
                  label: t('Recevoir mon argent'),
                  onClick: () => runAction(clientActions.askPayment, openSection),
                }
              : { label: t('Voir mes demandes'), onClick: () => openSection('demandes-de-paiement') }
          }
        />
        <FigureCard
          label={t('Ventes générées')}
          value={cards && <Amount cents={cards.salesGenerated} />}
          note={
            cards &&
            (cards.salesToValidate === 0n
              ? t('de contrats validés par la société')
              : t('dont {{amount}} à valider', { amount: formatEuros(cards.salesToValidate) }))
          }
          failed={figures.isLoadingError}
        />
      </FigureGrid>
      {cards ? (
        <Card className="mt-4 p-4 sm:p-5" aria-label={t('Votre solde')}>
          <MoneySteps
            cards={cards}
            onRequests={() => openSection('demandes-de-paiement')}
            onEarned={() => showRows('detail')}
            onStatement={() => showRows('releve')}
          />
        </Card>
      ) : (
        figures.isPending && <Skeleton className="mt-4 h-27 w-full rounded-card max-sm:h-35" />
      )}
      {months.data === undefined
        ? months.isPending && (cards === undefined || cards.validatedCommissions > 0n) && earningsRoom
        : months.data.length > 0 && <Earnings months={months.data} />}
      <Card ref={rows} tabIndex={-1} className="mt-5 scroll-mt-(--sticky-top)">
        <CardHeader
          title={view === 'releve' ? t('Relevé') : t('Détail des commissions')}
          level={3}
          actions={
            <FilterChips
              label={t('Ce qui est montré')}
              options={[
                { value: 'detail', label: t('Commissions') },
                { value: 'releve', label: t('Relevé') },
              ]}
              value={view}
              onValueChange={show}
            />
          }
        />
        {view === 'releve' ? (
          <StatementTable />
        ) : (
          <DataTable
            caption={t('Détail des commissions')}
            columns={columns}
            rows={commissions.data?.rows}
            rowKey={(commission) => commission.id}
            failed={commissions.isLoadingError}
            onRetry={refresh}
            refreshing={commissions.isPlaceholderData || (commissions.isLoadingError && commissions.isFetching)}
            searchLabel={isNarrowed ? t('Rechercher une commission') : undefined}
            server={{
              page: commissions.data,
              onMove: list.setPage,
              search: list.typed,
              onSearchChange: list.setTyped,
              sort: { id: sort, desc },
              onSortChange: (next) => list.set(sortSettings(next)),
            }}
            filters={
              isNarrowed && {
                ...filters,
                controls: <PeriodFilter list={list} label={t('Filtrer par date')} />,
              }
            }
            exporting={isNarrowed && <ExportMenu list="own-commissions" page={commissions.data} />}
            views={isNarrowed && <Views list={list} label={t('Détail des commissions')} brought={broughtViews} />}
            empty={
              days ? (
                <NothingFound
                  description={t('Aucune commission n’a été créditée à ces dates.')}
                  onClear={filters.clear}
                />
              ) : (
                <EmptyState
                  icon={<HandCoins />}
                  title={t('Aucune commission pour le moment')}
                  description={t(
                    'Une commission apparaît dès que la société valide le contrat d’un ami que vous avez parrainé.',
                  )}
                  action={<Button onClick={() => openSection('mes-parrainages')}>{t('Voir mes parrainages')}</Button>}
                />
              )
            }
          />
        )}
      </Card>
    </>
  );
}

const broughtViews = [
  { name: 'Créditées ce mois-ci', settings: { periode: 'mois' } },
  { name: 'Créditées cette année', settings: { periode: 'annee' } },
];

const totalLabels = { amount: ['Commission'] };

type View = 'detail' | 'releve';

/** A commission paid to the client referrer (M-02) is of a sale they may not read: its number names it. */
function Contact({ commission }: { commission: OwnCommission }) {
  const { t } = useTranslation();
  const { amount, sale } = commission;
  const isCorrection = amount < 0n || (sale !== null && saleState(sale) === 'correction');
  return (
    <Cell
      text={sale?.referredContactName ?? t('Contrat n° {{id}}', { id: shortId(commission.saleId) })}
      className="font-medium"
      secondNode={isCorrection && <CancelledLine sale={sale} />}
    />
  );
}
