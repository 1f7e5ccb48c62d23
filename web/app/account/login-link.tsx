import { zodResolver } from '@hookform/resolvers/zod';
import { forgotPasswordForm } from '@parrain/domain/forms/forgot-password';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { useSession } from '#api/transport/session';
import { requestSignInLink, signInWithCode } from '#api/account/sign-in-by-mail';
import { Button } from '#ui/button';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { BackToLogin } from './back-to-login.tsx';
import { CodeForm } from './code-form.tsx';
import { nextStep } from './next-step.tsx';
import { NoMailNotice } from './no-mail-notice.tsx';
import { useSignInWays } from './use-sign-in-ways.ts';

export const meta = () => [{ title: 'Recevoir un lien de connexion – Parrain' }];

/** Signing in with what a mail holds, a link or a code (AU-07); the same answer whether the account exists or not. */
export default function LoginLink() {
  const { t } = useTranslation();
  const session = useSession();
  const [sentTo, setSentTo] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const form = useForm({ resolver: zodResolver(forgotPasswordForm), mode: 'onTouched', defaultValues: { email: '' } });
  const { sendsMail } = useSignInWays();
  const next = nextStep(session);
  if (next) return next;

  const send = async ({ email }: { email: string }) => {
    setFailure(undefined);
    try {
      await requestSignInLink(email);
      setSentTo(email);
    } catch (error) {
      setFailure(messageOf(error, t('La demande n’a pas pu être envoyée. Réessayez.')));
    }
  };

  if (!sendsMail) {
    return (
      <>
        <h1 tabIndex={-1} className="text-xl">
          {t('Recevoir un lien de connexion')}
        </h1>
        <NoMailNotice />
        <BackToLogin />
      </>
    );
  }
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Recevoir un lien de connexion')}
      </h1>
      <p className="mt-1 text-encre-soft">
        {t('Sans mot de passe : un lien et un code vous attendent dans votre boîte aux lettres.')}
      </p>
      {failure && (
        <Notice tone="error" className="mt-6">
          {failure}
        </Notice>
      )}
      {sentTo === undefined ? (
        <form method="post" noValidate onSubmit={form.handleSubmit(send)} className="mt-6 flex flex-col gap-5">
          <Field label={t('E-mail')} error={form.formState.errors.email?.message}>
            <EmailInput autoComplete="username" {...form.register('email')} />
          </Field>
          <Button type="submit" variant="primary" size="lg" pending={form.formState.isSubmitting}>
            {t('Recevoir le lien')}
          </Button>
        </form>
      ) : (
        <>
          <Notice tone="success" className="mt-6 mb-6" title={t('Demande enregistrée')}>
            <span className="wrap-anywhere">
              {t(
                'Si un compte existe à l’adresse {{email}}, un e-mail y est envoyé. S’il n’arrive pas en quelques minutes, regardez vos indésirables.',
                {
                  email: sentTo,
                },
              )}
            </span>
          </Notice>
          <CodeForm action={t('Se connecter')} onCode={(code) => signInWithCode(sentTo, code)} />
          <Button variant="quiet" className="mt-3 -ml-4 self-start" onClick={() => setSentTo(undefined)}>
            {t('Demander un autre message')}
          </Button>
        </>
      )}
      <BackToLogin />
    </>
  );
}
