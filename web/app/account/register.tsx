import { accountCreated, signUpFailed } from '@parrain/domain/messages';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { messageOf } from '#api/transport/api-error';
import { useSession } from '#api/transport/session';
import { signUp } from '#api/account/sign-up';
import { Button } from '#ui/button';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PasswordInput } from '#ui/password-input';
import { PhoneField } from '#ui/phone-field';
import { TextInput } from '#ui/text-input';
import { nextStep } from './next-step.tsx';
import { PasswordStrength } from './password-strength.tsx';
import { usePrerenderedForm } from './use-prerendered-form.ts';
import { WhereOffered } from './where-offered.tsx';

export const meta = () => [
  { title: 'Inscription Client – Parrain' },
  {
    name: 'description',
    content: 'Ouvrez votre compte client : invitez vos amis, suivez leurs contrats, demandez vos commissions.',
  },
];

const loginDelayMs = 2000;

/** A client's registration. */
export default function Register() {
  const { t } = useTranslation();
  const [created, setCreated] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [typed, setTyped] = useState({ password: '', email: '', fullName: '' });
  const form = usePrerenderedForm({
    fields: ['full_name', 'email', 'phone', 'password', 'password_confirmation'],
    schema: async () => (await import('@parrain/domain/forms/registration')).registrationForm,
    send: async (registration) => {
      setFailure(undefined);
      try {
        await signUp(registration);
        setCreated(true);
      } catch (error) {
        if (!form.showIssues(error)) setFailure(messageOf(error, t(signUpFailed)));
      }
    },
  });
  useLoginAfter(created);
  const next = nextStep(useSession());
  if (next) return next;

  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Inscription Client')}
      </h1>
      <p className="mt-1 text-encre-soft">{t('Invitez vos amis et demandez vos commissions.')}</p>
      {created && (
        <Notice
          tone="success"
          className="mt-6"
          action={
            <Link
              to="/auth/login"
              state={{ notice: accountCreated }}
              className="font-medium text-sapin underline underline-offset-4"
            >
              {t('Se connecter')}
            </Link>
          }
        >
          {t(accountCreated)}
        </Notice>
      )}
      <WhereOffered
        what="registration"
        otherwise={
          <Notice tone="warning" className="mt-6">
            {t('Les inscriptions sont fermées : demandez une invitation à votre entreprise.')}
          </Notice>
        }
      >
        {!created && (
          <>
            {failure && (
              <Notice tone="error" className="mt-6">
                {failure}
              </Notice>
            )}
            <form
              method="post"
              {...form.props}
              className="mt-5 flex flex-col gap-4"
              onInput={({ currentTarget }) => {
                const given = new FormData(currentTarget);
                const text = (name: string) => {
                  const value = given.get(name);
                  return typeof value === 'string' ? value : '';
                };
                setTyped({ password: text('password'), email: text('email'), fullName: text('full_name') });
              }}
            >
              <Field label={t('Nom complet')} error={form.errors.full_name}>
                <TextInput autoComplete="name" name="full_name" />
              </Field>
              <Field label={t('E-mail')} error={form.errors.email}>
                <EmailInput autoComplete="email" name="email" />
              </Field>
              <PhoneField label={t('Téléphone')} error={form.errors.phone} autoComplete="tel" name="phone" />
              {/* One beside the other: the whole form stands in a laptop's window. */}
              <div className="grid gap-4 sm:grid-cols-2">
                <Field
                  label={t('Mot de passe')}
                  error={form.errors.password}
                  hint={<PasswordStrength password={typed.password} owner={typed} />}
                >
                  <PasswordInput autoComplete="new-password" name="password" />
                </Field>
                <Field label={t('Confirmer le mot de passe')} error={form.errors.password_confirmation}>
                  <PasswordInput autoComplete="new-password" name="password_confirmation" />
                </Field>
              </div>
              <Button {...form.button} variant="primary" size="lg">
                {t('Créer mon compte')}
              </Button>
            </form>
          </>
        )}
      </WhereOffered>
      <p className="mt-5 border-t border-hairline pt-4 text-encre-soft">
        {t('Vous avez déjà un compte ?')}{' '}
        <Link to="/auth/login" className="font-medium text-sapin underline-offset-4 hover:underline">
          {t('Se connecter')}
        </Link>
      </p>
    </>
  );
}

/** the login page follows the good news by two seconds. */
function useLoginAfter(created: boolean): void {
  const navigate = useNavigate();
  // The clock is outside React.
  useEffect(() => {
    if (!created) return undefined;
    const timer = setTimeout(() => void navigate('/auth/login', { state: { notice: accountCreated } }), loginDelayMs);
    return () => clearTimeout(timer);
  }, [created, navigate]);
}
