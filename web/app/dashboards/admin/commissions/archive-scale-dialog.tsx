import type { CommissionRate } from '@parrain/domain/commission';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Notice } from '#ui/notice';
import { useArchiveScale } from './use-archive-scale.ts';

/** S-12, NV-09: asked before the default scale is archived, for no other takes its place; any other goes without. */
export function ArchiveScaleDialog({ scale, onClose }: { scale: CommissionRate; onClose: () => void }) {
  const { t } = useTranslation();
  const archiving = useArchiveScale();
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
      onConfirm={() => archiving.mutate(scale, { onSuccess: onClose })}
    >
      <Notice tone="warning">
        {t('C’est le barème par défaut : choisissez-en un autre ensuite, il n’y en aura plus.')}
      </Notice>
    </ConfirmDialog>
  );
}
