import { UserPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '#ui/empty-state';

/** Empty state of a client who invited nobody: the three steps to a commission. */
export default function NoFriend({ action }: { action: ReactNode }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={<UserPlus />}
      title={t('Aucun parrainage pour le moment')}
      steps={[
        t('Invitez un ami : son nom, son e-mail et un mot de vous. Ou donnez votre lien.'),
        t('Votre commercial le rappelle ; chaque étape se suit ici.'),
        t('Au contrat validé, votre commission est à vous : demandez-la quand vous voulez.'),
      ]}
      action={action}
    />
  );
}
