import type { SignIn } from '@parrain/domain/forms/sign-in';
import { ApiError } from '../transport/api-error.ts';
import { callFunction } from '../transport/call-function.ts';
import { adoptSession, installSession, type AnsweredSession } from '../transport/session.ts';
import type { SessionState } from '../transport/session-store.ts';

interface Answer extends Partial<AnsweredSession> {
  password_change_required?: boolean;
}

/** F-01: signs in and puts the session in place; resolves once it is known who signed in. */
export async function signIn(credentials: SignIn): Promise<SessionState> {
  const answer = await callFunction<Answer>('auth-signin', {
    body: { ...credentials },
    anonymous: true,
  });
  const { access_token, refresh_token, user, profile } = answer;
  if (!access_token || !refresh_token || !user) throw new ApiError({ status: 200, code: 'unexpected' });
  // With a temporary password the profile is refused until another is chosen (V-19): it is not asked for.
  return answer.password_change_required === true
    ? adoptSession({ access_token, refresh_token, user })
    : installSession({ access_token, refresh_token, user, profile });
}
