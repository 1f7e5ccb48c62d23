import { dashboardPathFor } from '@parrain/domain/role';
import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import type { SessionState } from '#api/transport/session-store';
import { ProfileNotLoaded } from './profile-not-loaded.tsx';
import { lazyPart } from '#ui/lazy-part';

const SecondFactorStep = lazyPart(() => import('./second-factor-step.tsx'));

/**
 * Gives the screen that follows the opening of a session: its dashboard, or first a new password (V-19), a second step (AU-17) or
 * the setting up of one. Null while nobody is signed in. `asked` is the address that was asked for before (NV-01).
 */
export function nextStep(session: SessionState, asked?: string): ReactNode {
  switch (session.status) {
    case 'signed-in':
      return <Navigate to={dashboardAddress(dashboardPathFor(session.profile.role), asked)} replace />;
    case 'password-change':
      return <Navigate to="/auth/new-password" replace state={{ asked }} />;
    case 'two-factor-setup':
      return <Navigate to="/auth/two-factor" replace />;
    case 'second-factor':
      return <SecondFactorStep email={session.email} known={session.factors} />;
    case 'failed':
      return session.isOpen ? <ProfileNotLoaded error={session.error} /> : null;
    case 'loading':
    case 'visitor':
      return null;
  }
}

/** The place in their own dashboard that a link named; of another role's dashboard nothing is kept. */
export function dashboardAddress(path: string, asked: string | undefined): string {
  return asked?.startsWith(`${path}?`) ? asked : path;
}
