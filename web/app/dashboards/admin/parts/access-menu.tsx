import { useMutation } from '@tanstack/react-query';
import { EllipsisVertical, ShieldOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { resetSecondFactor } from '#api/people/reset-second-factor';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { IconButton } from '#ui/icon-button';
import { Menu } from '#ui/menu';
import { useToast } from '#ui/toast';

export interface AccessMenuProps {
  personId: string;
  name: string;
}

/** A rare action on a person's access: lets them in again after the loss of their phone or key (AU-17). */
export function AccessMenu({ personId, name }: AccessMenuProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const reset = useMutation({
    mutationFn: () => resetSecondFactor(personId),
    onSuccess: ({ removed, message }) => {
      if (removed > 0) toast.success(message);
      else toast.info(message);
      setAsking(false);
    },
  });
  return (
    <>
      <Menu
        trigger={<IconButton label={t('Autres actions pour {{name}}', { name })} icon={<EllipsisVertical />} />}
        items={[
          {
            id: 'reset',
            label: t('Retirer sa double authentification'),
            icon: <ShieldOff aria-hidden />,
            onSelect: () => setAsking(true),
          },
        ]}
      />
      {isAsking && (
        <ConfirmDialog
          open
          onOpenChange={() => setAsking(false)}
          title={t('Retirer la double authentification de {{name}} ?', { name })}
          description={t(
            'À faire quand son téléphone ou sa clé sont perdus. Ses appareils sont déconnectés et un e-mail l’en informe ; son mot de passe suffira de nouveau. Assurez-vous d’abord que la demande vient bien de cette personne.',
          )}
          confirmLabel={t('Retirer')}
          pending={reset.isPending}
          error={reset.isError ? messageOf(reset.error, t('Le retrait n’a pas abouti. Réessayez.')) : undefined}
          onConfirm={() => reset.mutate()}
        />
      )}
    </>
  );
}
