import type { CommissionRate } from '@parrain/domain/commission';
import { updateFailed } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { archiveCommissionRate } from '#api/scales/archive-commission-rate';
import { restoreCommissionRate } from '#api/scales/restore-commission-rate';
import { messageOf } from '#api/transport/api-error';
import { useToast } from '#ui/toast';

/**
 * S-12, NV-09: archived, a scale serves no new sale; the sales that used it keep their copy. At once, and for ten seconds it can
 * come back: no amount depends on it.
 */
export function useArchiveScale() {
  const { t } = useTranslation();
  const toast = useToast();
  const failed = (error: Error) => toast.error(messageOf(error, t(updateFailed)));
  const restoring = useMutation({
    mutationFn: (scale: CommissionRate) => restoreCommissionRate(scale.id),
    onSuccess: (_answer, { name }) => toast.info(t('Barème « {{name}} » de nouveau en vigueur', { name })),
    onError: failed,
  });
  return useMutation({
    mutationFn: (scale: CommissionRate) => archiveCommissionRate(scale.id),
    onSuccess: (_answer, scale) =>
      toast.success(t('Barème « {{name}} » archivé', { name: scale.name }), {
        // The default one leaves a gap that coming back would not fill.
        action: scale.isDefault ? undefined : { label: t('Annuler'), onClick: () => restoring.mutate(scale) },
      }),
    onError: failed,
  });
}
