import { friendInvitationForm } from '@parrain/domain/forms/friend-invitation';
import { personalMessageLengthMax } from '@parrain/domain/forms/limits';
import { friendInvitationFailed, friendInvitedAs, friendRecommended } from '@parrain/domain/messages';
import { useTranslation } from 'react-i18next';
import { ApiError, messageOf } from '#api/transport/api-error';
import { inviteFriend } from '#api/people/invite-friend';
import { useProfile } from '#api/transport/session';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { InvitePersonDialog } from '../../parts/invite-person-dialog.tsx';

interface InviteFriendDialogProps {
  open: boolean;
  /** True where the friend gets an e-mail: without a mail server none leaves. */
  isMailSent: boolean;
  onClose: () => void;
}

/** « Inviter un ami » (CL-03, V-12): the friend gets an e-mail, the commercial a contact to call. */
export function InviteFriendDialog({ open, isMailSent, onClose }: InviteFriendDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  return (
    <InvitePersonDialog
      open={open}
      onClose={onClose}
      title={t('Inviter un ami')}
      description={
        isMailSent
          ? t('Il reçoit un e-mail de votre part, puis votre commercial le rappelle.')
          : t('Votre commercial le rappelle de votre part.')
      }
      action={isMailSent ? t('Envoyer l’invitation') : t('Inviter cet ami')}
      schema={friendInvitationForm}
      empty={{ name: '', email: '', phone: '', personalMessage: '' }}
      labels={{ name: t('Nom de votre ami'), email: t('E-mail de votre ami') }}
      phoneHint={t('Votre commercial le joindra plus vite. Par exemple 06 12 34 56 78.')}
      failure={(error) => <Notice tone="error">{friendInvitationMessage(error)}</Notice>}
      fields={({ register, formState: { errors } }) => (
        <>
          <Field label={t('Message personnel')} optional error={errors.personalMessage?.message}>
            <Textarea
              rows={4}
              counterMax={personalMessageLengthMax}
              maxLength={personalMessageLengthMax}
              placeholder={t('Bonjour, je te recommande…')}
              {...register('personalMessage')}
            />
          </Field>
          <p className="text-sm text-encre-soft">
            {isMailSent
              ? t('En envoyant cette invitation, vous confirmez que votre ami est d’accord pour être contacté.')
              : t('En l’invitant, vous confirmez que votre ami est d’accord pour être contacté.')}
          </p>
        </>
      )}
      invite={(friend) => inviteFriend(friend, profile)}
      onInvited={(state) => {
        if (isMailSent) toast[state === 'sent' ? 'success' : 'info'](t(friendInvitedAs[state]));
        else toast.success(t(friendRecommended));
      }}
    />
  );
}

/** « Erreur lors de l'envoi de l'invitation: {message} », or its default where the server gave no text. */
function friendInvitationMessage(error: unknown): string {
  const isSaid = error instanceof ApiError && error.text !== undefined;
  return isSaid ? friendInvitationFailed(error.text) : messageOf(error, friendInvitationFailed());
}
