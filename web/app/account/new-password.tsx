import { zodResolver } from '@hookform/resolvers/zod';
import { newPasswordForm, type NewPassword as Chosen } from '@parrain/domain/forms/new-password';
import { dashboardPathFor } from '@parrain/domain/role';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useLocation } from 'react-router';
import { messageOf } from '#api/transport/api-error';
import { openLink, readArrival, type MailedLink } from '#api/account/arrival';
import { choosePassword } from '#api/account/choose-password';
import { signOut, useSession } from '#api/transport/session';
import { Button, buttonClass } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PasswordInput } from '#ui/password-input';
import { lazyPart } from '#ui/lazy-part';
import { dashboardAddress } from './next-step.tsx';
import { PasswordStrength } from './password-strength.tsx';
import { ProfileNotLoaded } from './profile-not-loaded.tsx';
import { textInState } from './text-in-state.ts';

const SecondFactorStep = lazyPart(() => import('./second-factor-step.tsx'));

export const meta = () => [
  { title: 'Choisissez un nouveau mot de passe – Parrain' },
  { name: 'referrer', content: 'no-referrer' },
];

/** A new password: after a recovery link (R-07, PASSWORD_RECOVERY) or a temporary password (V-19). Then one is signed in. */
export default function NewPassword() {
  // Another link opened in the same tab changes the fragment alone.
  const { hash, state } = useLocation();
  return <Choosing key={hash} asked={textInState(state, 'asked')} />;
}

/** `asked` is the address that a first sign-in was on its way to (NV-01). */
function Choosing({ asked }: { asked: string | undefined }) {
  const { t } = useTranslation();
  const session = useSession();
  const [arrival] = useState(readArrival);
  const [step, setStep] = useState<'asked' | 'opened' | 'dead'>(arrival.kind === 'link' ? 'asked' : 'opened');

  if (step === 'opened') {
    if (session.status === 'signed-in') {
      return <Navigate to={dashboardAddress(dashboardPathFor(session.profile.role), asked)} replace />;
    }
    if (session.status === 'two-factor-setup') return <Navigate to="/auth/two-factor" replace />;
    // A link in a mail is no way around the second step.
    if (session.status === 'second-factor') return <SecondFactorStep email={session.email} />;
    if (session.status === 'failed' && session.isOpen) return <ProfileNotLoaded error={session.error} />;
  }
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Choisissez un nouveau mot de passe')}
      </h1>
      {session.status === 'loading' ? (
        <p role="status" className="animate-late mt-4 text-encre-soft">
          {t('Ouverture du lien…')}
        </p>
      ) : step === 'opened' && session.status === 'password-change' ? (
        <PasswordForm cause={session.cause} email={session.email} />
      ) : step === 'asked' && arrival.kind === 'link' ? (
        <OpenLink
          link={arrival}
          current={
            session.status === 'signed-in' ? session.profile.email : 'email' in session ? session.email : undefined
          }
          onOpened={() => setStep('opened')}
          onDead={() => setStep('dead')}
        />
      ) : session.status === 'failed' ? (
        <Notice tone="error" className="mt-6">
          {session.error.message}
        </Notice>
      ) : (
        <DeadLink />
      )}
    </>
  );
}

interface OpenLinkProps {
  link: MailedLink;
  /** E-mail of the person whose session is open. */
  current: string | undefined;
  onOpened: () => void;
  onDead: () => void;
}

/** A click spends the link: a mail scanner that only reads the page burns nothing. */
function OpenLink({ link, current, onOpened, onDead }: OpenLinkProps) {
  const { t } = useTranslation();
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const open = async () => {
    setPending(true);
    setFailure(undefined);
    try {
      // An address of this page is a recovery's or an invitation's, whatever else it says.
      const landed = await openLink({ ...link, type: link.type === 'invite' ? 'invite' : 'recovery' });
      if (landed.kind === 'open') onOpened();
      else onDead();
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
      {current !== undefined && (
        <Notice tone="warning" className="mt-6">
          <span className="wrap-anywhere">
            {t(
              'Vous êtes connecté avec {{email}}. Si ce lien est celui d’un autre compte, continuer met fin à cette session dans ce navigateur.',
              { email: current },
            )}
          </span>
        </Notice>
      )}
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
      <form method="post" noValidate onSubmit={form.handleSubmit(send)} className="mt-6 flex flex-col gap-5">
        {/* Password managers file the new password under this account. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field
          label={t('Nouveau mot de passe')}
          error={errors.password?.message}
          hint={<PasswordStrength password={password ?? ''} owner={{ email, fullName: null }} />}
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
