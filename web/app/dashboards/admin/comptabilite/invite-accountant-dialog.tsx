import { accountantInvitationForm } from '@parrain/domain/forms/accountant';
import { invitationFailed } from '@parrain/domain/messages';
import { useTranslation } from 'react-i18next';
import { inviteAccountant } from '#api/people/accountants';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { reasonOf } from '#api/transport/api-error';
import { Notice } from '#ui/notice';
import { InvitePersonDialog } from '../../parts/invite-person-dialog.tsx';
import { useCredentialsWay, useInvitationAction } from '../../parts/use-sends-mail.ts';

export interface InviteAccountantDialogProps {
  /** The main button where the dossier leaves with the invitation. */
  action?: string | undefined;
  onClose: () => void;
  onInvited: (name: string, outcome: InvitationOutcome) => void;
}

/** UI-12: the accountant's name and e-mail; they read the accounting and change nothing. */
export default function InviteAccountantDialog({ action, onClose, onInvited }: InviteAccountantDialogProps) {
  const { t } = useTranslation();
  const credentialsWay = useCredentialsWay();
  const invitationAction = useInvitationAction();
  return (
    <InvitePersonDialog
      open
      onClose={onClose}
      size="sm"
      title={t('Inviter mon comptable')}
      description={[
        t('Il lira et téléchargera la comptabilité, les relevés et les pièces, sans rien pouvoir modifier.'),
        credentialsWay,
      ].join(' ')}
      action={action ?? invitationAction}
      schema={accountantInvitationForm}
      empty={{ name: '', email: '' }}
      failure={(error) => (
        <Notice tone="error" title={t(invitationFailed)}>
          {reasonOf(error)}
        </Notice>
      )}
      invite={inviteAccountant}
      onInvited={(outcome, { name }) => onInvited(name, outcome)}
    />
  );
}
