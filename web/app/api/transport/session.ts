import type { AuthChangeEvent, User } from '@supabase/supabase-js';
import { useSyncExternalStore } from 'react';
import { ApiError } from './api-error.ts';
import { sessions, userIsKnown } from './client.ts';
import {
  applyEvent,
  forgetSession,
  putInPlace,
  rememberAnswered,
  startSession,
  stepsFirst,
  watchSession,
} from './session-events.ts';
import {
  isPasswordDue,
  isSecondFactorDue,
  profileOf,
  readProfile,
  subjectOf,
  type ProfileRow,
} from './session-profile.ts';
import { loading, onSessionState, sessionState, type SessionState, type SignedInProfile } from './session-store.ts';

/** The session's state, live: every event of the session reaches it (S-10). */
export function useSession(): SessionState {
  return useSyncExternalStore(subscribe, sessionState, () => loading);
}

/** The signed-in person. For the screens behind the dashboards' guard, where there always is one. */
export function useProfile(): SignedInProfile {
  const session = useSession();
  if (session.status !== 'signed-in') throw new Error('useProfile outside of a dashboard');
  return session.profile;
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** The answer of `auth-signin`: the session, its user, and the person's profile. */
export interface AnsweredSession extends Tokens {
  user: User;
  profile: ProfileRow | undefined;
}

/**
 * Puts in place the session that `auth-signin` answered; resolves once its profile is known. Nothing of it is kept where the
 * profile cannot be read.
 */
export async function installSession(answer: AnsweredSession): Promise<SessionState> {
  await startSession();
  const { user, profile, access_token: token } = answer;
  // Nothing is read before a second step: the server would refuse it. The answer holds the profile that is shown after it.
  if (isSecondFactorDue(answer)) {
    rememberAnswered({ id: user.id, profile: profile && profileOf(profile), factors: user.factors });
    return adoptSession(answer);
  }
  // With a temporary password the profile is refused until another is chosen (V-19): it is not asked for.
  if (isPasswordDue(user)) return adoptSession(answer);
  try {
    // Read although the answer holds it: the reading proves that the session may act, and refuses with the step to take first.
    const read = await readProfile(subjectOf(token), token);
    rememberAnswered({ id: user.id, profile: read, factors: undefined });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A step that comes first (a password, a second step) is looked up with the session in place.
    if (!stepsFirst.has(error.code)) {
      await (await sessions()).admin.signOut(token, 'local').catch(() => undefined);
      return { status: 'failed', error, isOpen: false };
    }
  }
  return adoptSession(answer);
}

/** Puts tokens in place of whatever session there was; resolves once it is known whose they are. `user`: as their answer named them. */
export async function adoptSession(
  { user, ...tokens }: Tokens & { user?: User | undefined },
  event: AuthChangeEvent = 'SIGNED_IN',
): Promise<SessionState> {
  await startSession();
  if (user !== undefined) userIsKnown(tokens.access_token, user);
  return putInPlace(tokens, event);
}

/** The state of a session that the client has just opened by itself; resolves once its profile is known. */
export async function openedSession(event: AuthChangeEvent = 'SIGNED_IN'): Promise<SessionState> {
  await startSession();
  const { data } = await (await sessions()).getSession();
  return applyEvent(data.session, event);
}

/** Signs out this browser's session. The dashboards' guard then leads to the role's login page (R-02, R-03). */
export async function signOut(): Promise<void> {
  await forgetSession('left');
}

/** The server said 401: the session is over, and the role is told in its own words (E-02). */
export async function expireSession(): Promise<void> {
  if (sessionState().status === 'visitor') return;
  await forgetSession('expired');
}

/** Reads the profile again: after a change of name, or when it could not be read. */
export async function refreshProfile(): Promise<void> {
  const auth = await sessions().catch(() => undefined);
  if (auth === undefined) return;
  await startSession();
  const { data } = await auth.getSession();
  await applyEvent(data.session, 'SIGNED_IN');
}

/** The server said that the session may not act yet: what comes first is looked up, and the page follows. */
export async function recheckSession(error: unknown): Promise<void> {
  if (error instanceof ApiError && stepsFirst.has(error.code) && sessionState().status === 'signed-in')
    await refreshProfile();
}

function subscribe(listener: () => void): () => void {
  const stop = onSessionState(listener);
  watchSession();
  return stop;
}
