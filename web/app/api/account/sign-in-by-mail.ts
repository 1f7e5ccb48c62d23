import { ApiError } from '../transport/api-error.ts';
import { authCall } from '../transport/auth-call.ts';
import { startSession } from '../transport/session-events.ts';

/** AU-07: mails a link and a code that sign in. The answer is the same whether the account exists or not. */
export async function requestSignInLink(email: string): Promise<void> {
  try {
    await authCall((auth) =>
      auth.signInWithOtp({
        email,
        options: { shouldCreateUser: false, emailRedirectTo: `${window.location.origin}/auth/callback` },
      }),
    );
  } catch (error) {
    // An address without an account is told like any other; so is one that was just written to.
    const quiet = ['over_email_send_rate_limit', 'signup_disabled', 'user_not_found'];
    if (!(error instanceof ApiError) || !quiet.includes(error.code)) throw error;
  }
}

/** The six digits of the mail. The session's events lead on from there. */
export async function signInWithCode(email: string, code: string): Promise<void> {
  await startSession();
  await authCall((auth) => auth.verifyOtp({ email, token: code, type: 'email' }));
}

/** The six digits of a « mot de passe oublié »: a session that chooses a new password. */
export async function recoverWithCode(email: string, code: string): Promise<void> {
  await startSession();
  await authCall((auth) => auth.verifyOtp({ email, token: code, type: 'recovery' }));
}
