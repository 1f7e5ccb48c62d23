import { adjustmentAnnulled, formatSignedEuros } from '@parrain/domain/dispute';
import { accountAdjusted, debtReasonRequired, secondAdminSentence } from '@parrain/domain/debt';
import type { Cents } from '@parrain/domain/money';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { closeDispute, type DisputeThread } from '#api/payments/disputes';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Dialog } from '#ui/dialog';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';

/** AC-05: an adjustment that an admin started above the company's amount: another admin confirms it, any may give it up. */
export function ProposedAdjustment({ dispute, onClose }: { dispute: DisputeThread; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const me = useProfile();
  const [message, setMessage] = useState(dispute.messages[0]?.body ?? '');
  const [isAsked, setAsked] = useState(false);
  const closing = useMutation({
    mutationFn: (adjustment: Cents | null) => closeDispute(dispute, message, adjustment),
    onSuccess: (_done, adjustment) => {
      toast.success(t(adjustment === null ? adjustmentAnnulled : accountAdjusted));
      onClose();
    },
    onError: refresh,
  });
  const isMine = dispute.openedBy === me.id;
  const close = (adjustment: Cents | null) => {
    setAsked(true);
    if (message.trim() !== '') closing.mutate(adjustment);
  };
  return (
    <Dialog
      open
      onOpenChange={() => !closing.isPending && onClose()}
      title={t('Ajustement à confirmer : {{name}}', { name: dispute.payeeName ?? '—' })}
      description={t(secondAdminSentence(isMine))}
      footer={
        <>
          <Button disabled={closing.isPending} onClick={() => close(null)}>
            {t('Retirer')}
          </Button>
          {!isMine && (
            <Button variant="primary" pending={closing.isPending} onClick={() => close(dispute.proposed)}>
              {t('Confirmer : {{amount}}', { amount: formatSignedEuros(dispute.proposed ?? 0n) })}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <p>
          <span className="font-medium">{formatSignedEuros(dispute.proposed ?? 0n)}</span>{' '}
          <span className="break-words text-encre-soft">«&nbsp;{dispute.messages[0]?.body}&nbsp;»</span>
        </p>
        <Field
          label={t('Raison, dite à la personne et sur son relevé')}
          error={isAsked && message.trim() === '' ? t(debtReasonRequired) : undefined}
        >
          <Textarea rows={3} value={message} onChange={(event) => setMessage(event.currentTarget.value)} />
        </Field>
        {closing.isError && <Notice tone="error">{messageOf(closing.error, t('Erreur lors de l’envoi'))}</Notice>}
      </div>
    </Dialog>
  );
}
