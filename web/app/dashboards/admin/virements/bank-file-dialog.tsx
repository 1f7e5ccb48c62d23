import { formatEuros, sum } from '@parrain/domain/money';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readBankFile, settleBatch, type ReportedLine } from '#api/payments/batch-acts';
import { ApiError, reasonOf } from '#api/transport/api-error';
import { Amount } from '#ui/amount';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DateText } from '#ui/date';
import { Field } from '#ui/field';
import { FileInput } from '#ui/file-input';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';
import { PaymentDayField, usePaymentDay } from '../parts/payment-day.tsx';
import { LineStatusBadge } from './batch-status.tsx';

interface BankFileDialogProps {
  batchId: string;
  executionOn: string | null;
  onClose: () => void;
}

/** PO-02: what the bank's file says is shown line by line, then kept. */
export default function BankFileDialog({ batchId, executionOn, onClose }: BankFileDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [name, setName] = useState<string>();
  const read = useMutation({ mutationFn: (file: File) => readBankFile(batchId, file) });
  const lines = read.data?.lines ?? [];
  const remarks = read.data?.remarks ?? [];
  const returned = lines.filter((line) => line.stands === 'paid' && line.status === 'returned');
  const news = [...returned, ...lines.filter((line) => line.stands === 'queued')];
  const paidOn = usePaymentDay(executionOn);
  const returnedOn = usePaymentDay();
  // A day of the file may lie in a month that is closed: another is chosen then.
  const [isClosed, setIsClosed] = useState(false);
  const instead = usePaymentDay();
  const keep = useMutation({
    mutationFn: () =>
      settleBatch(
        batchId,
        news.map(({ requestId, status, code, reason, day }) => ({
          requestId,
          status,
          code,
          reason,
          day: isClosed ? instead.day : (day ?? (status === 'paid' ? paidOn : returnedOn).day),
        })),
      ),
    onError: (error) => setIsClosed(error instanceof ApiError && error.code === 'accounting_month_closed'),
    onSuccess: () => {
      toast.success(t('Résultats enregistrés'));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      isWide
      tone="primary"
      title={t('Fichier de la banque')}
      description={t(
        'Un relevé ou un compte rendu de votre banque (camt.052, 053, 054 ou pain.002), ou l’export de ce virement (CSV ou Excel) avec ses colonnes « Résultat » et « Motif » remplies.',
      )}
      confirmLabel={t('Enregistrer {{lines}}', { lines: countText(news.length, t('résultat'), t('résultats')) })}
      confirmDisabled={news.length === 0 || read.isPending}
      pending={keep.isPending}
      error={keep.isError ? reasonOf(keep.error) : undefined}
      onConfirm={() => keep.mutate()}
    >
      <Field label={t('Fichier de la banque')} labelHidden error={read.isError ? reasonOf(read.error) : undefined}>
        <FileInput
          accept=".xml,.zip,.csv,.txt,.tsv,.xlsx,.xlsm,.ods"
          fileName={name}
          onFile={(file) => {
            setName(file.name);
            setIsClosed(false);
            read.mutate(file);
          }}
        />
      </Field>
      {read.data && (
        <>
          {lines.length === 0 && remarks.length === 0 && (
            <Notice tone="warning">{t('Ce fichier ne dit rien des lignes de ce virement.')}</Notice>
          )}
          {returned.length > 0 && (
            <Notice tone="warning" title={t('Revenus après paiement')}>
              {t(
                '{{transfers}}, {{total}} : ces montants sont de nouveau dus à leurs bénéficiaires, qui sont prévenus.',
                {
                  transfers: countText(returned.length, t('virement déjà payé'), t('virements déjà payés')),
                  total: formatEuros(sum(returned.map((line) => line.amount))),
                },
              )}
            </Notice>
          )}
          {remarks.length > 0 && (
            <Notice tone="info" title={t('Dit par la banque, sans rien changer')}>
              <ul className="max-h-48 space-y-1 overflow-y-auto">
                {remarks.map(({ id, clientName, text }) => (
                  <li key={`${id} ${text}`}>
                    <span className="font-medium">{clientName}</span> {text}
                  </li>
                ))}
              </ul>
            </Notice>
          )}
          {read.data.unknown > 0 && (
            <p className="text-sm text-encre-soft">
              {countText(read.data.unknown, t('autre ligne'), t('autres lignes'))} {t('dans ce fichier, sans rapport.')}
            </p>
          )}
          {news.length > 0 && <Lines lines={news} />}
          {isClosed && <PaymentDayField label={t('Date retenue à la place de celle du fichier')} choice={instead} />}
          {!isClosed && news.some(({ status, day }) => status === 'paid' && !day) && (
            <PaymentDayField label={t('Date des paiements')} choice={paidOn} />
          )}
          {!isClosed && news.some(({ status, day }) => status === 'returned' && !day) && (
            <PaymentDayField label={t('Date des retours')} choice={returnedOn} />
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

function Lines({ lines }: { lines: readonly ReportedLine[] }) {
  return (
    <ul className="max-h-72 divide-y divide-hairline overflow-y-auto rounded-field border border-hairline px-4">
      {lines.map((line) => (
        <li key={line.requestId} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
          <span className="min-w-0 break-words">
            {line.clientName}
            {line.reason && <span className="block text-sm text-encre-soft">{line.reason}</span>}
            {line.day && (
              <span className="block text-sm text-encre-soft">
                <DateText value={line.day} />
              </span>
            )}
          </span>
          <span className="flex items-center gap-3">
            <Amount cents={line.amount} className="font-medium" />
            <LineStatusBadge status={line.status} />
          </span>
        </li>
      ))}
    </ul>
  );
}
