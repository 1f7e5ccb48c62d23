import { clientDeleted, clientDeletionFailed } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { deleteClient } from '#api/people/delete-client';
import { refresh } from '#api/transport/refresh';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { useToast } from '#ui/toast';

export interface DeleteClientDialogProps {
  client: { id: string; fullName: string };
  /** The client is gone: their panel too. */
  onDeleted: () => void;
  onClose: () => void;
}

/** V-13: irreversible, and refused with a reason where revenue, a commission, a request or a live referral hangs on them. */
export function DeleteClientDialog({ client, onDeleted, onClose }: DeleteClientDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const name = client.fullName;
  const deletion = useMutation({
    mutationFn: () => deleteClient(client.id),
    onSuccess: () => {
      onDeleted();
      refresh();
      toast.success(clientDeleted(name));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Supprimer {{name}} ?', { name })}
      description={t(
        'Cette action est irréversible : le client et les données qui ne concernent que lui sont supprimés.',
      )}
      confirmLabel={t('Supprimer le client')}
      pending={deletion.isPending}
      error={deletion.isError ? messageOf(deletion.error, t(clientDeletionFailed)) : undefined}
      onConfirm={() => deletion.mutate()}
    />
  );
}
