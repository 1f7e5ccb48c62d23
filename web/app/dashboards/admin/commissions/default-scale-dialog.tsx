import { updateFailed } from '@parrain/domain/messages';
import { sideSentence } from '@parrain/domain/scale-rules';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import type { Scale } from '#api/scales/commission-rates';
import { setDefaultCommissionRate } from '#api/scales/set-default-commission-rate';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { useToast } from '#ui/toast';

/** AD-08, AD-12: the scale that is preselected when a contract is validated. It decides amounts: asked before. */
export function DefaultScaleDialog({ scale, onClose }: { scale: Scale; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const promotion = useMutation({
    mutationFn: () => setDefaultCommissionRate(scale.id),
    onSuccess: () => {
      toast.success(t('« {{name}} » est le barème par défaut', { name: scale.name }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t('Définir « {{name}} » par défaut ?', { name: scale.name })}
      description={t(
        'Il sera présélectionné à la validation des contrats : {{client}} pour le client, {{commercial}} pour le commercial. Les ventes déjà validées ne changent pas.',
        { client: sideSentence(scale.scale.client), commercial: sideSentence(scale.scale.commercial) },
      )}
      confirmLabel={t('Définir par défaut')}
      pending={promotion.isPending}
      error={promotion.isError ? messageOf(promotion.error, t(updateFailed)) : undefined}
      onConfirm={() => promotion.mutate()}
    />
  );
}
