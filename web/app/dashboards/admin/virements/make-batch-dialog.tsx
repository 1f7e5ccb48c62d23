import { formatEuros, sum } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { transferObstacle } from '@parrain/domain/payment-batch';
import { standingSentence } from '@parrain/domain/standing-words';
import { monthName } from '@parrain/domain/statement';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { makeBatch } from '#api/payments/batch-acts';
import { transfersQuery, type Transfer } from '#api/payments/batches';
import { reasonOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { Amount } from '#ui/amount';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Notice } from '#ui/notice';
import { countText } from '../../parts/count-text.ts';
import { useSendsMail } from '../../parts/use-sends-mail.ts';
import { SharedIban } from '../parts/shared-iban.tsx';

/** PO-01, PO-05: who will be paid, clients and commercials, how much, and who is left out because something is missing. A draft: nothing leaves yet. */
export default function MakeBatchDialog({ onMade, onClose }: { onMade: (id: string) => void; onClose: () => void }) {
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
  const make = useMutation({
    mutationFn: () => makeBatch(ready, total),
    onSuccess: onMade,
    // Somebody may have gathered some of them meanwhile.
    onError: refresh,
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      isWide
      tone="primary"
      title={t('Grouper {{transfers}} ?', { transfers: countText(ready.length, t('virement'), t('virements')) })}
      description={t('Un brouillon est préparé. Rien ne part : vous le vérifiez, puis le validez.')}
      confirmLabel={t('Préparer : {{total}}', { total: formatEuros(total) })}
      confirmDisabled={ready.length === 0}
      pending={make.isPending}
      error={make.isError ? reasonOf(make.error) : undefined}
      onConfirm={() => make.mutate()}
    >
      {left.length > 0 && (
        <Notice
          tone="warning"
          title={t('Laissés de côté : {{transfers}}', {
            transfers: countText(left.length, t('virement'), t('virements')),
          })}
        >
          <ul
            aria-label={t('Laissés de côté')}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by keyboard
            tabIndex={0}
            className="mt-1 grid max-h-40 gap-1.5 overflow-y-auto"
          >
            {left.map((transfer) => (
              <li key={transfer.id} className="break-words">
                <span className="font-medium">{transfer.clientName}</span>, <Amount cents={transfer.amount} /> :{' '}
                {reasons
                  .get(transfer.id)
                  ?.map((reason) => t(reason))
                  .join(' ')}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {ready.length > 0 && <Ready transfers={ready} />}
    </ConfirmDialog>
  );
}

/** Why a transfer is left out: what keeps it from leaving, and what deserves a look of its own (DF-40, DF-43). */
function reasonsOf(transfer: Transfer, sendsMail: boolean): readonly string[] {
  const obstacle = transferObstacle(transfer, sendsMail);
  const doubts = transfer.standing.filter(({ code }) => code === 'case').map((one) => standingSentence(one, sendsMail));
  return obstacle === null ? doubts : [obstacle.reason, ...doubts];
}

function Ready({ transfers }: { transfers: readonly Transfer[] }) {
  const { t } = useTranslation();
  return (
    <ul className="max-h-80 divide-y divide-hairline overflow-y-auto rounded-field border border-hairline px-4">
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
