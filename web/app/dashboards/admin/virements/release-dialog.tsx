import { zodResolver } from '@hookform/resolvers/zod';
import { batchReleaseForm } from '@parrain/domain/forms/payment-batch';
import { formatEuros, toWire } from '@parrain/domain/money';
import { nextBankDay } from '@parrain/domain/sepa';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { releaseBatch } from '#api/payments/batch-acts';
import type { Batch } from '#api/payments/batches';
import { reasonOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { countText } from '../../parts/count-text.ts';
import { FileFields } from './file-fields.tsx';
import { useBatchFile } from './use-batch-file.ts';

/** PO-01: a draft's bank file is made, for good, and downloaded: on which day the bank pays, and in which version its file is. */
export default function ReleaseDialog({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const { t } = useTranslation();
  const download = useBatchFile();
  const [tomorrow] = useState(() => nextBankDay(new Date()));
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(batchReleaseForm),
    mode: 'onTouched',
    defaultValues: {
      batch_id: batch.id,
      seen_version: batch.version,
      expected_total: toWire(batch.total),
      execution_on: tomorrow,
      format: '09',
    },
  });
  const { errors } = formState;
  const release = useMutation({
    mutationFn: releaseBatch,
    onSuccess: () => {
      download.mutate(batch.id);
      onClose();
    },
    onError: refresh,
  });
  const submit = handleSubmit((asked) => release.mutate(asked));
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t('Faire le fichier de ce virement groupé ?')}
      description={t(
        '{{lines}}, {{total}} en tout. Le fichier est à déposer à votre banque ; le virement groupé ne change plus.',
        {
          lines: countText(batch.lineCount, t('virement'), t('virements')),
          total: formatEuros(batch.total),
        },
      )}
      confirmLabel={t('Faire le fichier : {{total}}', { total: formatEuros(batch.total) })}
      pending={release.isPending}
      error={release.isError ? reasonOf(release.error) : undefined}
      onConfirm={() => void submit()}
    >
      <form method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
        <FileFields day={register('execution_on')} format={register('format')} errors={errors} />
      </form>
    </ConfirmDialog>
  );
}
