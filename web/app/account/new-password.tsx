import { zodResolver } from '@hookform/resolvers/zod';
import { newPasswordForm, type NewPassword as Chosen } from '@parrain/domain/forms/new-password';
import { dashboardPathFor } from '@parrain/domain/role';
import { lazy, Suspense, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, Navigate } from 'react-router';
import { messageOf } from '#api/api-error';
import { choosePassword, openRecoveryLink } from '#api/choose-password';
import { signOut, useSession } from '#api/session';
import { Button, buttonClass } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PasswordInput } from '#ui/password-input';
import { PasswordStrength } from './password-strength.tsx';

const SecondFactorStep = lazy(() => import('./second-factor-step.tsx'));

export const meta = () => [
  { title: 'Choisissez un nouveau mot de passe – Parrain' },
  { name: 'referrer', content: 'no-referrer' },
];

/** A new password: after a recovery link (R-07, PASSWORD_RECOVERY) or a temporary password (V-19). Then one is signed in. */
export default function NewPassword() {
  const { t } = useTranslation();
  const session = useSession();
  const [link, setLink] = useState(readLink);

  if (session.status === 'signed-in') return <Navigate to={dashboardPathFor(session.profile.role)} replace />;
  if (session.status === 'two-factor-setup') return <Navigate to="/auth/two-factor" replace />;
  // A link in a mail is no way around the second step.
  if (session.status === 'second-factor')
    return (
      <Suspense>
        <SecondFactorStep email={session.email} />
      </Suspense>
    );
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Choisissez un nouveau mot de passe')}
      </h1>
      {session.status === 'password-change' ? (
        <PasswordForm cause={session.cause} email={session.email} />
      ) : link.kind === 'token' ? (
        <OpenLink link={link} onDead={() => setLink({ kind: 'dead' })} />
      ) : session.status === 'failed' ? (
        <Notice tone="error" className="mt-6">
          {session.error.message}
        </Notice>
      ) : link.kind === 'opening' && session.status === 'loading' ? (
        <p role="status" className="animate-late mt-4 text-encre-soft">
          {t('Ouverture du lien…')}
        </p>
      ) : (
        session.status === 'visitor' && <DeadLink />
      )}
    </>
  );
}

type RecoveryLink =
  | { kind: 'token'; tokenHash: string; type: 'recovery' | 'invite' }
  | { kind: 'dead' }
  | { kind: 'opening' };

/**
 * What the address carries: a token that a click spends (a mail scanner that only reads the page burns nothing),
 * an error of the authentication service, or a session that the client opens by itself.
 */
function readLink(): RecoveryLink {
  if (typeof window === 'undefined') return { kind: 'opening' };
  const query = new URLSearchParams(window.location.search);
  const fragment = new URLSearchParams(window.location.hash.slice(1));
  const tokenHash = query.get('token_hash');
  if (tokenHash) return { kind: 'token', tokenHash, type: query.get('type') === 'invite' ? 'invite' : 'recovery' };
  return fragment.has('error') || query.has('error') ? { kind: 'dead' } : { kind: 'opening' };
}

function OpenLink({ link, onDead }: { link: Extract<RecoveryLink, { kind: 'token' }>; onDead: () => void }) {
  const { t } = useTranslation();
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const open = async () => {
    setPending(true);
    setFailure(undefined);
    try {
      if (!(await openRecoveryLink(link.tokenHash, link.type))) onDead();
    } catch (error) {
      setFailure(messageOf(error, t('Le lien n’a pas pu être ouvert. Réessayez.')));
    }
    setPending(false);
  };
  return (
    <>
      <p className="mt-1 text-encre-soft">
        {t('Votre lien est prêt. Continuez pour choisir votre nouveau mot de passe.')}
      </p>
      {failure && (
        <Notice tone="error" className="mt-6">
          {failure}
        </Notice>
      )}
      <Button variant="primary" size="lg" className="mt-6" pending={pending} onClick={() => void open()}>
        {t('Continuer')}
      </Button>
    </>
  );
}

function DeadLink() {
  const { t } = useTranslation();
  return (
    <>
      <Notice tone="warning" className="mt-6" title={t('Ce lien a expiré ou a déjà servi')}>
        {t('Un lien n’est valable qu’une fois, pendant une heure. Demandez-en un nouveau.')}
      </Notice>
      <div className="mt-6 flex flex-wrap gap-2">
        <Link to="/auth/forgot-password" className={buttonClass({ variant: 'primary', size: 'lg' })}>
          {t('Recevoir un nouveau lien')}
        </Link>
        <Link to="/auth/login" className={buttonClass({ size: 'lg' })}>
          {t('Se connecter')}
        </Link>
      </div>
    </>
  );
}

function PasswordForm({ cause, email }: { cause: 'temporary' | 'recovery'; email: string }) {
  const { t } = useTranslation();
  const [failure, setFailure] = useState<string>();
  const form = useForm({
    resolver: zodResolver(newPasswordForm),
    mode: 'onTouched',
    defaultValues: { password: '', password_confirmation: '' },
  });
  const { errors, isSubmitting } = form.formState;
  const password = useWatch({ control: form.control, name: 'password' });
  const send = async (chosen: Chosen) => {
    setFailure(undefined);
    try {
      await choosePassword(chosen.password);
    } catch (error) {
      setFailure(messageOf(error, t('Le mot de passe n’a pas pu être enregistré. Réessayez.')));
    }
  };
  return (
    <>
      <p className="mt-1 text-encre-soft">
        {cause === 'temporary'
          ? t('Votre mot de passe temporaire ne sert qu’une fois. Remplacez-le pour ouvrir votre espace.')
          : t('Il remplacera l’ancien, et vous serez connecté aussitôt.')}
      </p>
      {failure && (
        <Notice tone="error" className="mt-6">
          {failure}
        </Notice>
      )}
      <form noValidate onSubmit={form.handleSubmit(send)} className="mt-6 flex flex-col gap-5">
        {/* Password managers file the new password under this account. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field
          label={t('Nouveau mot de passe')}
          error={errors.password?.message}
          hint={<PasswordStrength password={password ?? ''} />}
        >
          <PasswordInput autoComplete="new-password" {...form.register('password')} />
        </Field>
        <Field label={t('Confirmer le mot de passe')} error={errors.password_confirmation?.message}>
          <PasswordInput autoComplete="new-password" {...form.register('password_confirmation')} />
        </Field>
        <Button type="submit" variant="primary" size="lg" pending={isSubmitting}>
          {t('Enregistrer et continuer')}
        </Button>
        <Button variant="quiet" onClick={() => void signOut()}>
          {t('Se déconnecter')}
        </Button>
      </form>
    </>
  );
}
