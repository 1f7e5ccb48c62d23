import { zodResolver } from '@hookform/resolvers/zod';
import { forgotPasswordForm } from '@parrain/domain/forms/forgot-password';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { changeEmail, ownAccountQuery, resendEmailChange } from '#api/account/own-account';
import { queryClient } from '#api/transport/query-client';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { EmailText } from '../email-text.tsx';
import { useSendsMail } from '../use-sends-mail.ts';

/** The address one signs in with: changed once both addresses have said yes (AU-13). */
export function EmailCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const sendsMail = useSendsMail();
  const [isOpen, setOpen] = useState(false);
  const { data: account } = useQuery(ownAccountQuery);
  const pending = account?.newEmail ?? null;
  const resend = useMutation({
    mutationFn: resendEmailChange,
    onSuccess: () => toast.success(t('Les liens sont partis à nouveau')),
  });
  return (
    <Card>
      <CardHeader
        title={t('E-mail')}
        level={4}
        actions={sendsMail && !isOpen && <Button onClick={() => setOpen(true)}>{t('Changer d’adresse')}</Button>}
      />
      <CardBody className="flex flex-col gap-4">
        <p className="font-medium">
          <EmailText email={profile.email} />
        </p>
        {!sendsMail && (
          <p className="text-encre-soft">
            {t('Changer d’adresse demande deux liens : aucun e-mail ne part de cette installation.')}
          </p>
        )}
        {sendsMail && pending !== null && (
          <Notice
            tone="warning"
            title={t('Changement en attente')}
            action={
              <Button size="sm" pending={resend.isPending} onClick={() => resend.mutate(profile.email)}>
                {t('Renvoyer les liens')}
              </Button>
            }
          >
            <span className="wrap-anywhere">
              {t(
                'Nouvelle adresse : {{email}}. Ouvrez les deux liens reçus, l’un à {{current}}, l’autre à {{email}}.',
                {
                  email: pending,
                  current: profile.email,
                },
              )}
            </span>
          </Notice>
        )}
        {resend.isError && <Notice tone="error">{messageOf(resend.error, t('Les liens n’ont pas pu partir.'))}</Notice>}
        {isOpen && <EmailForm current={profile.email} onClose={() => setOpen(false)} />}
      </CardBody>
    </Card>
  );
}

function EmailForm({ current, onClose }: { current: string; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(forgotPasswordForm),
    mode: 'onTouched',
    defaultValues: { email: '' },
  });
  const change = useMutation({
    mutationFn: changeEmail,
    onSuccess: () => {
      toast.success(t('Deux liens viennent de partir'));
      void queryClient.invalidateQueries({ queryKey: ownAccountQuery.queryKey });
      onClose();
    },
  });
  return (
    <form
      method="post"
      noValidate
      className="flex flex-col gap-5 border-t border-hairline pt-5"
      onSubmit={(event) =>
        void handleSubmit(({ email }) => {
          if (email === current.toLowerCase()) setError('email', { message: t('C’est déjà votre adresse.') });
          else change.mutate(email);
        })(event)
      }
    >
      <p className="text-encre-soft wrap-anywhere">
        {t(
          'Un lien part à l’adresse actuelle et un autre à la nouvelle : personne ne peut vous prendre votre compte en changeant l’une sans l’autre. Le changement prend effet quand les deux sont ouverts.',
        )}
      </p>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le changement n’a pas pu être demandé. Réessayez.'))}</Notice>
      )}
      <Field label={t('Nouvelle adresse e-mail')} error={formState.errors.email?.message}>
        {/* The code that was asked for is typed here. */}
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
        <EmailInput autoFocus autoComplete="email" {...register('email')} />
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={change.isPending}>
          {t('Recevoir les deux liens')}
        </Button>
        <Button variant="quiet" disabled={change.isPending} onClick={onClose}>
          {t('Annuler')}
        </Button>
      </div>
    </form>
  );
}
