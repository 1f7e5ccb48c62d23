import { noPaymentRequest } from '@parrain/domain/messages';
import {
  canMovePaymentRequest,
  paymentMethodLabel,
  paymentRequestActionLabels,
  paymentRequestStatuses,
  type PaymentRequest,
} from '@parrain/domain/payment-request';
import { useQuery } from '@tanstack/react-query';
import { Landmark } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminFiguresQuery } from '#api/company/admin-figures';
import { allPaymentRequestsQuery, type AllPaymentRequestsAsked } from '#api/payments/all-payment-requests';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { PageHeader } from '#ui/page-header';
import { Tabs } from '#ui/tabs';
import { ofName } from '../../parts/of-name.ts';
import { EmailText } from '../../parts/email-text.tsx';
import { PaymentRequestStatus } from '../../parts/payment-request-status.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { DecisionDialog, decisionOrder, isBackward, type RequestDecision } from './decision-dialog.tsx';
import { RequestPanel } from './request-panel.tsx';

/** AD-10, S-09: the clients' payment requests, by status, each with the decisions its status allows. */
export default function DemandesDePaiement(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('demandes-de-paiement', props);
  const status = tabs.find((word) => word === list.get('statut')) ?? 'all';
  const requests = useQuery(allPaymentRequestsQuery({ status, page: list.page }));
  const { data: figures } = useQuery(adminFiguresQuery);
  const [decision, setDecision] = useState<RequestDecision>();
  const columns = useColumns(setDecision);
  const counts = { pending: figures?.requestsToDecideCount, approved: figures?.requestsToPayCount };
  const table = (
    <>
      <StaleNotice query={requests} />
      <Card>
        <DataTable<PaymentRequest>
          caption={t('Demandes de paiement')}
          columns={columns}
          rows={requests.data?.rows}
          rowKey={(request) => request.id}
          failed={requests.isError && requests.data === undefined}
          onRetry={() => void requests.refetch()}
          refreshing={requests.isFetching}
          onRowOpen={(request) => list.openRow(request.id)}
          server={{ page: requests.data, onMove: list.setPage }}
          empty={
            <EmptyState icon={<Landmark />} title={t(noPaymentRequest)} description={t(emptyDescriptions[status])} />
          }
        />
      </Card>
    </>
  );
  return (
    <>
      <PageHeader
        title={t('Demandes de Paiement')}
        description={t('Approuvez, payez par le moyen demandé, puis marquez la demande payée.')}
      />
      <Tabs<AllPaymentRequestsAsked['status']>
        label={t('Demandes par statut')}
        value={status}
        onValueChange={(word) => list.set({ statut: word === 'all' ? undefined : word })}
        items={tabs.map((word) => ({
          value: word,
          label: t(tabLabels[word]),
          count: word === 'pending' || word === 'approved' ? counts[word] : undefined,
          content: word === status && table,
        }))}
      />
      <RequestPanel requestId={list.openId} onClose={list.closeRow} />
      {decision && <DecisionDialog decision={decision} onClose={() => setDecision(undefined)} />}
    </>
  );
}

const tabs = ['all', ...paymentRequestStatuses] as const;

const tabLabels: Readonly<Record<AllPaymentRequestsAsked['status'], string>> = {
  all: 'Toutes',
  pending: 'En attente',
  approved: 'Approuvées',
  rejected: 'Refusées',
  paid: 'Payées',
};

const emptyDescriptions: Readonly<Record<AllPaymentRequestsAsked['status'], string>> = {
  all: 'Une demande arrive ici quand un client réclame ses commissions disponibles.',
  pending: 'Aucune demande n’attend votre décision.',
  approved: 'Aucune demande approuvée n’attend d’être payée.',
  rejected: 'Aucune demande n’a été refusée.',
  paid: 'Aucune demande n’a encore été payée.',
};

function useColumns(onDecide: (decision: RequestDecision) => void): readonly DataColumn<PaymentRequest>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'client',
        header: t('Client'),
        cell: (request) => (
          <span className="block max-w-64 min-w-0 break-words">
            {request.client?.fullName ?? '—'}
            {request.client && (
              <span className="block font-normal text-encre-soft max-sm:hidden">
                <EmailText email={request.client.email} />
              </span>
            )}
          </span>
        ),
      },
      {
        id: 'montant',
        header: t('Montant'),
        align: 'right',
        cell: (request) => <Amount cents={request.amount} className="font-medium" />,
      },
      { id: 'mode', header: t('Mode'), cell: (request) => t(paymentMethodLabel(request.paymentMethod)) },
      { id: 'statut', header: t('Statut'), cell: (request) => <PaymentRequestStatus status={request.status} /> },
      {
        id: 'date',
        header: t('Demandée le'),
        cell: (request) => <DateText value={request.createdAt} className="whitespace-nowrap" />,
      },
      {
        id: 'actions',
        header: t('Actions'),
        headerHidden: true,
        align: 'right',
        card: 'foot',
        cell: (request) => <RequestActions request={request} onDecide={onDecide} />,
      },
    ],
    [t, onDecide],
  );
}

/** The buttons that the state table allows: « Approuver » and « Refuser », or « Marquer payé » and « Annuler l'approbation » (S-09). */
function RequestActions({
  request,
  onDecide,
}: {
  request: PaymentRequest;
  onDecide: (decision: RequestDecision) => void;
}) {
  const { t } = useTranslation();
  const moves = decisionOrder.filter((to) => canMovePaymentRequest('admin', request.status, to));
  if (moves.length === 0) return null;
  return (
    <div className="flex justify-end gap-2 max-sm:w-full max-sm:[&>*]:grow">
      {moves.map((to) => (
        <Button
          key={to}
          size="sm"
          variant={isBackward(to) ? 'secondary' : 'primary'}
          aria-label={t('{{action}} la demande {{ofName}}', {
            action: paymentRequestActionLabels[to],
            ofName: ofName(request.client?.fullName ?? ''),
          })}
          onClick={() => onDecide({ request, to })}
        >
          {t(paymentRequestActionLabels[to])}
        </Button>
      ))}
    </div>
  );
}
