import { zodResolver } from '@hookform/resolvers/zod';
import { forgotPasswordForm, type ForgotPassword as Request } from '@parrain/domain/forms/forgot-password';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';
import { messageOf } from '#api/transport/api-error';
import { requestPasswordLink } from '#api/account/request-password-link';
import { useSession } from '#api/transport/session';
import { recoverWithCode } from '#api/account/sign-in-by-mail';
import { Button } from '#ui/button';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { BackToLogin } from './back-to-login.tsx';
import { CodeForm } from './code-form.tsx';

export const meta = () => [{ title: 'Mot de passe oublié – Parrain' }];

/** the same answer whether the account exists or not. */
export default function ForgotPassword() {
  const { t } = useTranslation();
  const session = useSession();
  const [sentTo, setSentTo] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const form = useForm({ resolver: zodResolver(forgotPasswordForm), mode: 'onTouched', defaultValues: { email: '' } });
  const { errors, isSubmitting } = form.formState;

  // The code opened a session: the new password comes next, after the second step where there is one.
  if (session.status === 'password-change' || session.status === 'second-factor')
    return <Navigate to="/auth/new-password" replace />;

  const send = async ({ email }: Request) => {
    setFailure(undefined);
    try {
      await requestPasswordLink(email);
      setSentTo(email);
    } catch (error) {
      setFailure(messageOf(error, t('La demande n’a pas pu être envoyée. Réessayez.')));
    }
  };

  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Mot de passe oublié ?')}
      </h1>
      <p className="mt-1 text-encre-soft">
        {t('Indiquez votre adresse : nous vous envoyons un lien pour en choisir un nouveau.')}
      </p>
      {sentTo && (
        <Notice tone="success" className="mt-6" title={t('Demande enregistrée')}>
          {t('Si un compte existe à l’adresse')} {sentTo}
          {t(', un e-mail vient de partir. Son lien est valable une heure ; pensez à regarder vos indésirables.')}
        </Notice>
      )}
      {failure && (
        <Notice tone="error" className="mt-6">
          {failure}
        </Notice>
      )}
      {sentTo !== undefined && (
        <div className="mt-6 border-b border-hairline pb-6">
          <CodeForm action={t('Continuer avec ce code')} onCode={(code) => recoverWithCode(sentTo, code)} />
        </div>
      )}
      <form noValidate onSubmit={form.handleSubmit(send)} className="mt-6 flex flex-col gap-5">
        <Field label={t('Adresse e-mail')} error={errors.email?.message}>
          <EmailInput autoComplete="username" {...form.register('email')} />
        </Field>
        <Button type="submit" variant={sentTo ? 'secondary' : 'primary'} size="lg" pending={isSubmitting}>
          {sentTo ? t('Envoyer à nouveau') : t('Recevoir le lien')}
        </Button>
      </form>
      <BackToLogin />
    </>
  );
}
