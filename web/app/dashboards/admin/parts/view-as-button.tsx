import { useMutation } from '@tanstack/react-query';
import { Eye } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { viewAs } from '#api/transport/view';
import { useToast } from '#ui/toast';
import { ActionButton, type Action } from '../../shell/actions.tsx';

const viewScreen: Action = { id: 'voir-comme', label: 'Voir son écran', icon: <Eye aria-hidden /> };

/** Opens the screen of a commercial or a client as they see it, to be read only (UI-15). */
export function ViewAsButton({ personId }: { personId: string }) {
  const { t } = useTranslation();
  const toast = useToast();
  const view = useMutation({
    mutationFn: () => viewAs(personId),
    onError: (error) => toast.error(messageOf(error, t('L’écran n’a pas pu être ouvert. Réessayez.'))),
  });
  // The page is on its way to the other screen once the answer is there.
  const isLeaving = view.isPending || view.isSuccess;
  return <ActionButton variant="quiet" action={viewScreen} pending={isLeaving} onRun={() => view.mutate()} />;
}
