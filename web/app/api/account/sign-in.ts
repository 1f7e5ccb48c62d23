import type { SignIn } from '@parrain/domain/forms/sign-in';
import type { User } from '@supabase/supabase-js';
import { ApiError } from '../transport/api-error.ts';
import { callFunction } from '../transport/call-function.ts';
import { adoptSession, installSession, type SessionState } from '../transport/session.ts';

interface Tokens {
  user?: User;
  access_token: string;
  refresh_token: string;
}

interface Answer extends Partial<Tokens> {
  session?: Tokens;
  password_change_required?: boolean;
}

/** F-01: signs in and puts the session in place; resolves once it is known who signed in. */
export async function signIn(credentials: SignIn): Promise<SessionState> {
  const answer = await callFunction<Answer>('auth-signin', {
    body: { ...credentials },
    anonymous: true,
  });
  const tokens = answer.session ?? answer;
  if (!tokens.access_token || !tokens.refresh_token) {
    throw new ApiError({ status: 200, code: 'unexpected' });
  }
  const session = { access_token: tokens.access_token, refresh_token: tokens.refresh_token };
  // With a temporary password the profile is refused until another is chosen (V-19): it is not asked for.
  return answer.password_change_required === true
    ? adoptSession(session)
    : installSession({ ...session, user: tokens.user });
}
