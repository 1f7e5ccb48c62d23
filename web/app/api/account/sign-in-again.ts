import { sessions } from '../transport/client.ts';
import { endSession } from './own-sessions.ts';
import type { SessionState } from '../transport/session-store.ts';
import { signIn } from './sign-in.ts';

/** Proves who is there: a new session by password, in the place of the one before, which ends. */
export async function signInAgain(email: string, password: string): Promise<SessionState> {
  const auth = await sessions();
  const { data } = await auth.getClaims();
  const state = await signIn({ email, password });
  const before = data?.claims.session_id;
  // Left open, it would end by itself like any other.
  if (state.status === 'signed-in' && before !== undefined) await endSession(before).catch(() => undefined);
  return state;
}
