import { commercialInvitationForm } from '@parrain/domain/forms/commercial-invitation';
import { invitationFailed } from '@parrain/domain/messages';
import { useTranslation } from 'react-i18next';
import { reasonOf } from '#api/transport/api-error';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { inviteCommercial } from '#api/people/invite-commercial';
import { Notice } from '#ui/notice';
import { InvitePersonDialog } from '../../parts/invite-person-dialog.tsx';
import { adminTakenAdvice, takenAdvice } from '../../parts/taken-advice.ts';
import { useCredentialsWay, useInvitationAction } from '../../parts/use-sends-mail.ts';

export interface InviteCommercialDialogProps {
  open: boolean;
  onClose: () => void;
  onInvited: (name: string, outcome: InvitationOutcome) => void;
}

/** The fields of a commercial's invitation, wherever its form stands. */
export function useCommercialInvitation() {
  const { t } = useTranslation();
  return {
    schema: commercialInvitationForm,
    empty: { name: '', email: '', phone: '' },
    failure: (error: Error) => (
      <Notice tone="error" title={t(invitationFailed)}>
        {reasonOf(error)}
        {takenAdvice(error, t(adminTakenAdvice))}
      </Notice>
    ),
  };
}

/** « Ajouter un commercial » (AD-04, V-08). */
export function InviteCommercialDialog({ open, onClose, onInvited }: InviteCommercialDialogProps) {
  const { t } = useTranslation();
  const credentialsWay = useCredentialsWay();
  const invitationAction = useInvitationAction();
  const invitation = useCommercialInvitation();
  return (
    <InvitePersonDialog
      open={open}
      onClose={onClose}
      size="sm"
      title={t('Ajouter un commercial')}
      description={credentialsWay}
      action={invitationAction}
      {...invitation}
      invite={inviteCommercial}
      onInvited={(outcome, { name }) => onInvited(name, outcome)}
    />
  );
}
