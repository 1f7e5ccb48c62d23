import { awaitingCompanyValidation } from '@parrain/domain/messages';
import { formatEuros } from '@parrain/domain/money';
import { daysOf } from '@parrain/domain/period';
import { isEarned, referrerName, saleState, type Sale } from '@parrain/domain/sale';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { FileSignature, Hourglass } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import {
  commissionHistoryQuery,
  commissionHistorySorts,
  commissionHistoryStates,
} from '#api/sales/commercial-contracts';
import { commercialFiguresQuery, type CommercialCards } from '#api/sales/commercial-figures';
import { refresh } from '#api/transport/refresh';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { PageHeader } from '#ui/page-header';
import { Select } from '#ui/select';
import { countText } from '../../parts/count-text.ts';
import { lessCancelledText } from '../../parts/count-lines.ts';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { SumExplain } from '../../parts/sum-explain.tsx';
import { ExplainedCommission } from '../../parts/explained-commission.tsx';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { SaleStatus } from '../../parts/sale-status.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useTotals } from '../../parts/use-totals.tsx';
import { Views } from '../../parts/views.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { AwaitingContracts } from './awaiting-contracts.tsx';
import { OwnActivity } from './own-activity.tsx';
import { NothingFound } from '#ui/nothing-found';

/** « Contrats d'affiliation » (CO-08 to CO-10): what is earned, what waits for the company, and why. */
export default function ContratsDAffiliation(props: SectionProps) {
  const { openSection } = props;
  const { t } = useTranslation();
  const profile = useProfile();
  const list = useListState('contrats-d-affiliation', props);
  const figures = useQuery(commercialFiguresQuery(profile.id));
  const days = daysOf(list.get('periode'), list.openedAt);
  const sort = commissionHistorySorts.find((column) => column === list.get('tri')) ?? 'validated_at';
  const desc = isDescending(list.get('sens'));
  const state = commissionHistoryStates.find((word) => word === list.get('statut')) ?? null;
  const history = useQuery(
    commissionHistoryQuery({ commercialId: profile.id, state, days, sort, desc, page: list.page }),
  );
  const filters = filtersOf(list, ['statut', 'periode']);
  const hasTools = filters.count > 0 || Boolean(history.data?.rowCount);
  const cards = figures.data;
  const ownColumns: readonly DataColumn<Sale>[] = [
    {
      id: 'referred_contact_name',
      header: t('Contrat'),
      sortable: true,
      width: 'wide',
      cell: (sale) => (
        <Cell
          text={sale.referredContactName}
          second={sale.contractDescription ?? shortId(sale.id)}
          className="font-medium"
        />
      ),
    },
    {
      id: 'client',
      header: t('Client'),
      width: 'medium',
      from: '1280px',
      cell: (sale) => <Cell text={referrerName(sale)} />,
    },
    {
      id: 'contract_amount',
      header: t('Montant'),
      sortable: true,
      align: 'right',
      cell: (sale) => sale.contractAmount !== null && <Amount cents={sale.contractAmount} />,
    },
    {
      id: 'commercial_commission_amount',
      header: t('Commission'),
      sortable: true,
      align: 'right',
      cell: (sale) =>
        sale.commercialCommissionAmount !== null && (
          <ExplainedCommission amount={sale.commercialCommissionAmount} sale={sale} side="commercial" />
        ),
    },
    { id: 'status', header: t('Statut'), cell: (sale) => <ContractStatus sale={sale} /> },
    {
      id: 'validated_at',
      header: t('Date'),
      sortable: true,
      cell: (sale) => <DateText value={sale.validatedAt ?? sale.createdAt} className="whitespace-nowrap" />,
    },
  ];
  const columns = useTotals('commercial-contracts', history.data, ownColumns, totalLabels);
  return (
    <>
      <PageHeader
        title={t("Contrats d'affiliation")}
        description={t('Vos contrats signés, ce qu’ils vous rapportent, et ce que votre société doit encore valider.')}
      />
      <StaleNotice query={history} />
      <FigureGrid>
        <FigureCard
          label={t('Contrats validés')}
          value={cards?.validatedContractsCount.toLocaleString('fr-FR')}
          note={
            cards &&
            (cards.cancelledValidationsCount === 0
              ? t('par la société')
              : lessCancelledText(cards.validatedContractsCount, cards.cancelledValidationsCount, t))
          }
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('CA généré')}
          value={cards && <Amount cents={cards.validatedRevenue} />}
          note={cards && <ValidatedRevenueNote cards={cards} />}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Commissions gagnées')}
          tone={cards && cards.commissionsEarned > 0n ? 'yours' : 'plain'}
          value={cards && <Amount cents={cards.commissionsEarned} />}
          note={t('sur les contrats validés par la société')}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Commissions en attente')}
          value={cards && <Amount cents={cards.commissionsPending} />}
          note={cards && <Forecast cards={cards} />}
          failed={figures.isLoadingError}
        />
      </FigureGrid>
      <AwaitingContracts commercialId={profile.id} expectedCount={cards?.transmittedContractsCount} />
      {cards && cards.referralsCount > 0 && <OwnActivity commercialId={profile.id} openSection={openSection} />}
      <Card className="drawn-when-near mt-5">
        <DataTable
          name="historique-des-commissions"
          hiddenColumns={list.hiddenColumns}
          title={t('Historique des commissions')}
          caption={t('Historique des commissions')}
          columns={columns}
          rows={history.data?.rows}
          rowKey={(sale) => sale.id}
          failed={history.isLoadingError}
          onRetry={refresh}
          refreshing={history.isPlaceholderData || (history.isLoadingError && history.isFetching)}
          server={{
            page: history.data,
            onMove: list.setPage,
            sort: { id: sort, desc },
            onSortChange: (next) => list.set(sortSettings(next)),
          }}
          filters={
            hasTools && {
              ...filters,
              controls: (
                <>
                  <div className="w-44">
                    <Select
                      size="sm"
                      label={t('Filtrer par statut')}
                      value={state ?? 'toutes'}
                      onValueChange={(word) => list.set({ statut: word === 'toutes' ? undefined : word })}
                      options={[
                        { value: 'toutes', label: t('Tous les contrats') },
                        { value: 'gagnees', label: t('Commission gagnée') },
                        { value: 'en-attente', label: t('Commission en attente') },
                      ]}
                    />
                  </div>
                  <PeriodFilter list={list} label={t('Filtrer par date de validation')} />
                </>
              ),
            }
          }
          exporting={hasTools && <ExportMenu list="commercial-contracts" page={history.data} />}
          views={
            hasTools && (
              <Views
                list={list}
                label={t('Historique des commissions')}
                name="historique-des-commissions"
                brought={broughtViews}
              />
            )
          }
          empty={
            filters.count > 0 ? (
              <NothingFound description={t('Aucun contrat signé ne correspond.')} onClear={filters.clear} />
            ) : (
              <EmptyState
                icon={<FileSignature />}
                title={t('Aucun contrat signé pour le moment')}
                description={t(
                  'Un contrat signé apparaît ici avec votre commission, en attente puis gagnée, dès que vous passez son parrainage en « Contrat signé et validé » ou que la société le valide.',
                )}
                action={
                  <Button onClick={() => openSection('parrainages-recus', { statut: 'all' })}>
                    {t('Voir les parrainages')}
                  </Button>
                }
              />
            )
          }
        />
      </Card>
    </>
  );
}

const broughtViews = [
  { name: 'Validés ce mois-ci', settings: { periode: 'mois' } },
  { name: 'À valider par la société', settings: { statut: 'en-attente' } },
  { name: 'Les plus grosses commissions', settings: { tri: 'commercial_commission_amount' } },
];

const totalLabels = { contract_amount: ['Montant'], commercial_commission_amount: ['Commission'] };

/** Contracts transmitted and not yet signed are in no card: a line of their own, as CO-10 lists them (FX-64). */
function Forecast({ cards: { commissionsForecast, transmittedContractsCount } }: { cards: CommercialCards }) {
  const { t } = useTranslation();
  if (transmittedContractsCount === 0) return t('Contrats signés que la société doit encore valider');
  return (
    <>
      + <Amount cents={commissionsForecast} />{' '}
      {t('de prévision sur {{contracts}}', {
        contracts: countText(transmittedContractsCount, t('contrat transmis'), t('contrats transmis')),
      })}
    </>
  );
}

/** S-08: what the company has validated; what it must still validate is said beside. */
function ValidatedRevenueNote({ cards }: { cards: CommercialCards }) {
  const { t } = useTranslation();
  const toValidate = cards.revenue - cards.validatedRevenue;
  return (
    <>
      {toValidate === 0n ? t('rien à valider') : t('hors {{amount}} à valider', { amount: formatEuros(toValidate) })}{' '}
      <SumExplain
        title={t('CA généré')}
        lines={[
          { label: t('Contrats signés'), value: <Amount cents={cards.revenue} /> },
          { label: t('dont à valider par la société'), value: <Amount cents={-toValidate} /> },
        ]}
        result={{ label: t('Contrats validés'), value: <Amount cents={cards.validatedRevenue} /> }}
      >
        {t('Le montant des contrats que la société a validés, moins ceux dont elle a annulé la validation.')}
      </SumExplain>
    </>
  );
}

/** S-08: earned once the company has validated, pending before. */
function ContractStatus({ sale }: { sale: Sale }) {
  const { t } = useTranslation();
  if (isEarned(sale) || saleState(sale) === 'correction') return <SaleStatus sale={sale} audience="commercial" />;
  return (
    <Badge tone="purple" icon={<Hourglass aria-hidden />}>
      {t(awaitingCompanyValidation)}
    </Badge>
  );
}
