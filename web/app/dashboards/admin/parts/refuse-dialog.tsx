import {
  contractRefused,
  contractRefusedDetail,
  refusalReasonRequired,
  saleRefusalFailed,
} from '@parrain/domain/messages';
import { formatEuros } from '@parrain/domain/money';
import type { Sale } from '@parrain/domain/sale';
import { useMutation } from '@tanstack/react-query';
import { MessageSquareReply } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { reasonOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { refuseSale } from '#api/sales/refuse-sale';
import { Button } from '#ui/button';
import { useToast } from '#ui/toast';
import { ofName } from '@parrain/domain/of-name';
import { ReasonDialog } from './reason-dialog.tsx';

/** AD-09, V-04: refusing a contract, with a reason that the others read. */
export function RefuseDialog({
  sale,
  onAskInstead,
  onClose,
  onDecided,
}: {
  sale: Sale;
  /** « Demander une correction » instead (UI-11). */
  onAskInstead: () => void;
  onClose: () => void;
  onDecided?: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const toast = useToast();
  const refusal = useMutation({
    mutationFn: (reason: string) => refuseSale(sale, reason),
    onSuccess: () => {
      toast.success(t(contractRefused), { description: t(contractRefusedDetail) });
      onClose();
      onDecided?.();
    },
    // The screen may be stale: the list is read again behind the refusal.
    onError: refresh,
  });
  return (
    <ReasonDialog
      title={t('Refuser le contrat {{ofName}} ?', { ofName: ofName(sale.referredContactName) })}
      description={
        sale.contractAmount === null
          ? t(contractRefusedDetail)
          : t('Contrat de {{amount}}. Aucune commission ne sera créée.', { amount: formatEuros(sale.contractAmount) })
      }
      reasonLabel={t('Raison du refus')}
      hint={t('Le commercial et le parrain la lisent.')}
      requiredMessage={refusalReasonRequired}
      confirmLabel={t('Refuser le contrat')}
      pending={refusal.isPending}
      error={refusal.isError ? saleRefusalFailed(reasonOf(refusal.error)) : undefined}
      onConfirm={(reason) => refusal.mutate(reason)}
      onClose={onClose}
    >
      <p>
        <Button size="sm" icon={<MessageSquareReply />} onClick={onAskInstead}>
          {t('Demander plutôt une correction')}
        </Button>
      </p>
    </ReasonDialog>
  );
}
