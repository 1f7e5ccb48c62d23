import { useMutation, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { givePassword, mayGivePasswordQuery } from '#api/people/give-password';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { ActionButton, type Action } from '../shell/actions.tsx';
import { InvitationResult } from './invitation-result.tsx';
import { useSendsMail } from './use-sends-mail.ts';

const newPassword: Action = {
  id: 'nouveau-mot-de-passe',
  label: 'Nouveau mot de passe temporaire',
  icon: <KeyRound aria-hidden />,
};

/** V-19: the act by which somebody gets in again whose password nobody knows; where it may be done. */
export function TemporaryPassword({ person }: { person: { id: string; fullName: string } }) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  const { data: may = false } = useQuery(mayGivePasswordQuery(person.id));
  const [asking, setAsking] = useState(false);
  const [given, setGiven] = useState<{ name: string; outcome: InvitationOutcome }>();
  const giving = useMutation({
    mutationFn: () => givePassword(person.id),
    onSuccess: (outcome) => {
      setAsking(false);
      setGiven({ name: person.fullName, outcome });
      refresh();
    },
  });
  return (
    <>
      {may && <ActionButton action={newPassword} onRun={() => setAsking(true)} />}
      <ConfirmDialog
        open={asking}
        onOpenChange={() => {
          setAsking(false);
          giving.reset();
        }}
        title={t('Donner un nouveau mot de passe à {{name}} ?', { name: person.fullName })}
        description={t(
          sendsMail
            ? 'Son mot de passe actuel ne fonctionnera plus et ses appareils seront déconnectés. Le nouveau part par e-mail : il en choisira un autre à sa prochaine connexion.'
            : 'Son mot de passe actuel ne fonctionnera plus et ses appareils seront déconnectés. Le nouveau s’affiche ensuite, à lui transmettre : il en choisira un autre à sa prochaine connexion.',
        )}
        confirmLabel={t('Donner un nouveau mot de passe')}
        pending={giving.isPending}
        error={
          giving.isError ? messageOf(giving.error, t('Le mot de passe n’a pas pu être changé. Réessayez.')) : undefined
        }
        onConfirm={() => giving.mutate()}
      />
      <InvitationResult isRenewal invited={given} onClose={() => setGiven(undefined)} />
    </>
  );
}
