import { tellSecurityChange } from '../messages/security-notices.ts';
import { audit } from '../protocol/audit.ts';
import { validationFailed } from '../protocol/errors.ts';
import type { Operation } from '../protocol/operation.ts';
import { queryValue } from '../protocol/request.ts';
import { endSessions } from './session.ts';

/** POST /logout?scope=global|local|others (AU-15): effective at once, although the access tokens have not expired. */
export const logout: Operation = {
  method: 'POST',
  url: '/logout',
  access: 'session',
  async handle(call) {
    const { request, session, db, origin } = call;
    const scope = queryValue(request, 'scope') ?? 'global';
    const which = whichSessions(scope, session.id);
    await db.asService('auth: logout', async (tx) => {
      const ended = await endSessions(tx, session.account.id, which);
      await audit(tx, origin, 'logout', session.account.id, { scope, ended });
      // A sign-out of one's own session needs no mail.
      if (scope === 'others' ? ended > 0 : ended > 1) {
        await tellSecurityChange(tx, call, session.account, { kind: 'sessions_ended' });
      }
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
