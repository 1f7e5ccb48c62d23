import { accountCreated, profileNotLoaded, signInFailed } from '@parrain/domain/messages';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { messageOf } from '#api/transport/api-error';
import { useSession } from '#api/transport/session';
import { signIn } from '#api/account/sign-in';
import { Button, buttonClass } from '#ui/button';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PasswordInput } from '#ui/password-input';
import { DemoAccounts } from './demo-accounts.tsx';
import { nextStep } from './next-step.tsx';
import { OtherWays } from './other-ways.tsx';
import { textInState } from './text-in-state.ts';
import { useDemo, useDemoEntry } from './use-demo.ts';
import { useHydrated } from './use-hydrated.ts';
import { usePrerenderedForm } from './use-prerendered-form.ts';
import { WhereOffered } from './where-offered.tsx';

export const meta = () => [
  { title: 'Se connecter – Parrain' },
  {
    name: 'description',
    content: 'Connectez-vous à Parrain : vos parrainages, vos contrats et vos commissions, suivis jusqu’au virement.',
  },
];

/** Sign in, at /auth/login and at /login. */
export default function Login() {
  const { t } = useTranslation();
  const session = useSession();
  const { state } = useLocation();
  // Of an expired session (E-02), or a change of password. The written picture knows nothing of how one came here.
  const notice = useHydrated() ? textInState(state, 'notice') : undefined;
  const [failure, setFailure] = useState<{ title?: string; text: string }>();
  // UI-10: nobody types it again where the password is forgotten.
  const [typed, setTyped] = useState('');
  const form = usePrerenderedForm({
    fields: ['email', 'password'],
    schema: async () => (await import('@parrain/domain/forms/sign-in')).signInForm,
    send: async (credentials) => {
      setFailure(undefined);
      try {
        const reached = await signIn(credentials);
        if (reached.status === 'failed') setFailure({ title: t(profileNotLoaded), text: reached.error.message });
      } catch (error) {
        if (!form.showIssues(error)) setFailure({ text: messageOf(error, t(signInFailed)) });
      }
    },
  });

  const demo = useDemo();
  const isEnteringDemo = useDemoEntry(demo, session, form.enterAndSend);

  // A link into a dashboard that was opened without a session.
  const next = isEnteringDemo ? null : nextStep(session, textInState(state, 'asked'));
  if (next) return next;

  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Se connecter')}
      </h1>
      <p className="mt-1 text-encre-soft">{t('Retrouvez vos parrainages, vos contrats et vos commissions.')}</p>

      {notice && !failure && (
        <Notice tone={notice === accountCreated ? 'success' : 'warning'} className="mt-6">
          {t(notice)}
        </Notice>
      )}
      {failure && (
        <Notice tone="error" className="mt-6" title={failure.title}>
          {failure.text}
        </Notice>
      )}

      <form method="post" {...form.props} className="mt-4 flex flex-col gap-4">
        <Field label={t('E-mail')} error={form.errors.email}>
          <EmailInput
            autoComplete="username"
            name="email"
            onBlur={({ currentTarget }) => setTyped(currentTarget.value)}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </Field>
        <Field label={t('Mot de passe')} error={form.errors.password}>
          <PasswordInput autoComplete="current-password" name="password" />
        </Field>
        <Link
          to="/auth/forgot-password"
          state={{ email: typed }}
          className="-mt-2 self-start text-sm font-medium text-sapin underline-offset-4 hover:underline"
        >
          {t('Mot de passe oublié ?')}
        </Link>
        <Button {...form.button} variant="primary" size="lg">
          {failure?.title === undefined ? t('Se connecter') : t('Réessayer')}
        </Button>
      </form>
      <OtherWays />

      <WhereOffered what="registration">
        <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
          <p className="text-encre-soft">{t('Pas encore de compte ?')}</p>
          <Link to="/auth/register" className={buttonClass()}>
            {t('Créer un compte Client')}
          </Link>
        </div>
      </WhereOffered>

      {demo && <DemoAccounts demo={demo} onPick={form.enter} />}
    </>
  );
}
