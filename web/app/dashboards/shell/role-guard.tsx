import type { Role } from '@parrain/domain/role';
import { dashboardPathFor, loginPathAfterLogout } from '@parrain/domain/role';
import { profileNotLoaded, sessionExpired } from '@parrain/domain/messages';
import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { refreshProfile, signOut, useSession } from '#api/transport/session';
import { Button } from '#ui/button';
import { ErrorState } from '#ui/error-state';
import { Wordmark } from '#ui/wordmark';

/**
 * Each dashboard is for its role alone: another role goes to its own, a visitor to /login (H-04), someone whose
 * session expired to their login page with their sentence (E-02). The server enforces every right by itself.
 */
export function RoleGuard({ role, children }: { role: Role; children: ReactNode }) {
  const session = useSession();
  const { pathname, search } = useLocation();
  const asked = pathname + search;
  switch (session.status) {
    case 'loading':
      return (
        <main className="animate-late flex min-h-dvh items-center justify-center">
          <div role="status" className="text-xl">
            <Wordmark className="animate-breathe" />
            <span className="sr-only">Chargement…</span>
          </div>
        </main>
      );
    case 'failed':
      return (
        <main className="flex min-h-dvh flex-col items-center justify-center">
          <div className="text-xl">
            <Wordmark />
          </div>
          <ErrorState
            title={profileNotLoaded}
            description={session.error.message}
            onRetry={() => void refreshProfile()}
            action={
              session.isOpen && (
                <Button variant="quiet" onClick={() => void signOut()}>
                  Se déconnecter
                </Button>
              )
            }
          />
        </main>
      );
    case 'password-change':
      return <Navigate to="/auth/new-password" replace state={{ asked }} />;
    case 'second-factor':
      return <Navigate to="/auth/login" replace />;
    case 'two-factor-setup':
      return <Navigate to="/auth/two-factor" replace />;
    case 'visitor': {
      if (session.reason === 'none') return <Navigate to="/login" replace state={{ asked }} />;
      const lastRole = session.lastRole ?? role;
      return (
        <Navigate
          to={loginPathAfterLogout(lastRole)}
          replace
          state={session.reason === 'expired' ? { notice: sessionExpired[lastRole], asked } : undefined}
        />
      );
    }
    case 'signed-in':
      return session.profile.role === role ? (
        children
      ) : (
        <Navigate to={dashboardPathFor(session.profile.role)} replace />
      );
  }
}
