import type { CommissionPayment } from '@parrain/domain/commission';
import { useQuery } from '@tanstack/react-query';
import { HandCoins } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { allCommissionPaymentsQuery } from '#api/payments/all-commission-payments';
import { Amount } from '#ui/amount';
import { Card } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { StaleNotice } from '../../parts/stale-notice.tsx';

export interface CreditedCommissionsProps {
  /** The mark of the page on screen. */
  mark: string;
  onMove: (mark: string) => void;
  onOpenSale: (saleId: string) => void;
}

/** The rows behind « Commissions payées »: what each validation credited, to whom (RE-08, M-05). */
export function CreditedCommissions({ mark, onMove, onOpenSale }: CreditedCommissionsProps) {
  const { t } = useTranslation();
  const payments = useQuery(allCommissionPaymentsQuery(mark));
  const columns = useMemo(
    (): readonly DataColumn<CommissionPayment>[] => [
      {
        id: 'beneficiaire',
        header: t('Bénéficiaire'),
        cell: (payment) => <span className="break-words">{payment.recipientName ?? '—'}</span>,
      },
      {
        id: 'part',
        header: t('Part'),
        cell: (payment) => (payment.type === 'client' ? t('Client') : t('Commercial')),
      },
      {
        id: 'vente',
        header: t('Vente'),
        cell: (payment) => <span className="break-words">{payment.saleContactName ?? '—'}</span>,
      },
      {
        id: 'date',
        header: t('Date'),
        cell: (payment) => <DateText value={payment.paidAt ?? payment.createdAt} className="whitespace-nowrap" />,
      },
      {
        id: 'montant',
        header: t('Montant'),
        align: 'right',
        cell: (payment) => <Amount cents={payment.amount} className="font-medium" />,
      },
    ],
    [t],
  );
  return (
    <>
      <StaleNotice query={payments} />
      <Card>
        <DataTable<CommissionPayment>
          caption={t('Commissions créditées')}
          columns={columns}
          rows={payments.data?.rows}
          rowKey={(payment) => payment.id}
          failed={payments.isError && payments.data === undefined}
          onRetry={() => void payments.refetch()}
          refreshing={payments.isFetching}
          onRowOpen={(payment) => onOpenSale(payment.saleId)}
          server={{ page: payments.data, onMove }}
          empty={
            <EmptyState
              icon={<HandCoins />}
              title={t('Aucune commission créditée pour le moment')}
              description={t('Chaque contrat validé crédite ici le client parrain et le commercial.')}
            />
          }
        />
      </Card>
    </>
  );
}
