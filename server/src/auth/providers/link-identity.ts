import { AuthError, ssoManaged } from '../protocol/errors.ts';
import type { Operation } from '../protocol/operation.ts';
import { queryValue } from '../protocol/request.ts';
import type { AuthSettings } from '../protocol/settings.ts';
import { requireAal } from '../sessions/aal.ts';
import { redirect } from './redirects.ts';
import { startProviderSignIn } from './start-sign-in.ts';

/** GET /user/identities/authorize (AU-16): a signed-in person leaves for a provider, to add it to their account. */
export const linkIdentityByProvider: Operation = {
  method: 'GET',
  url: '/user/identities/authorize',
  access: 'session',
  limit: { name: 'authorize', capacity: 150, perSeconds: 300 },
  async handle(call) {
    const { session, settings, request } = call;
    requireManualLinking(settings);
    requireAal(session, 403);
    if (session.account.is_sso_user) {
      throw ssoManaged('Accounts of a company’s own sign-in service have no other identity');
    }
    const url = await startProviderSignIn(call, {
      linking: { userId: session.account.id, sessionId: session.id },
      invitedUserId: null,
    });
    return queryValue(request, 'skip_http_redirect') === 'true' ? { body: { url: url.href } } : redirect(302, url);
  },
};

/** @throws AuthError manual_linking_disabled */
export function requireManualLinking({ isManualLinkingEnabled }: AuthSettings): void {
  if (isManualLinkingEnabled) return;
  throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled');
}
