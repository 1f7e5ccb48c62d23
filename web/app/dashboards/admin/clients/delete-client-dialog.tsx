import { clientDeleted, clientDeletionFailed, clientHasRevenue } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ClientCard } from '#api/people/all-clients';
import { messageOf } from '#api/transport/api-error';
import { deleteClient } from '#api/people/delete-client';
import { refresh } from '#api/transport/refresh';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { useToast } from '#ui/toast';

export interface DeleteClientDialogProps {
  client: ClientCard;
  onClose: () => void;
}

/** V-13: irreversible, and refused with a reason where revenue, a commission, a request or a live referral hangs on them. */
export function DeleteClientDialog({ client, onClose }: DeleteClientDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const name = client.fullName;
  const hasRevenue = client.revenue > 0n;
  const deletion = useMutation({
    mutationFn: () => deleteClient(client.id),
    onSuccess: () => {
      refresh();
      toast.success(clientDeleted(name));
      onClose();
    },
  });
  const error = deletion.isError
    ? messageOf(deletion.error, t(clientDeletionFailed))
    : hasRevenue
      ? t(clientHasRevenue)
      : undefined;
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
      confirmDisabled={hasRevenue}
      error={error}
      onConfirm={() => deletion.mutate()}
    />
  );
}
