import type { SignIn } from '@parrain/domain/forms/sign-in';
import { ApiError } from '../transport/api-error.ts';
import { callFunction } from '../transport/call-function.ts';
import { installSession, type AnsweredSession } from '../transport/session.ts';
import type { SessionState } from '../transport/session-store.ts';

/** F-01: signs in and puts the session in place; resolves once it is known who signed in. */
export async function signIn(credentials: SignIn): Promise<SessionState> {
  const answer = await callFunction<Partial<AnsweredSession>>('auth-signin', {
    body: { ...credentials },
    anonymous: true,
  });
  const { access_token, refresh_token, user, profile } = answer;
  if (!access_token || !refresh_token || !user) throw new ApiError({ status: 200, code: 'unexpected' });
  return installSession({ access_token, refresh_token, user, profile });
}
