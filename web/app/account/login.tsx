import { zodResolver } from '@hookform/resolvers/zod';
import { signInForm, type SignIn } from '@parrain/domain/forms/sign-in';
import { profileNotLoaded, signInFailed } from '@parrain/domain/messages';
import { lazy, Suspense, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { messageOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { useSession } from '#api/transport/session';
import { signIn } from '#api/account/sign-in';
import { Button, buttonClass } from '#ui/button';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PasswordInput } from '#ui/password-input';
import { DemoAccounts } from './demo-accounts.tsx';
import { nextStep } from './next-step.tsx';
import { useSignInWays } from './use-sign-in-ways.ts';

// Lazy: few people need these, and the form can be filled before they arrive.
const OtherWays = lazy(() => import('./other-ways.tsx'));

export const meta = () => [{ title: 'Se connecter – Parrain' }];

/** Sign in, at /auth/login and at /login. */
export default function Login() {
  const { t } = useTranslation();
  const session = useSession();
  const { registration } = useSignInWays();
  const notice = noticeOf(useLocation().state);
  const [failure, setFailure] = useState<{ title?: string; text: string }>();
  const form = useForm({
    resolver: zodResolver(signInForm),
    mode: 'onTouched',
    defaultValues: { email: '', password: '' },
  });
  const { errors, isSubmitting } = form.formState;

  const next = nextStep(session);
  if (next) return next;

  const send = async (credentials: SignIn) => {
    setFailure(undefined);
    try {
      const reached = await signIn(credentials);
      if (reached.status === 'failed') setFailure({ title: t(profileNotLoaded), text: reached.error.message });
    } catch (error) {
      if (!setServerIssues(error, ['email', 'password'], form.setError))
        setFailure({ text: messageOf(error, t(signInFailed)) });
    }
  };

  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Se connecter')}
      </h1>
      <p className="mt-1 text-encre-soft">{t('Retrouvez vos parrainages, vos contrats et vos commissions.')}</p>

      {notice && !failure && (
        <Notice tone="warning" className="mt-6">
          {t(notice)}
        </Notice>
      )}
      {failure && (
        <Notice tone="error" className="mt-6" title={failure.title}>
          {failure.text}
        </Notice>
      )}

      <form noValidate onSubmit={form.handleSubmit(send)} className="mt-6 flex flex-col gap-5">
        <Field label={t('Adresse e-mail')} error={errors.email?.message}>
          <EmailInput autoComplete="username" {...form.register('email')} />
        </Field>
        <Field label={t('Mot de passe')} error={errors.password?.message}>
          <PasswordInput autoComplete="current-password" {...form.register('password')} />
        </Field>
        <Link
          to="/auth/forgot-password"
          className="-mt-2 self-start text-sm font-medium text-sapin underline-offset-4 hover:underline"
        >
          {t('Mot de passe oublié ?')}
        </Link>
        <Button type="submit" variant="primary" size="lg" pending={isSubmitting}>
          {failure?.title === undefined ? t('Se connecter') : t('Réessayer')}
        </Button>
      </form>
      <Suspense>
        <OtherWays />
      </Suspense>

      {registration && (
        <div className="mt-8 flex flex-wrap items-center justify-between gap-3 border-t border-hairline pt-6">
          <p className="text-encre-soft">{t('Pas encore de compte ?')}</p>
          <Link to="/auth/register" className={buttonClass()}>
            {t('Créer un compte Client')}
          </Link>
        </div>
      )}

      <DemoAccounts
        onPick={(email, password) => {
          form.setValue('email', email, { shouldValidate: true });
          form.setValue('password', password, { shouldValidate: true });
        }}
      />
    </>
  );
}

/** The notice of the page that led here: an expired session (E-02), a change of password. */
function noticeOf(state: unknown): string | undefined {
  return typeof state === 'object' && state !== null && 'notice' in state && typeof state.notice === 'string'
    ? state.notice
    : undefined;
}
