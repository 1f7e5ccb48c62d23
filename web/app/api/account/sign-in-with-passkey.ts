import { authCall } from '../transport/auth-call.ts';
import { startSession } from '../transport/session-events.ts';

/** Signs in with a passkey: the browser asks which. The session's events lead on from there. */
export async function signInWithPasskey(): Promise<void> {
  await startSession();
  await authCall((auth) => auth.signInWithPasskey(), 'passkeySignIn');
}
