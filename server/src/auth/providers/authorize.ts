import { peekLinkToken } from '../codes/one-time-token.ts';
import { AuthError } from '../protocol/errors.ts';
import type { Call, Operation } from '../protocol/operation.ts';
import { queryValue } from '../protocol/request.ts';
import { redirect } from './redirects.ts';
import { startProviderSignIn } from './start-sign-in.ts';

/** GET /authorize (AU-12): a browser leaves for its provider. */
export const authorize: Operation = {
  method: 'GET',
  url: '/authorize',
  access: 'browser',
  limit: { name: 'authorize', capacity: 150, perSeconds: 300 },
  async handle(call) {
    return redirect(302, await startProviderSignIn(call, { linking: null, invitedUserId: await invitedUser(call) }));
  },
};

/** The person of the invitation. The account it leads to uses it up, not the attempt. @throws AuthError user_not_found */
async function invitedUser(call: Call): Promise<string | null> {
  const token = queryValue(call.request, 'invite_token');
  if (token === null) return null;
  const userId = await call.db.asService('auth: invitation', (tx) => peekLinkToken(tx, call, ['confirmation'], token));
  if (userId === null) throw new AuthError(404, 'user_not_found', 'User identified by token not found');
  return userId;
}
