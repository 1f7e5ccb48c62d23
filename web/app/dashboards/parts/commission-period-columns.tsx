import type { TFunction } from 'i18next';
import type { CommissionPeriod } from '#api/payments/commission-periods';
import { Amount } from '#ui/amount';
import type { DataColumn } from '#ui/data-table';
import { VatNote } from './vat-note.tsx';
import { CommissionPeriodStatusBadge } from './commission-period-status.tsx';

/** Columns of a commercial's month, for both who pay it and who receive it (PO-05). */
export function commissionPeriodColumns(t: TFunction): readonly DataColumn<CommissionPeriod>[] {
  return [
    {
      id: 'report',
      header: t('Report'),
      align: 'right',
      cell: (period) => <Amount cents={period.carried} signed />,
    },
    {
      id: 'commissions',
      header: t('Commissions du mois'),
      align: 'right',
      cell: (period) => <Amount cents={period.moved} signed />,
    },
    {
      id: 'solde',
      header: t('Solde du mois'),
      align: 'right',
      cell: ({ due, vat, status }) => (
        <>
          <Amount cents={due} className={due < 0n ? 'font-medium text-danger' : 'font-medium'} />
          {/* A month carried on is paid with a later one, which says the VAT of both. */}
          {status !== 'carried' && <VatNote amount={due} vat={vat} />}
        </>
      ),
    },
    { id: 'etat', header: t('État'), cell: (period) => <CommissionPeriodStatusBadge period={period} /> },
  ];
}
