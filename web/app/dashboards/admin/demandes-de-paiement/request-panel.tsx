import {
  associationText,
  isOpen,
  paymentRequestActionLabels,
  type PaymentRequest,
} from '@parrain/domain/payment-request';
import { isNever } from '@parrain/domain/never';
import { accountRefused } from '@parrain/domain/payment-batch';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paymentRequestQuery } from '#api/payments/all-payment-requests';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Facts } from '#ui/facts';
import { lazyPart } from '#ui/lazy-part';
import { Notice } from '#ui/notice';
import { SidePanel, type Neighbours } from '#ui/side-panel';
import { AbsentRecord } from '../../parts/absent-record.tsx';
import { EmailText } from '../../parts/email-text.tsx';
import { PaymentRequestStatus } from '../../parts/payment-request-status.tsx';
import { RequestExplain } from '../../parts/request-explain.tsx';
import { useLast } from '../../parts/use-last.ts';
import { VatNote } from '../../parts/vat-note.tsx';
import { AuditTimeline } from '../parts/audit-timeline.tsx';
import { DoubtNotice } from '../parts/doubt-notice.tsx';
import { LiftDialog, liftLabel } from '../parts/lift-dialog.tsx';
import { PersonLink } from '../parts/person-link.tsx';
import { StandingNotice } from '../parts/standing.tsx';
import { DecisionDialog, decisionsOn, isBackward, type RequestDecision } from './decision-dialog.tsx';
import { PaymentDetails } from './payment-details.tsx';
import { Proof } from './proof.tsx';
import { SettlementPart } from './settlement.tsx';

const PayeeInvoices = lazyPart(() => import('../parts/payee-invoices.tsx'));

export interface RequestPanelProps {
  requestId: string | undefined;
  onClose: () => void;
  neighbours?: Neighbours | undefined;
}

/** AD-10: a request with what is needed to pay it, its decisions and its history. */
export function RequestPanel({ requestId, onClose, neighbours }: RequestPanelProps) {
  const { t } = useTranslation();
  const shownId = useLast(requestId);
  const query = useQuery({ ...paymentRequestQuery(shownId ?? ''), enabled: requestId !== undefined });
  const [decision, setDecision] = useState<RequestDecision>();
  const request = query.data;
  const moves = request ? decisionsOn(request) : [];
  return (
    <SidePanel
      open={requestId !== undefined}
      onOpenChange={onClose}
      neighbours={neighbours}
      title={request?.client?.fullName ?? t('Demande de paiement')}
      subtitle={
        shownId !== undefined && <span className="tabular-digits">{t('Demande {{id}}', { id: shortId(shownId) })}</span>
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
        <AbsentRecord
          query={query}
          goneTitle={t('Cette demande n’existe plus')}
          goneDescription={t('Elle a été supprimée, ou cette adresse ne mène à aucune demande.')}
          onClose={onClose}
          loading={t('Chargement : demande de paiement')}
          skeletons={['h-7 w-40', 'h-48 w-full']}
        />
      ) : (
        <div className="flex flex-col gap-7">
          <section className="flex flex-col gap-4">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <PaymentRequestStatus status={request.status} />
              <div>
                <span className="flex flex-wrap items-center justify-end gap-x-2">
                  <RequestExplain request={request} />
                  <Amount cents={request.amount} className="font-heading text-xl font-semibold" />
                </span>
                <VatNote {...request} />
              </div>
            </div>
            <StandingNotice
              standing={request.standing}
              decision={request.status === 'pending' ? 'approved' : 'paid'}
              clientId={request.clientId}
            />
            {!isOpen(request) && <DoubtNotice about="request_id" id={request.id} />}
            {request.rejectionReason !== null && (
              <Notice tone="error" title={t('Raison du refus')}>
                <span className="break-words">{request.rejectionReason}</span>
              </Notice>
            )}
            {request.returnReason !== null && (
              <Notice tone="error" title={t('Revenu de la banque')}>
                <span className="break-words">{request.returnReason}</span>
              </Notice>
            )}
            {!isOpen(request) && isNever(request.ibanUsableFrom) && <RefusedAccount request={request} />}
            {request.approvalAnnulledReason !== null && (
              <Notice tone="warning" title={t('Approbation annulée')}>
                <span className="break-words whitespace-pre-line">{request.approvalAnnulledReason}</span>
              </Notice>
            )}
            <Facts items={factsOf(request, t)} />
          </section>
          {request.paymentMethod === 'virement' && (
            <PayeeInvoices payment={{ requestId: request.id }} payeeId={request.clientId} />
          )}
          <PaymentDetails request={request} />
          {request.status === 'paid' && <SettlementPart key={request.version} request={request} />}
          {request.status === 'paid' && <Proof request={request} />}
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

/** AC-09: the account that the bank refused, and the way to pay it again where the bank erred. */
function RefusedAccount({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Notice tone="warning">
      <p className="mb-3">{t(accountRefused)}</p>
      <Button size="sm" onClick={() => setIsAsked(true)}>
        {t(liftLabel(true))}
      </Button>
      {isAsked && (
        <LiftDialog
          id={request.id}
          name={request.client?.fullName ?? ''}
          isRefused
          description={t(accountRefused)}
          onClose={() => setIsAsked(false)}
        />
      )}
    </Notice>
  );
}

function factsOf(request: PaymentRequest, t: (key: string) => string) {
  return [
    {
      label: t('Client'),
      value: request.client ? (
        <PersonLink role="client" id={request.clientId}>
          {request.client.fullName}
        </PersonLink>
      ) : (
        '—'
      ),
    },
    { label: t('E-mail'), value: request.client ? <EmailText email={request.client.email} /> : '—' },
    {
      label: t('Téléphone'),
      value: request.client?.phone ?? <span className="font-normal text-encre-faint">{t('Non renseigné')}</span>,
    },
    { label: t('Demandée le'), value: <DateText value={request.createdAt} withTime /> },
    ...(request.approvedAt === null
      ? []
      : [{ label: t('Approuvée le'), value: <DateText value={request.approvedAt} withTime /> }]),
    ...(request.paidAt === null ? [] : [{ label: t('Payée le'), value: <DateText value={request.paidAt} withTime /> }]),
    ...(request.returnedAt === null
      ? []
      : [{ label: t('Revenue le'), value: <DateText value={request.returnedAt} withTime /> }]),
    ...(request.settlement.reference === null
      ? []
      : [{ label: t('Référence'), value: <span className="break-words">{request.settlement.reference}</span> }]),
    ...(request.settlement.association === null
      ? []
      : [
          {
            label: t('Reçu par'),
            value: <span className="break-words">{associationText(request.settlement.association)}</span>,
          },
        ]),
    ...(request.adminNotes === null
      ? []
      : [{ label: t('Notes'), value: <span className="whitespace-pre-line">{request.adminNotes}</span> }]),
  ];
}
