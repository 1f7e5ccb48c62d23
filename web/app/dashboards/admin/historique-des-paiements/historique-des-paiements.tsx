import { formatEuros } from '@parrain/domain/money';
import { paidByLabel, paidBys, paymentActLabels, type PaidBy } from '@parrain/domain/payment-made';
import { daysOf } from '@parrain/domain/period';
import { monthName } from '@parrain/domain/statement';
import { useQuery } from '@tanstack/react-query';
import { HandCoins } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paymentMadeSorts, paymentsMadeQuery, type PaymentMade } from '#api/payments/payments-made';
import { Amount } from '#ui/amount';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { NothingFound } from '#ui/nothing-found';
import { Select } from '#ui/select';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { isDescending, sortSettings } from '../../parts/list-sort.ts';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { filtersOf, useListState } from '../../parts/use-list-state.ts';
import { useTotals } from '../../parts/use-totals.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { PaymentTabs } from '../parts/payment-tabs.tsx';
import { PlaceLink } from '../parts/place-link.tsx';

const sectionId = 'historique-des-paiements';

/** PO-02, PO-05: every payment to clients and commercials, and what came back of them, as the ledger has it. */
export default function HistoriqueDesPaiements(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState(sectionId, props);
  const paidBy = paidBys.find((word) => word === list.get('moyen')) ?? null;
  const days = daysOf(list.get('periode'), list.openedAt);
  const sort = paymentMadeSorts.find((column) => column === list.get('tri')) ?? 'at';
  const desc = isDescending(list.get('sens'));
  const payments = useQuery(paymentsMadeQuery({ search: list.search, paidBy, days, sort, desc, page: list.page }));
  const columns = useTotals('payments-made', payments.data, useColumns(props), totalLabels);
  const isFiltered = paidBy !== null || days !== null || list.search !== '';
  const hasTools = isFiltered || Boolean(payments.data?.rowCount);
  const filters = filtersOf(list, ['moyen', 'periode']);
  return (
    <>
      <PaymentTabs
        {...props}
        current={sectionId}
        title={t('Historique des paiements')}
        description={t('Ce qui a été payé aux clients et aux commerciaux, et ce que la banque a renvoyé.')}
      />
      <StaleNotice query={payments} />
      <Card>
        <DataTable<PaymentMade>
          name="historique-des-paiements"
          hiddenColumns={list.hiddenColumns}
          caption={t('Historique des paiements')}
          columns={columns}
          rows={payments.data?.rows}
          rowKey={({ id }) => id}
          failed={payments.isError && payments.data === undefined}
          onRetry={() => void payments.refetch()}
          refreshing={payments.isFetching}
          onRowOpen={(payment) => props.openSection(...placeOf(payment))}
          rowHref={(payment) => props.hrefOf(...placeOf(payment))}
          searchLabel={t('Rechercher un paiement')}
          server={{
            page: payments.data,
            onMove: list.setPage,
            sort: { id: sort, desc },
            onSortChange: (next) => list.set(sortSettings(next)),
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          filters={
            hasTools && {
              ...filters,
              controls: (
                <>
                  <div className="w-44">
                    <Select<PaidBy | 'all'>
                      size="sm"
                      label={t('Filtrer par moyen de paiement')}
                      value={paidBy ?? 'all'}
                      onValueChange={(word) => list.set({ moyen: word === 'all' ? undefined : word })}
                      options={[
                        { value: 'all', label: t('Tous les moyens') },
                        ...paidBys.map((word) => ({ value: word, label: t(paidByLabel(word)) })),
                      ]}
                    />
                  </div>
                  <PeriodFilter list={list} label={t('Filtrer par date de paiement')} />
                </>
              ),
            }
          }
          exporting={hasTools && <ExportMenu list="payments-made" page={payments.data} />}
          empty={
            isFiltered ? (
              <NothingFound description={t('Aucun paiement ne correspond à ces filtres.')} onClear={filters.clear} />
            ) : (
              <EmptyState
                icon={<HandCoins />}
                title={t('Aucun paiement pour le moment')}
                description={t('Une demande payée ou un mois payé à un commercial s’inscrit ici.')}
              />
            )
          }
        />
      </Card>
    </>
  );
}

const totalLabels = { amount: ['Montant'] };

/** The request that was paid, or the commercial's month. */
function placeOf({ sourceId, month }: PaymentMade): [section: string, detail: Readonly<Record<string, string>>] {
  return month === null
    ? ['demandes-de-paiement', { demande: sourceId }]
    : ['commissions-des-commerciaux', { mois: month.slice(0, 7) }];
}

function useColumns({ hrefOf }: Pick<SectionProps, 'hrefOf'>): readonly DataColumn<PaymentMade>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'beneficiaire',
        header: t('Bénéficiaire'),
        width: 'wide',
        cell: (payment) => (
          <Cell text={payment.payeeName} second={payment.payeeRole === 'commercial' ? t('Commercial') : t('Client')} />
        ),
      },
      {
        id: 'at',
        header: t('Date'),
        sortable: true,
        cell: (payment) => <DateText value={payment.at} className="whitespace-nowrap" />,
      },
      {
        id: 'operation',
        header: t('Opération'),
        width: 'medium',
        cell: (payment) => (
          <Cell
            text={t(paymentActLabels[payment.act])}
            second={
              payment.reason ?? (payment.month === null ? t(paidByLabel(payment.paidBy)) : monthName(payment.month))
            }
          />
        ),
      },
      {
        id: 'virement',
        header: t('Référence'),
        // The request says it.
        card: 'hidden',
        cell: (payment) => {
          if (payment.batchId !== null) {
            return (
              <PlaceLink to={hrefOf('virements', { virement: payment.batchId })}>
                {t('Virement n° {{number}}', { number: payment.batchNumber })}
              </PlaceLink>
            );
          }
          return payment.reference === null ? (
            <span className="text-encre-faint">—</span>
          ) : (
            <span className="wrap-anywhere">{payment.reference}</span>
          );
        },
      },
      {
        id: 'amount',
        header: t('Montant'),
        align: 'right',
        sortable: true,
        cell: ({ amount, vatAmount }) => (
          <>
            <Amount cents={amount} className={amount < 0n ? 'font-medium text-danger' : 'font-medium'} />
            {vatAmount !== null && (
              <span className="block text-sm text-encre-soft">
                {t('et {{vat}} de TVA', { vat: formatEuros(vatAmount) })}
              </span>
            )}
          </>
        ),
      },
    ],
    [t, hrefOf],
  );
}
