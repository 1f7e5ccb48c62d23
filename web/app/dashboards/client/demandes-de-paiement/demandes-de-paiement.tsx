import { noPaymentRequest } from '@parrain/domain/messages';
import { paymentDetailLines, paymentMethodLabel, type PaymentRequest } from '@parrain/domain/payment-request';
import { useQuery } from '@tanstack/react-query';
import { HandCoins, Landmark } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clientFiguresQuery } from '#api/payments/client-figures';
import { ownPaymentRequestsQuery } from '#api/payments/own-payment-requests';
import { refresh } from '#api/transport/refresh';
import { firstPage } from '#api/transport/read-page';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { PageHeader } from '#ui/page-header';
import { countText } from '../../parts/count-text.ts';
import { PaymentRequestStatus } from '../../parts/payment-request-status.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { DebtNotice } from '../debt-notice.tsx';
import { PaymentRequestDialog } from './payment-request-dialog.tsx';

/** « Demandes de Paiement » (CL-07, CL-08): what can be asked, what was asked, what came. */
export default function DemandesDePaiement({ openSection }: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const [page, setPage] = useState(firstPage);
  const [asking, setAsking] = useState(false);
  const figures = useQuery(clientFiguresQuery(profile.id));
  const requests = useQuery(ownPaymentRequestsQuery(profile.id, page));
  const cards = figures.data;
  const waiting = useQuery(ownPaymentRequestsQuery(profile.id, firstPage)).data?.rows.filter(
    ({ status }) => status === 'pending',
  );
  const canAsk = cards !== undefined && cards.available > 0n;
  // CL-08: only where something is available.
  const ask = canAsk && (
    <Button variant="primary" icon={<HandCoins aria-hidden />} onClick={() => setAsking(true)}>
      {t('Nouvelle demande de paiement')}
    </Button>
  );
  const columns: readonly DataColumn<PaymentRequest>[] = [
    {
      id: 'date',
      header: t('Demandée le'),
      cell: (request) => <DateText value={request.createdAt} className="whitespace-nowrap" />,
    },
    { id: 'method', header: t('Mode de paiement'), cell: (request) => <Method request={request} /> },
    { id: 'status', header: t('Statut'), cell: (request) => <Status request={request} /> },
    {
      id: 'amount',
      header: t('Montant'),
      align: 'right',
      card: 'title',
      cell: (request) => <Amount cents={request.amount} className="font-medium" />,
    },
  ];
  return (
    <>
      <PageHeader
        title={t('Demandes de Paiement')}
        description={t('Demandez tout ou partie de vos commissions disponibles.')}
        actions={ask}
      />
      <StaleNotice query={requests} />
      <DebtNotice debt={cards?.debt} />
      <FigureGrid>
        <FigureCard
          label={t('Montant disponible')}
          tone={canAsk ? 'yours' : 'plain'}
          value={cards && <Amount cents={cards.available} />}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Demandes en cours')}
          value={cards && <Amount cents={cards.requestsInProgress} />}
          note={cards && countText(cards.requestsInProgressCount, t('demande'), t('demandes'))}
          failed={figures.isLoadingError}
        />
        <FigureCard
          label={t('Paiements reçus')}
          value={cards && <Amount cents={cards.paymentsReceived} />}
          failed={figures.isLoadingError}
        />
      </FigureGrid>
      <Card className="mt-5">
        <CardHeader title={t('Historique des demandes')} level={3} />
        <DataTable
          caption={t('Historique des demandes')}
          columns={columns}
          rows={requests.data?.rows}
          rowKey={(request) => request.id}
          failed={requests.isLoadingError}
          onRetry={refresh}
          refreshing={requests.isPlaceholderData || (requests.isLoadingError && requests.isFetching)}
          server={{ page: requests.data, onMove: setPage }}
          empty={
            <EmptyState
              icon={<Landmark />}
              title={t(noPaymentRequest)}
              description={
                canAsk
                  ? t('Vos commissions validées sont à vous : demandez-en le paiement quand vous voulez.')
                  : t('Vos commissions pourront être demandées dès que la société aura validé un contrat.')
              }
              action={
                ask || <Button onClick={() => openSection('mes-commissions')}>{t('Voir mes commissions')}</Button>
              }
            />
          }
        />
      </Card>
      <PaymentRequestDialog
        open={asking}
        available={cards?.available ?? 0n}
        waiting={waiting}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

function Method({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  return (
    <div className="min-w-0 lg:max-w-96">
      <p>{t(paymentMethodLabel(request.paymentMethod))}</p>
      {paymentDetailLines(request.paymentDetails).map((line) => (
        <p key={line.label} className="text-sm break-words whitespace-pre-line text-encre-faint">
          <span className="sr-only">{line.label} : </span>
          {line.value}
        </p>
      ))}
    </div>
  );
}

function Status({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  return (
    <div className="min-w-0 lg:max-w-72">
      <PaymentRequestStatus status={request.status} />
      {request.paidAt !== null && (
        <p className="mt-1 text-sm text-encre-faint">
          {t('le')} <DateText value={request.paidAt} />
        </p>
      )}
      {request.rejectionReason && (
        <p className="mt-1 text-sm break-words text-encre-soft">
          {t('Motif :')} {request.rejectionReason}
        </p>
      )}
      {request.approvalAnnulledReason && (
        <p className="mt-1 text-sm break-words whitespace-pre-line text-encre-soft">
          {t('Approbation annulée :')} {request.approvalAnnulledReason}
        </p>
      )}
    </div>
  );
}
