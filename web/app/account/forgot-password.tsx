import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation } from 'react-router';
import { messageOf } from '#api/transport/api-error';
import { requestPasswordLink } from '#api/account/request-password-link';
import { useSession } from '#api/transport/session';
import { recoverWithCode } from '#api/account/sign-in-by-mail';
import { Button } from '#ui/button';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { lazyPart } from '#ui/lazy-part';
import { BackToLogin } from './back-to-login.tsx';
import { NoMailNotice } from './no-mail-notice.tsx';
import { textInState } from './text-in-state.ts';
import { useHydrated } from './use-hydrated.ts';
import { usePrerenderedForm } from './use-prerendered-form.ts';
import { WhereOffered } from './where-offered.tsx';

// Lazy: only after a mail was asked for.
const CodeForm = lazyPart(async () => ({ default: (await import('./code-form.tsx')).CodeForm }));

export const meta = () => [
  { title: 'Mot de passe oublié – Parrain' },
  {
    name: 'description',
    content: 'Mot de passe oublié ? Recevez par e-mail un lien pour en choisir un nouveau.',
  },
];

/** the same answer whether the account exists or not. */
export default function ForgotPassword() {
  const { t } = useTranslation();
  const session = useSession();
  const { state } = useLocation();
  // UI-10: as it was typed at the sign-in. The written picture knows nothing of how one came here.
  const typed = useHydrated() ? textInState(state, 'email') : undefined;
  const [sentTo, setSentTo] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const form = usePrerenderedForm({
    fields: ['email'],
    schema: async () => (await import('@parrain/domain/forms/forgot-password')).forgotPasswordForm,
    send: async ({ email }) => {
      setFailure(undefined);
      try {
        await requestPasswordLink(email);
        setSentTo(email);
      } catch (error) {
        setFailure(messageOf(error, t('La demande n’a pas pu être envoyée. Réessayez.')));
      }
    },
  });

  // The code opened a session: the new password comes next, after the second step where there is one.
  if (session.status === 'password-change' || session.status === 'second-factor')
    return <Navigate to="/auth/new-password" replace />;

  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Mot de passe oublié ?')}
      </h1>
      <WhereOffered what="mails" otherwise={<NoMailNotice />}>
        <p className="mt-1 text-encre-soft">
          {t('Indiquez votre adresse : nous vous envoyons un lien pour en choisir un nouveau.')}
        </p>
        {sentTo && (
          <Notice tone="success" className="mt-6" title={t('Demande enregistrée')}>
            {t('Si un compte existe à l’adresse')} {sentTo}
            {t(
              ', un e-mail y est envoyé. Son lien est valable une heure. S’il n’arrive pas en quelques minutes, regardez vos indésirables, puis adressez-vous à votre entreprise.',
            )}
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
        <form method="post" {...form.props} className="mt-6 flex flex-col gap-5">
          <Field label={t('E-mail')} error={form.errors.email}>
            <EmailInput autoComplete="username" name="email" defaultValue={typed} />
          </Field>
          <Button {...form.button} variant={sentTo ? 'secondary' : 'primary'} size="lg">
            {sentTo ? t('Envoyer à nouveau') : t('Recevoir le lien')}
          </Button>
        </form>
      </WhereOffered>
      <BackToLogin />
    </>
  );
}
