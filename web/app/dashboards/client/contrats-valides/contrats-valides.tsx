import { daysOf } from '@parrain/domain/period';
import { saleState, type Sale } from '@parrain/domain/sale';
import { useMutation, useQuery } from '@tanstack/react-query';
import { FileCheck, Printer } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import {
  readAllValidatedContracts,
  validatedContractSorts,
  validatedContractsQuery,
} from '#api/sales/validated-contracts';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { NothingFound } from '#ui/nothing-found';
import { Notice } from '#ui/notice';
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
import type { SectionProps } from '../../shell/sections.ts';
import { ContractsStatement } from './contracts-statement.tsx';

/** « Contrats Validés » (CL-05): what was signed thanks to me, and a statement to print or keep. */
export default function ContratsValides(props: SectionProps) {
  const { openSection } = props;
  const { t } = useTranslation();
  const profile = useProfile();
  const list = useListState('contrats-valides', props);
  const days = daysOf(list.get('periode'), list.openedAt);
  const sort = validatedContractSorts.find((column) => column === list.get('tri')) ?? 'validated_at';
  const desc = isDescending(list.get('sens'));
  const asked = { clientId: profile.id, search: list.search, days, sort, desc, page: list.page };
  const contracts = useQuery(validatedContractsQuery(asked));
  const isNarrowed = days !== null || !isBare(list, contracts);
  const filters = filtersOf(list, ['periode']);
  // The statement holds every contract, whatever the page on screen: it is read when it is asked for.
  const statement = useMutation({
    mutationFn: async () => ({ contracts: await readAllValidatedContracts(profile.id), at: new Date().toISOString() }),
  });
  const ownColumns: readonly DataColumn<Sale>[] = [
    { id: 'contact', header: t('Contact'), width: 'wide', cell: (sale) => <Contact sale={sale} /> },
    {
      id: 'commercial',
      header: t('Commercial'),
      width: 'medium',
      cell: (sale) => <Cell text={sale.commercialName} />,
    },
    {
      id: 'contract_amount',
      header: t('Montant'),
      sortable: true,
      align: 'right',
      cell: (sale) => sale.contractAmount !== null && <Amount cents={sale.contractAmount} />,
    },
    {
      id: 'validated_at',
      header: t('Validé le'),
      sortable: true,
      cell: (sale) => <DateText value={sale.validatedAt} className="whitespace-nowrap" />,
    },
    {
      id: 'client_commission_amount',
      header: t('Commission'),
      sortable: true,
      align: 'right',
      cell: (sale) =>
        sale.clientCommissionAmount !== null && (
          <ExplainedCommission amount={sale.clientCommissionAmount} sale={sale} side="client" />
        ),
    },
  ];
  const columns = useTotals('own-contracts', contracts.data, ownColumns, totalLabels);
  return (
    <>
      <PageHeader
        title={t('Contrats Validés')}
        description={t('Les contrats signés grâce à vous et validés par la société.')}
        actions={
          contracts.data !== undefined &&
          contracts.data.rowCount > 0 && (
            <Button icon={<Printer aria-hidden />} pending={statement.isPending} onClick={() => statement.mutate()}>
              {t('Imprimer le relevé')}
            </Button>
          )
        }
      />
      <StaleNotice query={contracts} />
      {statement.isError && (
        <Notice tone="error" className="mb-4">
          {messageOf(statement.error, t('Le relevé n’a pas pu être préparé. Réessayez.'))}
        </Notice>
      )}
      <Card>
        <DataTable
          name="contrats-valides"
          hiddenColumns={list.hiddenColumns}
          caption={t('Contrats Validés')}
          columns={columns}
          rows={contracts.data?.rows}
          rowKey={(sale) => sale.id}
          failed={contracts.isLoadingError}
          onRetry={() => void contracts.refetch()}
          refreshing={contracts.isPlaceholderData || (contracts.isLoadingError && contracts.isFetching)}
          searchLabel={isNarrowed ? t('Rechercher un contrat') : undefined}
          server={{
            page: contracts.data,
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
          exporting={isNarrowed && <ExportMenu list="own-contracts" page={contracts.data} />}
          views={
            isNarrowed && (
              <Views list={list} label={t('Contrats Validés')} name="contrats-valides" brought={broughtViews} />
            )
          }
          empty={
            days ? (
              <NothingFound description={t('Aucun contrat n’a été validé à ces dates.')} onClear={filters.clear} />
            ) : (
              <EmptyState
                icon={<FileCheck />}
                title={t('Aucun contrat validé pour le moment')}
                description={t(
                  'Quand un ami signe et que la société valide, le contrat et votre commission apparaissent ici.',
                )}
                action={<Button onClick={() => openSection('mes-parrainages')}>{t('Voir mes parrainages')}</Button>}
              />
            )
          }
        />
      </Card>
      {statement.data && (
        <ContractsStatement
          key={statement.data.at}
          {...statement.data}
          clientName={profile.fullName}
          onPrinted={statement.reset}
        />
      )}
    </>
  );
}

const broughtViews = [
  { name: 'Validés ce mois-ci', settings: { periode: 'mois' } },
  { name: 'Validés cette année', settings: { periode: 'annee' } },
];

const totalLabels = { contract_amount: ['Montant'], client_commission_amount: ['Commission'] };

function Contact({ sale }: { sale: Sale }) {
  if (saleState(sale) !== 'correction') {
    return <Cell text={sale.referredContactName} second={sale.contractDescription} className="font-medium" />;
  }
  return <Cell text={sale.referredContactName} className="font-medium" secondNode={<CancelledLine sale={sale} />} />;
}
