import type { CommissionPayment } from '@parrain/domain/commission';
import { daysOf } from '@parrain/domain/period';
import { useQuery } from '@tanstack/react-query';
import { HandCoins } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { allCommissionPaymentsQuery, commissionPaymentSorts } from '#api/payments/all-commission-payments';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { NothingFound } from '#ui/nothing-found';
import { ExplainedCommission } from '../../parts/explained-commission.tsx';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, type ListState } from '../../parts/use-list-state.ts';
import { useTotals } from '../../parts/use-totals.tsx';
import { Views } from '../../parts/views.tsx';

export interface CreditedCommissionsProps {
  list: ListState;
  onOpenSale: (saleId: string) => void;
  saleHref: (saleId: string) => string;
}

/** The rows behind « Commissions payées »: what each validation credited, to whom (RE-08, M-05). */
export function CreditedCommissions({ list, onOpenSale, saleHref }: CreditedCommissionsProps) {
  const { t } = useTranslation();
  const days = daysOf(list.get('periode'), list.openedAt);
  const sort = commissionPaymentSorts.find((column) => column === list.get('tri')) ?? 'created_at';
  const desc = isDescending(list.get('sens'));
  const payments = useQuery(allCommissionPaymentsQuery({ days, sort, desc, page: list.page }));
  const ownColumns = useMemo(
    (): readonly DataColumn<CommissionPayment>[] => [
      {
        id: 'beneficiaire',
        header: t('Bénéficiaire'),
        width: 'wide',
        cell: (payment) => <Cell text={payment.recipientName} />,
      },
      {
        id: 'part',
        header: t('Part'),
        cell: (payment) => (payment.type === 'client' ? t('Client') : t('Commercial')),
      },
      {
        id: 'vente',
        header: t('Vente'),
        width: 'wide',
        cell: (payment) => <Cell text={payment.saleContactName} />,
      },
      {
        id: 'created_at',
        header: t('Date'),
        sortable: true,
        cell: (payment) => <DateText value={payment.paidAt ?? payment.createdAt} className="whitespace-nowrap" />,
      },
      {
        id: 'amount',
        header: t('Montant'),
        sortable: true,
        align: 'right',
        cell: (payment) => (
          <ExplainedCommission
            amount={payment.amount}
            saleId={payment.saleId}
            of={[payment.recipientName, payment.saleContactName].filter(Boolean).join(', ')}
            side={payment.type}
          />
        ),
      },
    ],
    [t],
  );
  const filters = filtersOf(list, ['periode']);
  const columns = useTotals('commission-payments', payments.data, ownColumns, totalLabels);
  return (
    <>
      <StaleNotice query={payments} />
      <Card>
        <DataTable<CommissionPayment>
          name="commissions-creditees"
          hiddenColumns={list.hiddenColumns}
          caption={t('Commissions créditées')}
          columns={columns}
          rows={payments.data?.rows}
          rowKey={(payment) => payment.id}
          failed={payments.isError && payments.data === undefined}
          onRetry={() => void payments.refetch()}
          refreshing={payments.isFetching}
          onRowOpen={(payment) => onOpenSale(payment.saleId)}
          rowHref={(payment) => saleHref(payment.saleId)}
          server={{
            page: payments.data,
            onMove: list.setPage,
            sort: { id: sort, desc },
            onSortChange: (next) => list.set(sortSettings(next)),
          }}
          filters={{
            ...filters,
            controls: <PeriodFilter list={list} label={t('Filtrer par date')} />,
          }}
          exporting={Boolean(payments.data?.rowCount) && <ExportMenu list="commission-payments" page={payments.data} />}
          views={
            <Views list={list} label={t('Commissions créditées')} name="commissions-creditees" brought={broughtViews} />
          }
          empty={
            days ? (
              <NothingFound
                description={t('Aucune commission n’a été créditée à ces dates.')}
                onClear={filters.clear}
              />
            ) : (
              <EmptyState
                icon={<HandCoins />}
                title={t('Aucune commission créditée pour le moment')}
                description={t('Chaque contrat validé crédite ici le client parrain et le commercial.')}
              />
            )
          }
        />
      </Card>
    </>
  );
}

const broughtViews = [
  { name: 'Créditées ce mois-ci', settings: { vue: 'creditees', periode: 'mois' } },
  { name: 'Les plus grosses d’abord', settings: { vue: 'creditees', tri: 'amount' } },
];

const totalLabels = { amount: ['Montant'] };
