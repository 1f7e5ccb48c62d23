import { dashboardPathFor } from '@parrain/domain/role';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';
import { refreshProfile, signOut, useSession } from '#api/transport/session';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';
import { lazyPart } from '#ui/lazy-part';
import { ProfileNotLoaded } from './profile-not-loaded.tsx';

const TotpEnrolment = lazyPart(async () => ({ default: (await import('./totp-enrolment.tsx')).TotpEnrolment }));

export const meta = () => [{ title: 'Activez la double authentification – Parrain' }];

/** AU-17: the company asks a second step of its admins; nothing else opens before there is one. */
export default function TwoFactor() {
  const { t } = useTranslation();
  const session = useSession();
  switch (session.status) {
    case 'signed-in':
      return <Navigate to={dashboardPathFor(session.profile.role)} replace />;
    case 'two-factor-setup':
      break;
    case 'loading':
      return null;
    case 'failed':
      return session.isOpen ? (
        <ProfileNotLoaded error={session.error} />
      ) : (
        <Notice tone="error">{session.error.message}</Notice>
      );
    case 'visitor':
    case 'second-factor':
    case 'password-change':
      return <Navigate to="/auth/login" replace />;
  }
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {t('Activez la double authentification')}
      </h1>
      <p className="mt-1 text-encre-soft">
        {t(
          'Votre entreprise la demande à tous ses administrateurs : en plus du mot de passe, un code affiché par votre téléphone.',
        )}
      </p>
      <div className="mt-6">
        <TotpEnrolment name={t('Application d’authentification')} onDone={() => void refreshProfile()} />
      </div>
      <Button variant="quiet" className="mt-8 -ml-4 self-start" onClick={() => void signOut()}>
        {t('Se déconnecter')}
      </Button>
    </>
  );
}
