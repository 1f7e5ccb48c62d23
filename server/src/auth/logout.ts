import { audit } from './audit.ts';
import { validationFailed } from './errors.ts';
import { queryValue } from './operation.ts';
import type { Operation } from './operation.ts';
import { endSessions } from './session.ts';

/** POST /logout?scope=global|local|others (AU-15): effective at once, whatever the access tokens' lifetime. */
export const logout: Operation = {
  method: 'POST',
  url: '/logout',
  access: 'session',
  async handle({ request, session, db, origin }) {
    const scope = queryValue(request, 'scope') ?? 'global';
    const which = whichSessions(scope, session.id);
    await db.asService('auth: logout', async (tx) => {
      await endSessions(tx, session.account.id, which);
      await audit(tx, origin, 'logout', session.account.id, { scope });
    });
    return { status: 204 };
  },
};

function whichSessions(scope: string, current: string): Parameters<typeof endSessions>[2] {
  switch (scope) {
    case 'global':
      return 'all';
    case 'local':
      return { only: current };
    case 'others':
      return { except: current };
    default:
      throw validationFailed(`Unsupported logout scope "${scope.slice(0, 40)}"`);
  }
}
