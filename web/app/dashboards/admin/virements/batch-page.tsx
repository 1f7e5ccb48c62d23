import { bankRejection } from '@parrain/domain/sepa';
import { refusalReasonRequired } from '@parrain/domain/messages';
import { formatEuros } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { standingLabel } from '@parrain/domain/standing-words';
import { monthName } from '@parrain/domain/statement';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft, Download, FileUp, ListOrdered, SearchX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { leaveBatch, sendBatch, settleBatch } from '#api/payments/batch-acts';
import { batchLinesQuery, batchQuery, type Batch, type BatchLine } from '#api/payments/batches';
import { isGone, reasonOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { Facts } from '#ui/facts';
import { useToast } from '#ui/toast';
import { lazyPart } from '#ui/lazy-part';
import { countText } from '../../parts/count-text.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { AuditTimeline } from '../parts/audit-timeline.tsx';
import { PaymentTabs } from '../parts/payment-tabs.tsx';
import { ReasonDialog } from '../parts/reason-dialog.tsx';
import { PaymentDayField, usePaymentDay } from '../parts/payment-day.tsx';
import { ReturnDialog } from '../parts/return-dialog.tsx';
import { SharedIban } from '../parts/shared-iban.tsx';
import { BatchStatusBadge, LineStatusBadge } from './batch-status.tsx';
import { BatchSteps } from './batch-steps.tsx';
import { useBatchFile } from './use-batch-file.ts';

const ReleaseDialog = lazyPart(() => import('./release-dialog.tsx'));
const BankFileDialog = lazyPart(() => import('./bank-file-dialog.tsx'));

type Asking = 'release' | 'bank-file' | Confirmed;
type Confirmed = 'delete' | 'send' | 'settle';
interface LineAct {
  act: 'pay' | 'reject' | 'giveBack';
  line: BatchLine;
}

/** PO-01, PO-02: one batch: where it stands, what can be done with it, and each of its lines. */
export function BatchPage(props: SectionProps & { batchId: string }) {
  const { batchId, openSection } = props;
  const { t } = useTranslation();
  const batch = useQuery(batchQuery(batchId));
  const [asking, setAsking] = useState<Asking>();
  const close = () => setAsking(undefined);
  const download = useBatchFile();
  const back = (
    <Button icon={<ArrowLeft />} onClick={() => openSection('virements')}>
      {t('Tous les virements')}
    </Button>
  );
  if (isGone(batch.error)) {
    return (
      <EmptyState
        icon={<SearchX />}
        title={t('Ce virement groupé n’existe plus')}
        description={t('Son brouillon a été supprimé, ou cette adresse ne mène à aucun virement.')}
        action={back}
      />
    );
  }
  const found = batch.data;
  return (
    <>
      <PaymentTabs
        {...props}
        current="virements"
        title={found ? t('Virement n° {{number}}', { number: found.number }) : t('Virement groupé')}
        actions={back}
      />
      <StaleNotice query={batch} />
      {found && (
        <>
          <Card className="flex flex-col gap-5 p-4 sm:p-5">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <BatchStatusBadge status={found.status} />
              <Amount cents={found.total} className="font-heading text-xl font-semibold" />
            </div>
            <BatchSteps batch={found} />
            <BatchFacts batch={found} />
            <div className="flex flex-wrap gap-2 max-sm:[&>*]:w-full">
              {found.status === 'draft' ? (
                <>
                  <Button variant="primary" onClick={() => setAsking('release')}>
                    {t('Faire le fichier')}
                  </Button>
                  <Button onClick={() => setAsking('delete')}>{t('Supprimer le brouillon')}</Button>
                </>
              ) : (
                <>
                  <Button
                    variant={found.status === 'released' ? 'primary' : 'secondary'}
                    icon={<Download />}
                    pending={download.isPending}
                    onClick={() => download.mutate(batchId)}
                  >
                    {t('Télécharger le fichier')}
                  </Button>
                  {found.status === 'released' && (
                    <Button onClick={() => setAsking('send')}>{t('Marquer envoyé')}</Button>
                  )}
                  {/* Money may come back once all is settled. */}
                  <Button icon={<FileUp />} onClick={() => setAsking('bank-file')}>
                    {t('Importer le retour de la banque')}
                  </Button>
                  {found.status !== 'settled' && (
                    <Button
                      variant={found.status === 'sent' ? 'primary' : 'secondary'}
                      onClick={() => setAsking('settle')}
                    >
                      {t('Tout marquer payé')}
                    </Button>
                  )}
                </>
              )}
            </div>
          </Card>
          <Lines {...props} batch={found} />
          <Card className="mt-5 p-4 sm:p-5">
            <h2 className="mb-3 text-lg">{t('Historique')}</h2>
            <AuditTimeline entity="payment_batches" entityId={found.id} />
          </Card>
          {asking !== undefined &&
            stillAsked(asking, found) &&
            (asking === 'bank-file' ? (
              <BankFileDialog onClose={close} />
            ) : asking === 'release' ? (
              <ReleaseDialog batch={found} onClose={close} />
            ) : (
              <Asked asking={asking} batch={found} onDeleted={() => openSection('virements')} onClose={close} />
            ))}
        </>
      )}
    </>
  );
}

/** True while the act is still to be done: an answer that was lost, or another admin, may have done it meanwhile. */
function stillAsked(asking: Asking, { status }: Batch): boolean {
  if (asking === 'delete' || asking === 'release') return status === 'draft';
  if (asking === 'send') return status === 'released';
  return asking === 'bank-file' ? status !== 'draft' : status !== 'settled';
}

/** The same of a line, as it stands now. */
function lineStillAsked({ act, line }: LineAct, rows: readonly BatchLine[]): boolean {
  const { status } = rows.find(({ id }) => id === line.id) ?? line;
  return status === (act === 'giveBack' ? 'paid' : 'queued');
}

/** Lines whose result nobody knows yet. */
function waitingCount({ lineCount, paidCount, rejectedCount, returnedCount }: Batch): number {
  return lineCount - paidCount - rejectedCount - returnedCount;
}

function BatchFacts({ batch }: { batch: Batch }) {
  const { t } = useTranslation();
  const waiting = waitingCount(batch);
  const items = [
    { label: t('Lignes'), value: <span className="tabular-digits">{batch.lineCount}</span> },
    ...(batch.status === 'draft'
      ? []
      : [
          {
            label: t('Résultats'),
            value: t(
              batch.returnedCount === 0
                ? 'Payées : {{paid}}, rejetées : {{rejected}}, en attente : {{waiting}}'
                : 'Payées : {{paid}}, revenues : {{returned}}, rejetées : {{rejected}}, en attente : {{waiting}}',
              {
                paid: batch.paidCount,
                returned: batch.returnedCount,
                rejected: batch.rejectedCount,
                waiting,
              },
            ),
          },
        ]),
    ...(batch.executionOn === null
      ? []
      : [{ label: t('Jour d’exécution'), value: <DateText value={batch.executionOn} /> }]),
    ...(batch.format === null ? [] : [{ label: t('Format'), value: `pain.001.001.${batch.format}` }]),
  ];
  return <Facts items={items} />;
}

const doneWords = {
  delete: 'Brouillon supprimé',
  send: 'Virement marqué envoyé',
  settle: 'Virements marqués payés',
  reject: 'Rejet noté, le bénéficiaire est prévenu',
  pay: 'Virement marqué payé',
  giveBack: 'Retour noté, le bénéficiaire est prévenu',
} as const;

/** Dialog that confirms an act before it is done. */
function Asked({
  asking,
  batch,
  onDeleted,
  onClose,
}: {
  asking: Confirmed | LineAct;
  batch: Batch;
  onDeleted?: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const toast = useToast();
  // The bank has most likely paid on the day that it was asked to.
  const choice = usePaymentDay(batch.executionOn);
  const act = useMutation({
    mutationFn: async ({ reason = null, day }: { reason?: string | null; day: string | null }) => {
      if (asking === 'delete') return leaveBatch(batch.id, null);
      if (asking === 'send') return sendBatch(batch.id, batch.version);
      if (asking === 'settle') return settleBatch(batch.id, null, day);
      const told = { requestId: asking.line.id, code: null };
      if (asking.act === 'pay') return settleBatch(batch.id, [{ ...told, status: 'paid', reason: null }], day);
      const status = asking.act === 'reject' ? 'rejected' : 'returned';
      return settleBatch(batch.id, [{ ...told, status, reason: reason ?? '' }], day);
    },
    onSuccess: () => {
      toast.success(t(doneWords[typeof asking === 'object' ? asking.act : asking]));
      onClose();
      if (asking === 'delete') onDeleted?.();
    },
    onError: refresh,
  });
  const shared = {
    pending: act.isPending,
    error: act.isError ? reasonOf(act.error) : undefined,
  };
  if (typeof asking === 'object' && asking.act === 'pay') {
    const { clientName, amount } = asking.line;
    return (
      <ConfirmDialog
        {...shared}
        open
        onOpenChange={onClose}
        tone="primary"
        title={t('Marquer payé le virement {{ofName}} ?', { ofName: ofName(clientName) })}
        description={t(
          'À faire une fois {{amount}} débités : cette décision est définitive, et le bénéficiaire le voit.',
          {
            amount: formatEuros(amount),
          },
        )}
        confirmLabel={t('Marquer payé')}
        confirmDisabled={choice.day === null}
        onConfirm={() => act.mutate({ day: choice.day })}
      >
        <PaymentDayField label={t('Date du paiement')} choice={choice} />
      </ConfirmDialog>
    );
  }
  if (typeof asking === 'object' && asking.act === 'giveBack') {
    const { clientName, amount, month } = asking.line;
    return (
      <ReturnDialog
        {...shared}
        clientName={clientName}
        amount={amount}
        isOfMonth={month !== null}
        onConfirm={(reason, day) => act.mutate({ reason, day })}
        onClose={onClose}
      />
    );
  }
  if (typeof asking === 'object') {
    const { clientName, amount, month } = asking.line;
    return (
      <ReasonDialog
        {...shared}
        title={t('La banque a rejeté le virement {{ofName}} ?', { ofName: ofName(clientName) })}
        description={t(
          month === null
            ? 'La commission redevient disponible pour ce client, qui reçoit le motif.'
            : '{{amount}} restent dus à ce commercial, qui reçoit le motif.',
          { amount: formatEuros(amount) },
        )}
        reasonLabel={t('Motif')}
        hint={t('Par exemple : {{reason}}', { reason: bankRejection('AC04') })}
        requiredMessage={refusalReasonRequired}
        confirmLabel={t('Noter le rejet')}
        onConfirm={(reason) => act.mutate({ reason, day: null })}
        onClose={onClose}
      />
    );
  }
  const waiting = countText(waitingCount(batch), t('ligne'), t('lignes'));
  const words = {
    delete: {
      title: t('Supprimer ce brouillon ?'),
      description: t('Ses demandes restent approuvées, ses mois restent dus : ils pourront être groupés à nouveau.'),
      confirmLabel: t('Supprimer'),
      tone: 'danger',
    },
    send: {
      title: t('Le fichier est à la banque ?'),
      description: t('Notez-le une fois le fichier déposé. Personne n’est prévenu avant le paiement.'),
      confirmLabel: t('Marquer envoyé'),
      tone: 'primary',
    },
    settle: {
      title: t('Confirmer le paiement de {{lines}} ?', { lines: waiting }),
      description: t(
        'À faire une fois le compte débité. Cette décision est définitive, et chacun le voit dans son espace.',
      ),
      confirmLabel: t('Tout marquer payé'),
      tone: 'primary',
    },
  } as const;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      {...words[asking]}
      {...shared}
      confirmDisabled={asking === 'settle' && choice.day === null}
      onConfirm={() => act.mutate({ day: choice.day })}
    >
      {asking === 'settle' && <PaymentDayField label={t('Date du paiement')} choice={choice} />}
    </ConfirmDialog>
  );
}

function Lines(props: SectionProps & { batch: Batch }) {
  const { batch, openSection, hrefOf } = props;
  const { t } = useTranslation();
  const list = useListState('virements', props, 'demande');
  const lines = useQuery(batchLinesQuery({ batchId: batch.id, search: list.search, page: list.page }));
  const [asking, setAsking] = useState<LineAct>();
  const columns = useColumns(batch, setAsking);
  return (
    <Card className="mt-5">
      <DataTable<BatchLine>
        name="lignes-de-virement"
        title={t('Lignes')}
        caption={t('Lignes')}
        columns={columns}
        rows={lines.data?.rows}
        rowKey={(line) => line.id}
        failed={lines.isError && lines.data === undefined}
        onRetry={() => void lines.refetch()}
        refreshing={lines.isFetching}
        searchLabel={t('Rechercher une ligne')}
        onRowOpen={(line) => openSection(...placeOf(line))}
        rowHref={(line) => hrefOf(...placeOf(line))}
        server={{ page: lines.data, onMove: list.setPage, search: list.typed, onSearchChange: list.setTyped }}
        exporting={Boolean(lines.data?.rowCount) && <ExportMenu list="batch-lines" page={lines.data} />}
        empty={<EmptyState icon={<ListOrdered />} title={t('Aucune ligne')} />}
      />
      {asking && lineStillAsked(asking, lines.data?.rows ?? []) && (
        <Asked asking={asking} batch={batch} onClose={() => setAsking(undefined)} />
      )}
    </Card>
  );
}

/** Place that a line comes from: its request, or its month (PO-05). */
function placeOf({ id, month }: BatchLine): [string, Record<string, string>] {
  return month === null
    ? ['demandes-de-paiement', { demande: id }]
    : ['commissions-des-commerciaux', { mois: month.slice(0, 7) }];
}

function useColumns(batch: Batch, onAsk: (asking: LineAct) => void): readonly DataColumn<BatchLine>[] {
  const { t } = useTranslation();
  const toast = useToast();
  const act = useMutation({
    mutationFn: (line: BatchLine) => leaveBatch(batch.id, [line.id]),
    onError: (error) => {
      refresh();
      toast.error(t('Cette action n’a pas abouti'), { description: reasonOf(error) });
    },
  });
  const { mutate } = act;
  return useMemo(
    () => [
      {
        id: 'client',
        header: t('Bénéficiaire'),
        width: 'wide',
        cell: (line) => (
          <Cell
            text={line.clientName}
            second={
              line.month !== null
                ? t('Commissions {{ofMonth}}', { ofMonth: ofName(monthName(line.month)) })
                : line.beneficiary === line.clientName
                  ? null
                  : line.beneficiary
            }
          />
        ),
      },
      {
        id: 'iban',
        header: t('IBAN'),
        cell: (line) => (
          <div>
            <span className="tabular-digits whitespace-nowrap">{line.iban}</span>
            {line.status === 'queued' && line.ibanUsableFrom !== null && (
              <p className="text-sm text-amber">{t(standingLabel({ code: 'iban', from: line.ibanUsableFrom }))}</p>
            )}
            <SharedIban names={line.ibanSharedWith} />
          </div>
        ),
      },
      {
        id: 'montant',
        header: t('Montant'),
        align: 'right',
        cell: ({ amount, vat }) => (
          <>
            <Amount cents={amount} className="font-medium" />
            {vat && (
              <span className="block text-sm text-encre-soft">
                {t('dont {{vat}} de TVA', { vat: formatEuros(vat.amount) })}
              </span>
            )}
          </>
        ),
      },
      {
        id: 'resultat',
        header: t('Résultat'),
        width: 'medium',
        cell: (line) => (
          <div className="min-w-0">
            <LineStatusBadge status={line.status} />
            {line.reason && (
              <p title={line.reason} className="text-xs text-encre-soft max-wide:break-words wide:truncate">
                {line.reason}
              </p>
            )}
          </div>
        ),
      },
      {
        id: 'actions',
        header: t('Actions'),
        headerHidden: true,
        align: 'right',
        card: 'foot',
        cell: (line) =>
          (line.status === 'queued' || line.status === 'paid') && (
            <div className="flex justify-end gap-2 max-wide:w-full max-wide:[&>*]:grow">
              {line.status === 'paid' ? (
                <Button
                  size="sm"
                  aria-label={t('Noter un retour : le virement {{ofName}}', { ofName: ofName(line.clientName) })}
                  onClick={() => onAsk({ act: 'giveBack', line })}
                >
                  {t('Noter un retour')}
                </Button>
              ) : batch.status === 'draft' ? (
                <Button
                  size="sm"
                  aria-label={t('Retirer {{name}}', { name: line.clientName })}
                  onClick={() => mutate(line)}
                >
                  {t('Retirer')}
                </Button>
              ) : (
                <>
                  <Button
                    size="sm"
                    aria-label={t('Rejeté : le virement {{ofName}}', { ofName: ofName(line.clientName) })}
                    onClick={() => onAsk({ act: 'reject', line })}
                  >
                    {t('Rejeté')}
                  </Button>
                  <Button
                    size="sm"
                    variant="primary"
                    aria-label={t('Payé : le virement {{ofName}}', { ofName: ofName(line.clientName) })}
                    onClick={() => onAsk({ act: 'pay', line })}
                  >
                    {t('Payé')}
                  </Button>
                </>
              )}
            </div>
          ),
      },
    ],
    [t, batch.status, mutate, onAsk],
  );
}
