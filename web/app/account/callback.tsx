import { dashboardPathFor } from '@parrain/domain/role';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useSession } from '#api/session';
import { buttonClass } from '#ui/button';
import { Notice } from '#ui/notice';
import { nextStep } from './next-step.tsx';

export const meta = () => [{ title: 'Connexion – Parrain' }, { name: 'referrer', content: 'no-referrer' }];

/**
 * Where the links of mails and the pages of identity providers come back to: the client opens the session by itself, this page
 * says what happened and leads on.
 */
export default function Callback() {
  const { t } = useTranslation();
  const session = useSession();
  // Read before the client takes the address apart.
  const [arrival] = useState(readArrival);

  if (arrival.kind === 'refused') return <Refused code={arrival.code} />;
  if (arrival.kind === 'half') {
    return (
      <Landing title={t('Une adresse confirmée sur deux')}>
        <Notice tone="success">
          {t('Il reste à ouvrir le lien envoyé à votre autre adresse : le changement prend effet ensuite.')}
        </Notice>
      </Landing>
    );
  }
  if (arrival.kind === 'email-changed' && session.status === 'signed-in') {
    return (
      <Landing
        title={t('Votre adresse est changée')}
        action={
          <Link to={dashboardPathFor(session.profile.role)} className={buttonClass({ variant: 'primary', size: 'lg' })}>
            {t('Ouvrir mon espace')}
          </Link>
        }
      >
        <p className="text-encre-soft wrap-anywhere">
          {t('Vous vous connectez désormais avec {{email}}.', { email: session.profile.email })}
        </p>
      </Landing>
    );
  }
  const next = nextStep(session);
  if (next) return next;
  if (session.status === 'failed') {
    return (
      <Landing title={t('Connexion impossible')}>
        <Notice tone="error">{session.error.message}</Notice>
      </Landing>
    );
  }
  // A visitor with nothing in their hands, or a code that this browser did not ask for.
  if (session.status === 'visitor') return <Refused code="" />;
  return (
    <p role="status" className="animate-late text-encre-soft">
      <span className="sr-only">{t('Connexion')}</span>
      {t('Ouverture de votre espace…')}
    </p>
  );
}

type Arrival = { kind: 'opening' } | { kind: 'email-changed' } | { kind: 'half' } | { kind: 'refused'; code: string };

function readArrival(): Arrival {
  if (typeof window === 'undefined') return { kind: 'opening' };
  const given = new URLSearchParams(window.location.search);
  for (const [key, value] of new URLSearchParams(window.location.hash.slice(1))) given.set(key, value);
  if (given.has('error') || given.has('error_code')) return { kind: 'refused', code: given.get('error_code') ?? '' };
  if (given.has('message') && !given.has('access_token')) return { kind: 'half' };
  return given.get('type') === 'email_change' ? { kind: 'email-changed' } : { kind: 'opening' };
}

function Refused({ code }: { code: string }) {
  const { t } = useTranslation();
  const isLink = code === 'otp_expired' || refusals[code] === undefined;
  return (
    <Landing
      title={isLink ? t('Ce lien ne peut plus servir') : t('La connexion n’a pas abouti')}
      action={
        <>
          <Link to="/auth/login-link" className={buttonClass({ variant: 'primary', size: 'lg' })}>
            {t('Recevoir un nouveau lien')}
          </Link>
          <Link to="/auth/login" className={buttonClass({ size: 'lg' })}>
            {t('Se connecter')}
          </Link>
        </>
      }
    >
      <Notice tone="warning">{t(refusals[code] ?? refusals['otp_expired'] ?? '')}</Notice>
    </Landing>
  );
}

const refusals: Readonly<Record<string, string>> = {
  access_denied: 'La connexion a été refusée ou annulée. Vous pouvez recommencer.',
  bad_oauth_callback: 'La connexion a été annulée ou interrompue. Vous pouvez recommencer.',
  bad_oauth_state: 'La connexion a pris trop de temps ou a été interrompue. Recommencez depuis la page de connexion.',
  email_exists:
    'Un compte existe déjà avec cette adresse. Connectez-vous avec votre mot de passe, puis liez-le depuis votre profil.',
  flow_state_already_used: 'Cette connexion a déjà servi. Recommencez depuis la page de connexion.',
  flow_state_expired: 'La connexion a pris trop de temps. Recommencez depuis la page de connexion.',
  identity_already_exists: 'Ce compte est déjà lié à un autre utilisateur.',
  otp_expired: 'Ce lien a expiré ou a déjà servi. Un lien n’est valable qu’une fois, pendant une heure.',
  provider_email_needs_verification:
    'Votre adresse doit d’abord être confirmée : un message vient de vous être envoyé.',
  signup_disabled:
    'Aucun compte n’existe à cette adresse, et les inscriptions sont fermées. Contactez votre entreprise.',
  user_banned: 'Ce compte est désactivé. Contactez votre entreprise.',
};

function Landing({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <>
      <h1 tabIndex={-1} className="text-xl">
        {title}
      </h1>
      <div className="mt-4">{children}</div>
      {action && <div className="mt-6 flex gap-2 max-sm:flex-col">{action}</div>}
    </>
  );
}
