import { dayOf } from '@parrain/domain/date';
import { groupBy } from '@parrain/domain/group-by';
import { formatEuros, sum } from '@parrain/domain/money';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readBankFile, settleBatch, type BankRemark, type ReportedLine } from '#api/payments/batch-acts';
import { ApiError, reasonOf } from '#api/transport/api-error';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Field } from '#ui/field';
import { FileInput } from '#ui/file-input';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';
import { likelyDay, PaymentDayField, usePaymentDay } from '../parts/payment-day.tsx';
import { ReportedLines } from './reported-lines.tsx';

/** PO-02, AC-09: what the bank's file says of each batch is shown line by line, then kept, one batch after the other. */
export default function BankFileDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [chosen, setChosen] = useState<File>();
  const read = useMutation({ mutationFn: readBankFile });
  const lines = read.data?.lines ?? [];
  const remarks = read.data?.remarks ?? [];
  const returned = lines.filter((line) => line.stands === 'paid' && line.status === 'returned');
  const news = [...returned, ...lines.filter((line) => line.stands === 'queued')];
  const batches = [...groupBy(news, (line) => line.batchId)];
  const [today] = useState(() => dayOf(new Date()));
  // Of lines whose day the file does not say: the batch's own, until another is chosen.
  const [paidOn, setPaidOn] = useState<Readonly<Record<string, string>>>({});
  const paidOnOf = ({ batchId, executionOn }: ReportedLine): string | null =>
    (paidOn[batchId] ?? likelyDay(executionOn, today)) || null;
  const returnedOn = usePaymentDay();
  // A day of the file may lie in a month that is closed: another is chosen then.
  const [isClosed, setIsClosed] = useState(false);
  const instead = usePaymentDay();
  const lacksDay = isClosed
    ? instead.day === null
    : news.some((line) => !line.day && (line.status === 'paid' ? paidOnOf(line) : returnedOn.day) === null);
  const keep = useMutation({
    mutationFn: async () => {
      for (const [batchId, ofBatch] of batches)
        await settleBatch(
          batchId,
          ofBatch.map((line) => ({
            requestId: line.requestId,
            status: line.status,
            code: line.code,
            reason: line.reason,
            day: isClosed ? instead.day : (line.day ?? (line.status === 'paid' ? paidOnOf(line) : returnedOn.day)),
          })),
        );
    },
    onError: (error) => {
      setIsClosed(error instanceof ApiError && error.code === 'accounting_month_closed');
      // The batches before the refused one are kept: what is left is read anew.
      if (chosen && batches.length > 1) read.mutate(chosen);
    },
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
        'Un relevé ou un compte rendu de votre banque (camt.052, 053, 054 ou pain.002), pour un virement groupé ou plusieurs ; ou l’export d’un virement (CSV ou Excel) avec ses colonnes « Résultat » et « Motif » remplies.',
      )}
      confirmLabel={t('Enregistrer {{lines}}', { lines: countText(news.length, t('résultat'), t('résultats')) })}
      confirmDisabled={news.length === 0 || read.isPending || lacksDay}
      pending={keep.isPending}
      error={keep.isError ? reasonOf(keep.error) : undefined}
      onConfirm={() => keep.mutate()}
    >
      <Field label={t('Fichier de la banque')} labelHidden error={read.isError ? reasonOf(read.error) : undefined}>
        <FileInput
          accept=".xml,.zip,.csv,.txt,.tsv,.xlsx,.xlsm,.ods"
          fileName={chosen?.name}
          onFile={(file) => {
            setChosen(file);
            setIsClosed(false);
            setPaidOn({});
            keep.reset();
            read.mutate(file);
          }}
        />
      </Field>
      {read.data && (
        <>
          {lines.length === 0 && remarks.length === 0 && (
            <Notice tone="warning">{t('Ce fichier ne dit rien de vos virements groupés.')}</Notice>
          )}
          {lines.length > 0 && news.length === 0 && (
            <Notice tone="info">{t('Tout ce que dit ce fichier est déjà enregistré.')}</Notice>
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
          {remarks.length > 0 && <Remarks remarks={remarks} />}
          {read.data.unknown > 0 && (
            <p className="text-sm text-encre-soft">
              {countText(read.data.unknown, t('autre ligne'), t('autres lignes'))} {t('dans ce fichier, sans rapport.')}
            </p>
          )}
          {batches.map(([batchId, ofBatch]) => {
            const undated = ofBatch.find(({ status, day }) => status === 'paid' && !day);
            return (
              <ReportedLines key={batchId} lines={ofBatch} isNamed={batches.length > 1}>
                {!isClosed && undated && (
                  <PaymentDayField
                    label={t('Date des paiements')}
                    choice={{
                      day: paidOnOf(undated),
                      today,
                      set: (day) => setPaidOn((days) => ({ ...days, [batchId]: day })),
                    }}
                  />
                )}
              </ReportedLines>
            );
          })}
          {isClosed && <PaymentDayField label={t('Date retenue à la place de celle du fichier')} choice={instead} />}
          {!isClosed && news.some(({ status, day }) => status === 'returned' && !day) && (
            <PaymentDayField label={t('Date des retours')} choice={returnedOn} />
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

function Remarks({ remarks }: { remarks: readonly BankRemark[] }) {
  const { t } = useTranslation();
  return (
    <Notice tone="info" title={t('Dit par la banque, sans rien changer')}>
      <ul className="max-h-48 space-y-1 overflow-y-auto">
        {remarks.map(({ id, clientName, text }) => (
          <li key={`${id} ${text}`}>
            <span className="font-medium">{clientName}</span> {text}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
