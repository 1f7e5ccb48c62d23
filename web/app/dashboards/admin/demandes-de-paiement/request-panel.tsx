import {
  canMovePaymentRequest,
  paymentDetailLines,
  paymentMethodLabel,
  paymentRequestActionLabels,
  type PaymentRequest,
} from '@parrain/domain/payment-request';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { Eye, SearchX } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paymentRequestQuery } from '#api/payments/all-payment-requests';
import { isGone, messageOf } from '#api/transport/api-error';
import { paymentRequestDetailsQuery } from '#api/payments/payment-request-details';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { CopyButton } from '#ui/copy-button';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { ErrorState } from '#ui/error-state';
import { Facts } from '#ui/facts';
import { Notice } from '#ui/notice';
import { SidePanel } from '#ui/side-panel';
import { Skeleton } from '#ui/skeleton';
import { EmailText } from '../../parts/email-text.tsx';
import { PaymentRequestStatus } from '../../parts/payment-request-status.tsx';
import { useLast } from '../../parts/use-last.ts';
import { AuditTimeline } from '../parts/audit-timeline.tsx';
import { DecisionDialog, decisionOrder, isBackward, type RequestDecision } from './decision-dialog.tsx';

export interface RequestPanelProps {
  requestId: string | undefined;
  onClose: () => void;
}

/** AD-10: a request with what is needed to pay it, its decisions and its history. */
export function RequestPanel({ requestId, onClose }: RequestPanelProps) {
  const { t } = useTranslation();
  const shownId = useLast(requestId);
  const query = useQuery({ ...paymentRequestQuery(shownId ?? ''), enabled: requestId !== undefined });
  const [decision, setDecision] = useState<RequestDecision>();
  const request = query.data;
  const moves = request ? decisionOrder.filter((to) => canMovePaymentRequest('admin', request.status, to)) : [];
  return (
    <SidePanel
      open={requestId !== undefined}
      onOpenChange={onClose}
      title={request?.client?.fullName ?? t('Demande de paiement')}
      subtitle={
        shownId !== undefined && <span className="figures">{t('Demande {{id}}', { id: shortId(shownId) })}</span>
      }
      footer={
        request &&
        moves.length > 0 &&
        moves.map((to) => (
          <Button
            key={to}
            variant={isBackward(to) ? 'secondary' : 'primary'}
            onClick={() => setDecision({ request, to })}
          >
            {t(paymentRequestActionLabels[to])}
          </Button>
        ))
      }
    >
      {request === undefined ? (
        query.isError ? (
          isGone(query.error) ? (
            <EmptyState icon={<SearchX />} title={t("Cette demande n'existe plus")} />
          ) : (
            <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />
          )
        ) : (
          <div role="status" className="flex flex-col gap-4">
            <span className="sr-only">{t('Chargement : demande de paiement')}</span>
            <Skeleton className="h-7 w-40" />
            <Skeleton className="h-48 w-full" />
          </div>
        )
      ) : (
        <div className="flex flex-col gap-7">
          <section className="flex flex-col gap-4">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <PaymentRequestStatus status={request.status} />
              <Amount cents={request.amount} className="font-heading text-xl font-semibold" />
            </div>
            {request.rejectionReason !== null && (
              <Notice tone="error" title={t('Raison du refus')}>
                <span className="break-words">{request.rejectionReason}</span>
              </Notice>
            )}
            {request.approvalAnnulledReason !== null && (
              <Notice tone="warning" title={t('Approbation annulée')}>
                <span className="break-words whitespace-pre-line">{request.approvalAnnulledReason}</span>
              </Notice>
            )}
            <Facts items={factsOf(request, t)} />
          </section>
          <PaymentDetails request={request} />
          <section>
            <h3 className="mb-3 text-lg">{t('Historique')}</h3>
            <AuditTimeline entity="payment_requests" entityId={request.id} />
          </section>
          {decision && <DecisionDialog decision={decision} onClose={() => setDecision(undefined)} />}
        </div>
      )}
    </SidePanel>
  );
}

function factsOf(request: PaymentRequest, t: (key: string) => string) {
  return [
    { label: t('Email'), value: request.client ? <EmailText email={request.client.email} /> : '—' },
    {
      label: t('Téléphone'),
      value: request.client?.phone ?? <span className="font-normal text-encre-faint">{t('Non renseigné')}</span>,
    },
    { label: t('Demandée le'), value: <DateText value={request.createdAt} withTime /> },
    ...(request.approvedAt === null
      ? []
      : [{ label: t('Approuvée le'), value: <DateText value={request.approvedAt} withTime /> }]),
    ...(request.paidAt === null ? [] : [{ label: t('Payée le'), value: <DateText value={request.paidAt} withTime /> }]),
    ...(request.adminNotes === null
      ? []
      : [{ label: t('Notes'), value: <span className="whitespace-pre-line">{request.adminNotes}</span> }]),
  ];
}

/** How to pay. A bank account is masked until it is asked for, for each reading in clear is in the audit trail (V-18). */
function PaymentDetails({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  const sealed = request.paymentDetails.method === 'virement';
  const [asked, setAsked] = useState(false);
  const clear = useQuery({
    ...paymentRequestDetailsQuery(request.id, request.paymentMethod),
    enabled: sealed && asked,
  });
  const lines = paymentDetailLines(clear.data ?? request.paymentDetails);
  return (
    <section>
      <h3 className="mb-1 text-lg">{t(paymentMethodLabel(request.paymentMethod))}</h3>
      <Facts
        items={lines.map(({ label, value }) => ({
          label: t(label),
          value:
            label === 'IBAN' ? (
              <span className="flex flex-wrap items-center justify-end gap-2">
                <span className="figures">{clear.data ? groupedIban(value) : value}</span>
                {clear.data && <CopyButton text={value} label={t('Copier')} />}
              </span>
            ) : (
              <span className="flex flex-wrap items-center justify-end gap-2">
                <span className="min-w-0 break-words whitespace-pre-line">{value || '—'}</span>
                {clear.data && value !== '' && <CopyButton text={value} label={t('Copier')} />}
              </span>
            ),
        }))}
      />
      {lines.length === 0 && <p className="text-encre-soft">{t('Aucune coordonnée à renseigner pour ce mode.')}</p>}
      {sealed && (
        <div className="mt-2 flex flex-col items-start gap-2">
          {clear.isError && <Notice tone="error">{messageOf(clear.error, t('Le chargement a échoué'))}</Notice>}
          {clear.data === undefined && (
            <Button
              size="sm"
              icon={<Eye />}
              pending={clear.isFetching}
              onClick={() => (clear.isError ? void clear.refetch() : setAsked(true))}
            >
              {t("Afficher l'IBAN complet")}
            </Button>
          )}
          <p className="text-sm text-encre-faint">{t('Chaque consultation est inscrite au journal.')}</p>
        </div>
      )}
    </section>
  );
}

/** « FR76 3000 6000… »: groups of four, as on paper. */
function groupedIban(iban: string): string {
  return iban.replace(/\s/g, '').replace(/(.{4})(?=.)/g, '$1\u00a0');
}
