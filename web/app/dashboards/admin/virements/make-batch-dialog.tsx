import { zodResolver } from '@hookform/resolvers/zod';
import { transferFileForm, type TransferFile } from '@parrain/domain/forms/payment-batch';
import { groupBy } from '@parrain/domain/group-by';
import { formatEuros, sum, type Cents } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { transferObstacle } from '@parrain/domain/payment-batch';
import { nextBankDay } from '@parrain/domain/sepa';
import { standingSentence } from '@parrain/domain/standing-words';
import { monthName } from '@parrain/domain/statement';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { companySettings } from '#api/company/company-settings';
import { makeBatch, releaseBatch } from '#api/payments/batch-acts';
import { batchQuery, transfersQuery, type Transfer } from '#api/payments/batches';
import { companyAccountQuery } from '#api/payments/company-account';
import { reasonOf } from '#api/transport/api-error';
import { queryClient } from '#api/transport/query-client';
import { refresh } from '#api/transport/refresh';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';
import { useSendsMail } from '../../parts/use-sends-mail.ts';
import { SharedIban } from '../parts/shared-iban.tsx';
import { CompanyAccountSetting } from '../reglages/company-account-setting.tsx';
import { FileFields } from './file-fields.tsx';
import { useBatchFile } from './use-batch-file.ts';

interface MakeBatchDialogProps {
  /** The batch is there, as a draft or with its file. */
  onMade: (id: string) => void;
  onClose: () => void;
}

/**
 * PO-01, PO-05: who will be paid, clients and commercials, how much, and who is left out because something is missing. One button makes the
 * batch and its file (UI-04), another a draft alone. The company's account is asked for here where there is none; above the amount that
 * needs a second admin there is the draft alone.
 */
export default function MakeBatchDialog({ onMade, onClose }: MakeBatchDialogProps) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  const found = useQuery(transfersQuery).data ?? [];
  // A batch does not mix: real ones first.
  const areTests = found.every((transfer) => transfer.isTest);
  const transfers = found.filter((transfer) => transfer.isTest === areTests);
  const reasons = new Map(transfers.map((transfer) => [transfer.id, reasonsOf(transfer, sendsMail)]));
  const ready = transfers.filter((transfer) => reasons.get(transfer.id)?.length === 0);
  const left = transfers.filter((transfer) => reasons.get(transfer.id)?.length !== 0);
  const total = sum(ready.map((transfer) => transfer.amount));
  const releaseAbove = useQuery(companySettings).data?.releaseAbove ?? null;
  const needsOther = releaseAbove !== null && total > releaseAbove;
  const account = useQuery(companyAccountQuery).data;
  const [tomorrow] = useState(() => nextBankDay(new Date()));
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(transferFileForm),
    mode: 'onTouched',
    defaultValues: { execution_on: tomorrow, format: '09' as const },
  });
  const toast = useToast();
  const download = useBatchFile();
  const make = useMutation({
    mutationFn: (file: TransferFile | null) => makeWithFile(ready, total, file),
    onSuccess: ({ id, isReleased, failure }) => {
      if (failure !== undefined)
        toast.error(t('Le brouillon est prêt, son fichier n’a pas pu être fait'), { description: reasonOf(failure) });
      if (isReleased) download.mutate(id);
      onMade(id);
    },
    // Somebody may have gathered some of them meanwhile.
    onError: refresh,
  });
  const draftOnly = () => make.mutate(null);
  const withFile = handleSubmit((file) => make.mutate(file));
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      isWide
      tone="primary"
      title={t('Grouper {{transfers}} ?', { transfers: countText(ready.length, t('virement'), t('virements')) })}
      description={
        needsOther
          ? t('Au-dessus de {{limit}}, un autre administrateur valide : un brouillon est préparé, rien ne part.', {
              limit: formatEuros(releaseAbove),
            })
          : t('Le fichier est à déposer à votre banque, ou gardez un brouillon : rien ne part sans vous.')
      }
      confirmLabel={t(needsOther ? 'Préparer : {{total}}' : 'Faire le fichier : {{total}}', {
        total: formatEuros(total),
      })}
      confirmDisabled={ready.length === 0 || (!needsOther && !account)}
      other={
        !needsOther && (
          <Button disabled={ready.length === 0 || make.isPending} onClick={draftOnly}>
            {t('Garder un brouillon')}
          </Button>
        )
      }
      pending={make.isPending}
      error={make.isError ? reasonOf(make.error) : undefined}
      onConfirm={() => (needsOther ? draftOnly() : void withFile())}
    >
      {account === null && <CompanyAccountSetting level={3} title={t('Compte de l’entreprise')} />}
      {ready.length > 0 && <Ready transfers={ready} />}
      {left.length > 0 && (
        <Notice
          tone="warning"
          title={t('Laissés de côté : {{transfers}}, {{total}}', {
            transfers: countText(left.length, t('virement'), t('virements')),
            total: formatEuros(sum(left.map((transfer) => transfer.amount))),
          })}
        >
          <LeftOut transfers={left} reasons={reasons} />
        </Notice>
      )}
      {!needsOther && (
        <form
          method="post"
          noValidate
          aria-label={t('Fichier de la banque')}
          className="flex flex-col gap-5"
          onSubmit={(event) => void withFile(event)}
        >
          {account && (
            <p className="text-sm text-encre-soft">
              {t('Compte débité : {{iban}}', { iban: `${account.holder}, ${account.iban}` })}
            </p>
          )}
          <FileFields day={register('execution_on')} format={register('format')} errors={formState.errors} />
        </form>
      )}
    </ConfirmDialog>
  );
}

/** Makes a draft, then its file; where the second fails, the draft stays and the failure is given with it. The file is still to be downloaded. */
async function makeWithFile(
  transfers: readonly Transfer[],
  total: Cents,
  file: TransferFile | null,
): Promise<{ id: string; isReleased: boolean; failure?: unknown }> {
  const id = await makeBatch(transfers, total);
  if (file === null) return { id, isReleased: false };
  try {
    const { version } = await queryClient.fetchQuery(batchQuery(id));
    await releaseBatch({ batchId: id, seenVersion: version, total, ...file });
    return { id, isReleased: true };
  } catch (failure) {
    refresh();
    return { id, isReleased: false, failure };
  }
}

/** Why a transfer is left out: what keeps it from leaving, and what deserves a look of its own (DF-40, DF-43). */
function reasonsOf(transfer: Transfer, sendsMail: boolean): readonly string[] {
  const obstacle = transferObstacle(transfer, sendsMail);
  const doubts = transfer.standing.filter(({ code }) => code === 'case').map((one) => standingSentence(one, sendsMail));
  return obstacle === null ? doubts : [obstacle.reason, ...doubts];
}

interface LeftOutProps {
  transfers: readonly Transfer[];
  reasons: ReadonlyMap<string, readonly string[]>;
}

/** List of the payees left out, under each reason once. */
function LeftOut({ transfers, reasons }: LeftOutProps) {
  const { t } = useTranslation();
  const groups = groupBy(transfers, ({ id }) => (reasons.get(id) ?? []).map((reason) => t(reason)).join(' '));
  return (
    <ul
      aria-label={t('Laissés de côté')}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by keyboard
      tabIndex={0}
      className="mt-1 grid max-h-40 gap-1.5 overflow-y-auto"
    >
      {[...groups].map(([reason, those]) => (
        <li key={reason} className="break-words">
          {reason}{' '}
          {those.map((transfer, index) => (
            <span key={transfer.id}>
              {index > 0 && ', '}
              <span className="font-medium">{transfer.clientName}</span> <Amount cents={transfer.amount} />
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Ready({ transfers }: { transfers: readonly Transfer[] }) {
  const { t } = useTranslation();
  return (
    <ul
      aria-label={t('Virements du groupe')}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by keyboard
      tabIndex={0}
      className="max-h-60 shrink-0 divide-y divide-hairline overflow-y-auto rounded-field border border-hairline px-4"
    >
      {transfers.map((transfer) => (
        <li key={transfer.id} className="flex items-start justify-between gap-4 py-2">
          <span className="min-w-0 break-words">
            {transfer.clientName}
            <span className="flex flex-wrap gap-x-2 text-sm text-encre-soft">
              {transfer.month !== null && (
                <span>{t('Commissions {{ofMonth}}', { ofMonth: ofName(monthName(transfer.month)) })}</span>
              )}
              {transfer.beneficiary !== transfer.clientName && <span>{transfer.beneficiary}</span>}
              <span className="tabular-digits">{transfer.iban}</span>
            </span>
            <SharedIban names={transfer.ibanSharedWith} />
          </span>
          <Amount cents={transfer.amount} className="shrink-0 font-medium" />
        </li>
      ))}
    </ul>
  );
}
