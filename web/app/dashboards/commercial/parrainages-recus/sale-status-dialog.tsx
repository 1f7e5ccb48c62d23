import type { ContactChannel } from '@parrain/domain/call-consent';
import { saleStatusUpdateFailed } from '@parrain/domain/messages';
import { ofName } from '@parrain/domain/of-name';
import { isOpen, referrerName, saleChoiceLabels, saleChoiceOf, type SaleChoice } from '@parrain/domain/sale';
import { useMutation } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Referral } from '#api/sales/referral';
import { undoSaleStatus, updateSaleStatus } from '#api/sales/update-sale-status';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { FormDialog } from '#ui/form-dialog';
import { useToast } from '#ui/toast';
import { SaleStatusForm, type Move } from './sale-status-form.tsx';

export interface SaleStatusDialogProps {
  /** The referral being moved; none, and the dialog is closed. */
  sale: Referral | undefined;
  /** By which way the friend has just been reached: the dialog opens on « Contacté » where nobody had been (UI-06). */
  after?: ContactChannel | undefined;
  onClose: () => void;
}

/** « Mettre à jour » (CO-03): one of the six statuses, the contract where it is signed, notes, the day to call again. */
export default function SaleStatusDialog({ sale, after, onClose }: SaleStatusDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const describe = (choice: SaleChoice) => `${shown?.referredContactName ?? ''} : ${t(saleChoiceLabels[choice])}`;
  const update = useMutation({
    mutationFn: (move: Move) => updateSaleStatus(move),
    onSuccess: ({ message, version }, { saleId, choice }) => {
      const before = shown && saleChoiceOf(shown);
      const takeBack = async () => {
        try {
          toast.info(t(await undoSaleStatus({ saleId, version })), before && { description: describe(before) });
        } catch (error) {
          toast.error(messageOf(error, t(saleStatusUpdateFailed)));
        }
        refresh();
      };
      // NV-09: a signature is final, as the dialog said.
      const canReturn = choice !== before && choice !== 'validated';
      toast.success(t(message), {
        description: describe(choice),
        action: canReturn ? { label: t('Annuler'), onClick: () => void takeBack() } : undefined,
      });
      close();
    },
    // The sale on screen may be stale.
    onError: refresh,
  });
  // The sale stays in place while the dialog closes: nothing jumps.
  const [{ shown, way }, setShown] = useState({ shown: sale, way: after });
  if (sale !== undefined && sale !== shown) setShown({ shown: sale, way: after });
  const close = () => {
    update.reset();
    onClose();
  };
  return (
    <FormDialog
      open={sale !== undefined}
      title={t('Mettre à jour le parrainage')}
      description={
        shown && (way === undefined ? describeSale(shown, t) : t(afterWay[way], { name: shown.referredContactName }))
      }
      onClose={close}
      pending={update.isPending}
    >
      {(formId) =>
        shown && (
          <SaleStatusForm
            key={shown.id}
            id={formId}
            sale={shown}
            isCalled={way === 'call'}
            proposed={proposedChoice(shown, way !== undefined)}
            error={update.error}
            onSubmit={(move, onRefused) => update.mutate(move, { onError: onRefused })}
          />
        )
      }
    </FormDialog>
  );
}

const afterWay = {
  call: 'Après votre appel à {{name}}',
  sms: 'Après votre SMS à {{name}}',
  email: 'Après votre e-mail à {{name}}',
} as const;

function describeSale(sale: Referral, t: TFunction): string {
  const { referredContactName: name } = sale;
  const referrer = referrerName(sale);
  return referrer === null ? name : t('{{name}} · Recommandation {{ofName}}', { name, ofName: ofName(referrer) });
}

/** Status chosen at first: sent again after a correction of the contract (UI-11), contacted after a call (UI-06). */
function proposedChoice(sale: Referral, isCalled: boolean): SaleChoice | undefined {
  if (sale.correction !== null && isOpen(sale)) return 'pending_validation';
  return isCalled && saleChoiceOf(sale) === 'pending' ? 'contacted' : undefined;
}
