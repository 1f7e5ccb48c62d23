import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { resetSecondFactor } from '#api/people/reset-second-factor';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { useToast } from '#ui/toast';
import { useSendsMail } from '../../parts/use-sends-mail.ts';

export interface SecondFactorDialogProps {
  person: { id: string; fullName: string };
  onClose: () => void;
}

/** Lets somebody in again after the loss of their phone or key (AU-17). */
export function SecondFactorDialog({ person, onClose }: SecondFactorDialogProps) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  const toast = useToast();
  const reset = useMutation({
    mutationFn: () => resetSecondFactor(person.id),
    onSuccess: ({ removed, message }) => {
      if (removed > 0) toast.success(message);
      else toast.info(message);
      refresh();
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Retirer la double authentification de {{name}} ?', { name: person.fullName })}
      description={t(
        sendsMail
          ? 'À faire quand son téléphone ou sa clé sont perdus. Ses appareils sont déconnectés et un e-mail l’en informe ; son mot de passe suffira de nouveau. Assurez-vous d’abord que la demande vient bien de cette personne.'
          : 'À faire quand son téléphone ou sa clé sont perdus. Ses appareils sont déconnectés ; son mot de passe suffira de nouveau. Assurez-vous d’abord que la demande vient bien de cette personne.',
      )}
      confirmLabel={t('Retirer')}
      pending={reset.isPending}
      error={reset.isError ? messageOf(reset.error, t('Le retrait n’a pas abouti. Réessayez.')) : undefined}
      onConfirm={() => reset.mutate()}
    />
  );
}
