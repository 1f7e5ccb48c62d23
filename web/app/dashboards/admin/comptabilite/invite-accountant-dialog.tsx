import { accountantInvitationForm } from '@parrain/domain/forms/accountant';
import { invitationFailed } from '@parrain/domain/messages';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { inviteAccountant } from '#api/people/accountants';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { reasonOf } from '#api/transport/api-error';
import { Notice } from '#ui/notice';
import { InvitationResult } from '../../parts/invitation-result.tsx';
import { InvitePersonDialog } from '../../parts/invite-person-dialog.tsx';
import { useCredentialsWay, useInvitationAction, useSendsMail } from '../../parts/use-sends-mail.ts';

export interface InviteAccountantDialogProps {
  open: boolean;
  onClose: () => void;
  /** Sends the dossier with the invitation, which then tells of itself only where credentials are to be passed on. */
  andSend?: () => void;
  /** The page that credentials which are passed on by hand lead to: the dossier's own. */
  path?: string;
}

/** UI-12: the accountant's name and e-mail, then what became of the invitation; they read the accounting and change nothing. */
export default function InviteAccountantDialog({ open, onClose, andSend, path }: InviteAccountantDialogProps) {
  const { t } = useTranslation();
  const credentialsWay = useCredentialsWay();
  const invitationAction = useInvitationAction();
  // No mail leaves: the credentials lead to the dossier by themselves.
  const sendsMail = useSendsMail();
  const [invited, setInvited] = useState<{ name: string; outcome: InvitationOutcome }>();
  return (
    <>
      <InvitePersonDialog
        open={open}
        onClose={onClose}
        size="sm"
        title={t('Inviter mon comptable')}
        description={[
          t('Il lira et téléchargera la comptabilité, les relevés et les pièces, sans rien pouvoir modifier.'),
          credentialsWay,
        ].join(' ')}
        action={andSend && sendsMail ? t('Inviter et envoyer') : invitationAction}
        schema={accountantInvitationForm}
        empty={{ name: '', email: '' }}
        failure={(error) => (
          <Notice tone="error" title={t(invitationFailed)}>
            {reasonOf(error)}
          </Notice>
        )}
        invite={inviteAccountant}
        onInvited={(outcome, { name }) => {
          if (!andSend || outcome.state !== 'sent') setInvited({ name, outcome });
          if (sendsMail) andSend?.();
        }}
      />
      <InvitationResult invited={invited} path={path} onClose={() => setInvited(undefined)} />
    </>
  );
}
