import { clientDeleted, clientDeletionFailed } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { responseMessageOf } from '#api/transport/api-error';
import type { ClientSummary } from '#api/people/client-summaries';
import { deleteClient } from '#api/people/delete-client';
import { refresh } from '#api/transport/refresh';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { useToast } from '#ui/toast';

export interface DeleteClientDialogProps {
  client: ClientSummary | undefined;
  /** The client is gone: their panel too. */
  onDeleted: (client: ClientSummary) => void;
  onClose: () => void;
}

/** Deletes a client without revenue, after saying that it cannot be undone (CO-07, V-13). */
export function DeleteClientDialog({ client, onDeleted, onClose }: DeleteClientDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [shown, setShown] = useState(client);
  if (client !== undefined && client !== shown) setShown(client);
  const removal = useMutation({
    mutationFn: (leaving: ClientSummary) => deleteClient(leaving.id),
    onSuccess: (_answer, leaving) => {
      toast.success(clientDeleted(leaving.fullName));
      onDeleted(leaving);
      close();
    },
    onSettled: refresh,
  });
  const close = () => {
    removal.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      open={client !== undefined}
      onOpenChange={(open) => !open && close()}
      title={t('Supprimer {{name}} ?', { name: shown?.fullName ?? '' })}
      description={t(
        'Cette action est irréversible. Le client et les données qui lui sont associées seront supprimés.',
      )}
      confirmLabel={t('Supprimer le client')}
      pending={removal.isPending}
      error={removal.error ? responseMessageOf(removal.error, t(clientDeletionFailed)) : undefined}
      onConfirm={() => shown && removal.mutate(shown)}
    />
  );
}
