import { formatDateTime } from '@parrain/domain/date';
import { noPaymentRequest } from '@parrain/domain/messages';
import { isNever } from '@parrain/domain/never';
import { associationText, isOpen, type PaymentRequest } from '@parrain/domain/payment-request';
import { useQuery } from '@tanstack/react-query';
import { Landmark } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { clientFiguresQuery } from '#api/payments/client-figures';
import { ownChecksQuery } from '#api/payments/own-checks';
import { ownPaymentRequestsQuery } from '#api/payments/own-payment-requests';
import { payeeQuery } from '#api/payments/papers';
import { refresh } from '#api/transport/refresh';
import { firstPage } from '#api/transport/read-page';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { Notice } from '#ui/notice';
import { PageHeader } from '#ui/page-header';
import { countText } from '../../parts/count-text.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { ProofButton } from '../../parts/proof-button.tsx';
import { PaymentRequestStatus } from '../../parts/payment-request-status.tsx';
import { RequestExplain } from '../../parts/request-explain.tsx';
import { RequestMethod } from '../../parts/request-method.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { isBare, useListState } from '../../parts/use-list-state.ts';
import { VatNote } from '../../parts/vat-note.tsx';
import { ActionButton } from '../../shell/actions.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { clientActions } from '../actions.tsx';
import { BalanceExplain } from '../balance-explain.tsx';
import { DebtNotice } from '../debt-notice.tsx';
import { Upcoming } from '../../parts/upcoming.tsx';
import { useMayAsk } from '../wallet/may-ask.ts';
import { PaymentRequestDialog } from './payment-request-dialog.tsx';
import { useSendsMail } from '../../parts/use-sends-mail.ts';
import { lazyPart } from '#ui/lazy-part';

const OwnInvoice = lazyPart(() => import('../../parts/own-invoice.tsx'));
const LeavingDay = lazyPart(async () => ({ default: (await import('../wallet/money-note.tsx')).LeavingDay }));

/** « Demandes de Paiement » (CL-07, CL-08): what can be asked, what was asked, what came. */
export default function DemandesDePaiement(props: SectionProps) {
  const { openSection } = props;
  const { t } = useTranslation();
  const profile = useProfile();
  const list = useListState('demandes-de-paiement', props);
  const [asking, setAsking] = useState(false);
  const figures = useQuery(clientFiguresQuery(profile.id));
  const requests = useQuery(ownPaymentRequestsQuery({ clientId: profile.id, search: list.search, page: list.page }));
  const cards = figures.data;
  const newest = useQuery(ownPaymentRequestsQuery({ clientId: profile.id, search: '', page: firstPage }));
  const { mayAsk: canAsk, rules, obstacle } = useMayAsk(cards, list.openedAt);
  const payee = useQuery({ ...payeeQuery(profile.id), enabled: canAsk }).data;
  // CL-08: only where something is available.
  const ask = canAsk && (
    <ActionButton variant="primary" action={clientActions.askPayment} onRun={() => setAsking(true)} />
  );
  const columns: readonly DataColumn<PaymentRequest>[] = [
    {
      id: 'date',
      header: t('Demandée le'),
      cell: (request) => <DateText value={request.createdAt} className="whitespace-nowrap" />,
    },
    {
      id: 'method',
      header: t('Mode de paiement'),
      width: 'wide',
      cell: (request) => <RequestMethod request={request} />,
    },
    { id: 'status', header: t('Statut'), width: 'medium', cell: (request) => <Status request={request} /> },
    {
      id: 'amount',
      header: t('Montant'),
      align: 'right',
      cell: (request) => (
        <>
          <span className="inline-flex flex-wrap-reverse items-center justify-end gap-x-2">
            <RequestExplain request={request} />
            <Amount cents={request.amount} className="font-medium wide:inline-block wide:min-w-20 wide:text-right" />
          </span>
          <VatNote {...request} />
        </>
      ),
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
      <Upcoming held={cards?.held} />
      {obstacle !== null && <Notice className="mb-5">{obstacle}</Notice>}
      {payee?.isAsked === true && payee.details === null && (
        <Notice tone="warning" className="mb-5">
          <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            {t('Votre entreprise a besoin de vos informations légales avant de vous payer.')}
            <Button size="sm" onClick={() => openSection('documents')}>
              {t('Compléter les informations')}
            </Button>
          </span>
        </Notice>
      )}
      <FigureGrid>
        <FigureCard
          label={t('Montant disponible')}
          tone={canAsk ? 'yours' : 'plain'}
          value={cards && <Amount cents={cards.available} />}
          note={cards && <BalanceExplain cards={cards} />}
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
        <DataTable
          name="mes-demandes"
          title={t('Historique des demandes')}
          caption={t('Historique des demandes')}
          columns={columns}
          rows={requests.data?.rows}
          rowKey={(request) => request.id}
          failed={requests.isLoadingError}
          onRetry={refresh}
          refreshing={requests.isPlaceholderData || (requests.isLoadingError && requests.isFetching)}
          searchLabel={isBare(list, requests) ? undefined : t('Rechercher une demande')}
          server={{
            page: requests.data,
            onMove: list.setPage,
            search: list.typed,
            onSearchChange: list.setTyped,
          }}
          exporting={
            Boolean(requests.data?.rowCount) && <ExportMenu list="own-payment-requests" page={requests.data} />
          }
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
        rules={rules}
        held={cards?.held ?? 0n}
        asked={newest.data?.rows}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

/** FD-01: said where the company keeps what it checks; never what it checks. */
function UnderCheck({ requestId }: { requestId: string }) {
  const { t } = useTranslation();
  const { data: checked } = useQuery(ownChecksQuery);
  return checked?.has(requestId) && <p className="text-xs text-encre-soft">{t('Une vérification est en cours.')}</p>;
}

function Status({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  const why = request.rejectionReason ?? request.returnReason ?? request.approvalAnnulledReason;
  const ended = request.returnedAt ?? request.paidAt;
  return (
    <div className="min-w-0">
      <PaymentRequestStatus status={request.status} />
      {ended !== null && (
        <span className="text-sm whitespace-nowrap text-encre-faint max-wide:ml-2 wide:block wide:text-xs">
          {t('le')} <DateText value={ended} />
        </span>
      )}
      {request.status === 'approved' && <LeavingDay requestId={request.id} />}
      {request.status === 'pending' && <UnderCheck requestId={request.id} />}
      {isOpen(request) && request.ibanUsableFrom !== null && (
        <p className="text-xs text-amber">
          {t(
            isNever(request.ibanUsableFrom)
              ? 'La banque a refusé ce compte : dites à votre entreprise de refuser cette demande, et refaites-la vers un autre.'
              : sendsMail
                ? 'Nouvel IBAN : confirmez-le par l’e-mail reçu, ou il servira le {{when}}'
                : 'Nouvel IBAN : il servira le {{when}}',
            { when: formatDateTime(request.ibanUsableFrom) },
          )}
        </p>
      )}
      {request.settlement.reference !== null && (
        <p className="text-xs break-words text-encre-soft">
          {t('Référence :')} {request.settlement.reference}
          {request.settlement.association !== null && ` · ${associationText(request.settlement.association)}`}
        </p>
      )}
      {request.paymentMethod === 'virement' && (
        <OwnInvoice
          payment={{ requestId: request.id }}
          amount={request.amount}
          isDue={isOpen(request) && request.vat === null}
        />
      )}
      {request.settlement.proofName !== null && (
        <span className="mt-1 block">
          <ProofButton request={request} />
        </span>
      )}
      {why && (
        <p className="text-xs break-words text-encre-soft">
          {request.approvalAnnulledReason ? t('Approbation annulée :') : t('Motif :')} {why}
        </p>
      )}
    </div>
  );
}
