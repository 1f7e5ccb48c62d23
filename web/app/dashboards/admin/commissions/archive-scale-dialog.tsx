import type { CommissionRate } from '@parrain/domain/commission';
import { updateFailed } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { archiveCommissionRate } from '#api/scales/archive-commission-rate';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

/** S-12: archived, it serves no new sale; the sales that used it keep their copy. */
export function ArchiveScaleDialog({ scale, onClose }: { scale: CommissionRate; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const archiving = useMutation({
    mutationFn: () => archiveCommissionRate(scale.id),
    onSuccess: () => {
      toast.success(t('Barème « {{name}} » archivé', { name: scale.name }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Archiver « {{name}} » ?', { name: scale.name })}
      description={t(
        'Il ne pourra plus servir à valider un contrat. Les ventes qui l’ont utilisé gardent leurs commissions, au centime près.',
      )}
      confirmLabel={t('Archiver le barème')}
      pending={archiving.isPending}
      error={archiving.isError ? messageOf(archiving.error, t(updateFailed)) : undefined}
      onConfirm={() => archiving.mutate()}
    >
      {scale.isDefault && (
        <Notice tone="warning">
          {t('C’est le barème par défaut : choisissez-en un autre ensuite, il n’y en aura plus.')}
        </Notice>
      )}
    </ConfirmDialog>
  );
}
