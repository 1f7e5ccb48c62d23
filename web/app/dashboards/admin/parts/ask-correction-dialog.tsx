import { correctionAskedDetail, correctionMessageRequired } from '@parrain/domain/correction-messages';
import { correctionAsked } from '@parrain/domain/messages';
import { formatEuros } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import type { Sale } from '@parrain/domain/sale';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { askCorrection } from '#api/sales/ask-correction';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { useToast } from '#ui/toast';
import { ReasonDialog } from './reason-dialog.tsx';

/** UI-11: a contract that waits goes back to its commercial, who reads what to correct and sends it again. */
export function AskCorrectionDialog({
  sale,
  onClose,
  onDecided,
}: {
  sale: Sale;
  onClose: () => void;
  onDecided?: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const toast = useToast();
  const asking = useMutation({
    mutationFn: (message: string) => askCorrection(sale, message),
    onSuccess: () => {
      toast.success(t(correctionAsked), { description: t(correctionAskedDetail) });
      onClose();
      onDecided?.();
    },
    // The screen may be stale: the list is read again behind the dialog.
    onError: refresh,
  });
  return (
    <ReasonDialog
      tone="primary"
      title={t('Demander une correction du contrat {{ofName}} ?', { ofName: ofName(sale.referredContactName) })}
      description={t(
        'Contrat de {{amount}}. Il revient à {{commercial}}, « En négociation », pour être corrigé puis transmis de nouveau. Rien n’est refusé.',
        { amount: formatEuros(sale.contractAmount ?? 0n), commercial: sale.commercialName ?? t('son commercial') },
      )}
      reasonLabel={t('Ce qui est à corriger')}
      hint={t('Le commercial le lit, le parrain non.')}
      requiredMessage={correctionMessageRequired}
      confirmLabel={t('Demander la correction')}
      pending={asking.isPending}
      error={asking.isError ? messageOf(asking.error, t('Erreur lors de la mise à jour')) : undefined}
      onConfirm={(message) => asking.mutate(message)}
      onClose={onClose}
    />
  );
}
