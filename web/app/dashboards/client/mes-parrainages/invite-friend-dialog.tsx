import { zodResolver } from '@hookform/resolvers/zod';
import { friendInvitationForm, type FriendInvitation } from '@parrain/domain/forms/friend-invitation';
import { personalMessageLengthMax } from '@parrain/domain/forms/limits';
import { friendInvitationFailed, friendInvitedAs } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError, messageOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { inviteFriend } from '#api/people/invite-friend';
import { refresh } from '#api/transport/refresh';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Dialog } from '#ui/dialog';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PhoneField } from '#ui/phone-field';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';

interface InviteFriendDialogProps {
  open: boolean;
  /** Whether the friend gets an e-mail: without a mail server none leaves. */
  isMailSent: boolean;
  onClose: () => void;
}

/** « Inviter un ami » (CL-03, V-12): the friend gets an e-mail, the commercial a contact to call. */
export function InviteFriendDialog({ open, isMailSent, onClose }: InviteFriendDialogProps) {
  const { t } = useTranslation();
  const formId = useId();
  const toast = useToast();
  const profile = useProfile();
  const invitation = useMutation({
    mutationFn: (friend: FriendInvitation) => inviteFriend(friend, profile),
    onSuccess: (state) => {
      toast[state === 'sent' ? 'success' : 'info'](t(friendInvitedAs[state]));
      close();
    },
    onSettled: refresh,
  });
  const close = () => {
    invitation.reset();
    onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && !invitation.isPending && close()}
      title={t('Inviter un ami')}
      description={
        isMailSent
          ? t('Il reçoit un e-mail de votre part, puis votre commercial le rappelle.')
          : t('Votre commercial le rappelle de votre part.')
      }
      footer={
        <>
          <Button onClick={close} disabled={invitation.isPending}>
            {t('Annuler')}
          </Button>
          <Button type="submit" form={formId} variant="primary" pending={invitation.isPending}>
            {t("Envoyer l'invitation")}
          </Button>
        </>
      }
    >
      <InviteFriendForm
        id={formId}
        error={invitation.error}
        onSubmit={(friend, onRefused) => invitation.mutate(friend, { onError: onRefused })}
      />
    </Dialog>
  );
}

interface InviteFriendFormProps {
  id: string;
  error: Error | null;
  onSubmit: (friend: FriendInvitation, onRefused: (error: Error) => void) => void;
}

function InviteFriendForm({ id, error, onSubmit }: InviteFriendFormProps) {
  const { t } = useTranslation();
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(friendInvitationForm),
    mode: 'onTouched',
    defaultValues: { name: '', email: '', phone: '', personalMessage: '' },
  });
  const { errors } = formState;
  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) =>
        void handleSubmit((friend) => onSubmit(friend, (refused) => setServerIssues(refused, fields, setError)))(event)
      }
      className="flex flex-col gap-5"
    >
      {error && <Notice tone="error">{friendInvitationMessage(error)}</Notice>}
      <Field label={t('Nom de votre ami')} error={errors.name?.message}>
        <TextInput autoComplete="off" autoCapitalize="words" {...register('name')} />
      </Field>
      <Field label={t('Email de votre ami')} error={errors.email?.message}>
        <EmailInput autoComplete="off" {...register('email')} />
      </Field>
      <PhoneField
        label={t('Téléphone')}
        hint={t('Votre commercial le joindra plus vite. Par exemple 06 12 34 56 78.')}
        error={errors.phone?.message}
        {...register('phone')}
      />
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
        {t('En envoyant cette invitation, vous confirmez que votre ami est d’accord pour être contacté.')}
      </p>
    </form>
  );
}

const fields = ['name', 'email', 'phone', 'personalMessage'] as const;

/** « Erreur lors de l'envoi de l'invitation: {message} », or its default where the server gave no text. */
function friendInvitationMessage(error: unknown): string {
  const isSaid = error instanceof ApiError && error.text !== undefined;
  return isSaid ? friendInvitationFailed(error.text) : messageOf(error, friendInvitationFailed());
}
