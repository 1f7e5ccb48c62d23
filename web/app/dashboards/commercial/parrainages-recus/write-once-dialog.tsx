import { zodResolver } from '@hookform/resolvers/zod';
import { friendMessageForm } from '@parrain/domain/forms/friend-message';
import { personalMessageLengthMax } from '@parrain/domain/forms/limits';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { writeToFriend } from '#api/sales/write-to-friend';
import type { Referral } from '#api/sales/referral';
import { messageOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { refresh } from '#api/transport/refresh';
import { useDraft } from '#api/transport/use-draft';
import { randomKey } from '#api/transport/random-key';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { useSendsMail } from '../../parts/use-sends-mail.ts';

export interface WriteOnceDialogProps {
  referral: Referral;
  onClose: () => void;
}

/** « Écrire une seule fois » (CS-03): the one message to a friend who has not said whether they may be called. */
export default function WriteOnceDialog({ referral, onClose }: WriteOnceDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const isMailed = useSendsMail();
  const [key] = useState(() => randomKey());
  const form = useForm({
    resolver: zodResolver(friendMessageForm),
    mode: 'onTouched',
    defaultValues: { sale_id: referral.id, message: '' },
  });
  useDraft(form, `friend-message/${referral.id}`);
  const write = useMutation({
    mutationFn: (written: { saleId: string; message: string }) => writeToFriend(written, key),
    onSuccess: ({ message, byHand, emailState }, written) => {
      if (byHand)
        location.assign(`mailto:${referral.referredContactEmail}?body=${encodeURIComponent(written.message)}`);
      toast[emailState === 'sent' ? 'success' : 'info'](t(message));
      onClose();
    },
    onError: (error) => setServerIssues(error, ['message'], form.setError),
    // Refused or accepted, what is on screen may be old.
    onSettled: refresh,
  });
  return (
    <FormDialog
      title={t('Écrire une seule fois à {{name}}', { name: referral.referredContactName })}
      description={t(
        'Ce contact n’a pas dit s’il accepte d’être appelé : vous pouvez lui écrire une fois, pas davantage.',
      )}
      action={isMailed ? t('Envoyer le message') : t('Ouvrir ma messagerie')}
      onClose={onClose}
      pending={write.isPending}
      onSubmit={form.handleSubmit((written) => write.mutate(written))}
      failure={write.isError ? messageOf(write.error, t('Le message n’a pas pu être envoyé. Réessayez.')) : undefined}
    >
      <Field label={t('Votre message')} error={form.formState.errors.message?.message}>
        <Textarea
          rows={6}
          counterMax={personalMessageLengthMax}
          maxLength={personalMessageLengthMax}
          {...form.register('message')}
        />
      </Field>
      <p className="text-sm text-encre-soft">
        {isMailed
          ? t(
              'Il le reçoit par e-mail de votre entreprise, avec un bouton pour dire oui ou non. S’il répond à l’e-mail, sa réponse vous parvient.',
            )
          : t(
              'L’envoi d’e-mails n’est pas configuré : le message est noté comme envoyé, et votre messagerie s’ouvre pour que vous l’envoyiez.',
            )}
      </p>
    </FormDialog>
  );
}
