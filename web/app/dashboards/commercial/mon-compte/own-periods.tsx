import { monthsOf } from '@parrain/domain/period';
import { monthName } from '@parrain/domain/statement';
import { useQuery } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ownPeriodsQuery, type CommissionPeriod } from '#api/payments/commission-periods';
import { firstPage } from '#api/transport/read-page';
import { refresh } from '#api/transport/refresh';
import { Card } from '#ui/card';
import { DataTable } from '#ui/data-table';
import { EmptyState } from '#ui/empty-state';
import { lazyPart } from '#ui/lazy-part';
import { commissionPeriodColumns } from '../../parts/commission-period-columns.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';

const OwnInvoice = lazyPart(() => import('../../parts/own-invoice.tsx'));

/** PO-05: what each month brought to the commercial, and whether it is paid. */
export function OwnPeriods({ payeeId }: { payeeId: string }) {
  const { t } = useTranslation();
  const [page, setPage] = useState(firstPage);
  const periods = useQuery(ownPeriodsQuery(payeeId, page));
  const [last] = useState(() => monthsOf('mois-dernier', new Date()).fromMonth);
  const found = periods.data?.rows;
  // What waits is said once, on the last month that is over: it has what those before it left.
  const rows = useMemo(
    () =>
      found?.map((period): CommissionPeriod =>
        period.status === 'due' && period.month < last ? { ...period, status: 'carried' } : period,
      ),
    [found, last],
  );
  return (
    <Card className="mt-5">
      <StaleNotice query={periods} />
      <DataTable<CommissionPeriod>
        title={t('Mes commissions par mois')}
        caption={t('Mes commissions par mois')}
        columns={[
          {
            id: 'mois',
            header: t('Mois'),
            cell: ({ month }) => (
              <span className="inline-block font-medium first-letter:uppercase">{monthName(month)}</span>
            ),
          },
          ...commissionPeriodColumns(t),
          // AC-04: of who writes their own invoices.
          ...(rows?.some(({ invoice }) => invoice !== null) === true
            ? [
                {
                  id: 'facture',
                  header: t('Facture'),
                  // It names itself; a card of who sends none has no empty line.
                  card: 'foot' as const,
                  cell: ({ month, due, status, invoice }: CommissionPeriod) =>
                    invoice !== null && (
                      <OwnInvoice payment={{ payeeId, month }} amount={due} isDue={status === 'due'} />
                    ),
                },
              ]
            : []),
        ]}
        rows={rows}
        rowKey={({ month }) => month}
        failed={periods.isLoadingError}
        onRetry={refresh}
        refreshing={periods.isPlaceholderData || (periods.isLoadingError && periods.isFetching)}
        server={{ page: periods.data, onMove: setPage }}
        empty={<EmptyState icon={<CalendarClock />} title={t('Aucun mois pour le moment')} />}
      />
    </Card>
  );
}
