import {
  eInvoicesMarked,
  eInvoicesQueued,
  eInvoiceStatusText,
  isRefusedForGood,
  isRefusedStatus,
} from '@parrain/domain/e-invoice';
import { dayOf } from '@parrain/domain/date';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  depositEInvoice,
  eInvoiceHistoryQuery,
  eInvoicingQuery,
  markEInvoice,
  type EInvoice,
} from '#api/payments/e-invoices';
import { issueOf, messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Dialog } from '#ui/dialog';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { Timeline } from '#ui/timeline';
import { useToast } from '#ui/toast';
import { EInvoiceBadge } from './e-invoice-badge.tsx';

/** EI-01: an invoice's life at the platform, step by step; an admin has it sent, or says that it was sent otherwise. */
export default function EInvoiceDialog({
  label,
  invoice,
  onClose,
}: {
  label: string;
  invoice: EInvoice;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const history = useQuery(eInvoiceHistoryQuery(invoice.paperId));
  const isAdmin = useProfile().role === 'admin';
  const { state, words, nextAt } = invoice;
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Facture électronique {{label}}', { label })}
      footer={<Button onClick={onClose}>{t('Fermer')}</Button>}
    >
      <p>
        <EInvoiceBadge invoice={invoice} />
      </p>
      {words !== null && (
        <Notice className="mt-3" tone={state === 'refused' ? 'error' : 'warning'}>
          {words}
          {nextAt !== null && (
            <>
              {' '}
              {t('Prochain essai :')} <DateText value={nextAt} withTime />.
            </>
          )}
        </Notice>
      )}
      {history.data === undefined ? (
        history.isError ? (
          <ErrorState onRetry={() => void history.refetch()} pending={history.isFetching} />
        ) : (
          <Skeleton className="mt-4 h-16 w-full" />
        )
      ) : (
        history.data.length > 0 && (
          <div className="mt-4">
            <Timeline
              label={t('Étapes')}
              entries={history.data.map(({ code, words: said, at }, index) => ({
                id: String(index),
                title: t(eInvoiceStatusText(code)),
                meta: <DateText value={at} withTime />,
                detail: said,
                tone: isRefusedStatus(code) ? 'refused' : 'plain',
              }))}
            />
          </div>
        )
      )}
      {isAdmin && ['unsent', 'waiting', 'refused', 'exported', 'elsewhere'].includes(state) && (
        <EInvoiceActs invoice={invoice} onDone={onClose} />
      )}
    </Dialog>
  );
}

function EInvoiceActs({ invoice, onDone }: { invoice: EInvoice; onDone: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const isOn = useQuery(eInvoicingQuery).data?.isOn === true;
  const [today] = useState(() => dayOf(new Date()));
  const { paperId, state, elsewhereOn } = invoice;
  const [day, setDay] = useState(elsewhereOn ?? today);
  const [isAsked, setAsked] = useState(false);
  const done = (words: string) => () => {
    onDone();
    toast.success(t(words));
  };
  const deposit = useMutation({ mutationFn: () => depositEInvoice(paperId), onSuccess: done(eInvoicesQueued) });
  const mark = useMutation({ mutationFn: () => markEInvoice(paperId, day), onSuccess: done(eInvoicesMarked) });
  const error = deposit.error ?? mark.error;
  // It may be with its buyer by now: twice would be two invoices.
  const mayBeThere = state === 'elsewhere' || state === 'exported';
  const depositLabel = state === 'refused' ? t('Redéposer') : state === 'waiting' ? t('Réessayer') : t('Déposer');
  return (
    <div className="mt-5 border-t border-hairline pt-4">
      {error !== null && (
        <Notice className="mb-4" tone="error">
          {issueOf(error) ?? messageOf(error, t('Cela n’a pas pu être noté.'))}
        </Notice>
      )}
      {isRefusedForGood(invoice) ? (
        <Notice className="mb-4">
          {t(
            'L’acheteur l’a refusée, ou elle est annulée : elle ne se redépose pas. Annulez le paiement pour établir son avoir.',
          )}
        </Notice>
      ) : (
        isOn && (
          <div className="mb-4">
            {mayBeThere && (
              <p className="mb-2 text-sm text-encre-soft">
                {state === 'elsewhere' ? (
                  <>
                    {t('Elle est notée comme déposée hors de Parrain le')} <DateText value={elsewhereOn} />.
                  </>
                ) : (
                  t('Elle a été exportée pour un dépôt à la main.')
                )}{' '}
                {t('La déposer ici ferait une seconde facture si elle est déjà chez son acheteur.')}
              </p>
            )}
            <Button
              pending={deposit.isPending}
              onClick={() => (mayBeThere && !isAsked ? setAsked(true) : deposit.mutate())}
            >
              {isAsked ? t('Oui, la déposer quand même') : depositLabel}
            </Button>
          </div>
        )
      )}
      <div className="flex flex-wrap items-end gap-3">
        <Field label={t('Déposée hors de Parrain le')}>
          <TextInput
            type="date"
            className="max-w-48"
            max={today}
            value={day}
            onChange={(event) => setDay(event.currentTarget.value)}
          />
        </Field>
        <Button pending={mark.isPending} disabled={day === '' || day === elsewhereOn} onClick={() => mark.mutate()}>
          {state === 'elsewhere' ? t('Corriger le jour') : t('Noter ce dépôt')}
        </Button>
      </div>
    </div>
  );
}
