import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { reactivateCommercial } from '#api/people/reactivate-commercial';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { useToast } from '#ui/toast';

export interface ReactivateCommercialDialogProps {
  commercial: { id: string; fullName: string };
  onClose: () => void;
}

/** AD-05: a deactivated commercial may come back. */
export function ReactivateCommercialDialog({ commercial, onClose }: ReactivateCommercialDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const name = commercial.fullName;
  const reactivation = useMutation({
    mutationFn: () => reactivateCommercial(commercial.id),
    onSuccess: () => {
      toast.success(t('Commercial {{name}} réactivé', { name }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t('Réactiver {{name}} ?', { name })}
      description={t('Il pourra de nouveau se connecter, avec son mot de passe, et retrouvera ce qui est à son nom.')}
      confirmLabel={t('Réactiver le commercial')}
      pending={reactivation.isPending}
      error={reactivation.isError ? messageOf(reactivation.error, t('Erreur lors de la mise à jour')) : undefined}
      onConfirm={() => reactivation.mutate()}
    />
  );
}
