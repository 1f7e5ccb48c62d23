import type { AuthChangeEvent, Factor, Session, User } from '@supabase/supabase-js';
import type { Role } from '@parrain/domain/role';
import { ApiError, unreachableError } from './api-error.ts';
import { freshSession, isView, leaveView, sessionKey, sessions } from './client.ts';
import { whenIdle } from './idle.ts';
import { isPasswordDue, isSecondFactorDue, readProfile } from './session-profile.ts';
import {
  sessionState,
  setSessionState,
  storedSession,
  type SessionState,
  type SignedInProfile,
} from './session-store.ts';

/** The server's refusals that name a step to take before anything else. */
export const stepsFirst: ReadonlySet<string> = new Set([
  'password_change_required',
  'second_factor_required',
  'two_factor_setup_required',
]);

let begun: Promise<void> | undefined;
let ending: 'left' | 'expired' | undefined;
/** A recovery stays in force until the password is changed, whatever comes in between. */
let isRecovering = false;
/** Guards against a race: only the newest reading counts, and an older profile that arrives late is dropped. */
let lastReading = 0;
let newest: Promise<unknown> = Promise.resolve();
/** Role of the session that this browser keeps or kept last, known before the server has said anything. */
let lastRole: Role | undefined;
/** The person of a sign-in, as its answers described them: nothing is asked twice. Dropped with the session. */
let answered: AnsweredPerson | undefined;
/** The access token of the session that `putInPlace` installs: it applies the event itself, with its own name. */
let installing: string | undefined;
/** The kept session that was applied before the client of sessions had come. */
let early: Session | undefined;
const eventListeners = new Set<(event: AuthChangeEvent) => void>();

interface AnsweredPerson {
  id: string;
  profile: SignedInProfile | undefined;
  factors: readonly Factor[] | undefined;
}

/** Keeps the person that a sign-in's answers described, for the session that is put in place next. */
export function rememberAnswered(person: AnsweredPerson): void {
  answered = person;
}

/** Listens to the session's events by name: `onSessionEvent((event) => …)` gives back the way to stop. */
export function onSessionEvent(listener: (event: AuthChangeEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

/**
 * Watches the session for the screens. Without a session in this browser nobody is signed in, which is known without the client:
 * its code is asked for once something opens a session, here or in another tab.
 */
export function watchSession(): void {
  if (begun !== undefined || early !== undefined || sessionState().status !== 'loading') return;
  if (storedSession() !== undefined) {
    early = freshSession();
    if (early === undefined) void startSession();
    else {
      // Good for now: the first screen does not wait for the client that will renew it.
      lastRole = storedSession()?.role;
      void applyEvent(early, 'INITIAL_SESSION');
      // Should it not come, the session that is shown is good all the same.
      whenIdle(() => void listening().catch(() => undefined));
    }
    return;
  }
  setSessionState({ status: 'visitor', reason: 'none', lastRole: undefined });
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === sessionKey && newValue !== null) void startSession();
  });
}

/**
 * Begins to listen to the client's session; once is enough. Before something opens a session by itself: a passkey, a code.
 * Resolves after the client's first word of the session it kept, which comes before any that it is told.
 */
export async function startSession(): Promise<void> {
  try {
    await listening();
  } catch {
    setSessionState({ status: 'failed', error: unreachableError(), isOpen: storedSession() !== undefined });
  }
}

/** Listens once; a failure is not kept. */
function listening(): Promise<void> {
  begun ??= listen().catch((error: unknown) => {
    begun = undefined;
    throw error;
  });
  return begun;
}

async function listen(): Promise<void> {
  // Read before the client, which forgets a session that is over.
  const stored = storedSession();
  lastRole = stored?.role;
  const auth = await sessions();
  await new Promise<void>((resolve) => {
    let isFirst = true;
    auth.onAuthStateChange((event, session) => {
      for (const listener of eventListeners) listener(event);
      if (isFirst && session === null && stored !== undefined) ending ??= 'expired';
      // The client tells of the session it kept by both names.
      const isOpening = session !== null && (event === 'INITIAL_SESSION' || event === 'SIGNED_IN');
      const isApplied =
        (isOpening && session?.access_token === early?.access_token && sessionState().status !== 'failed') ||
        (event === 'SIGNED_IN' && installing !== undefined && session?.access_token === installing);
      isFirst = false;
      // The client holds its lock while it calls back: a call from here waits for the next tick.
      setTimeout(() => {
        if (!isApplied) void applyEvent(session, event);
        resolve();
      }, 0);
    });
  });
}

/** The state after an event of the session; where a newer event came meanwhile, the state after that one. */
export async function applyEvent(session: Session | null, event: AuthChangeEvent): Promise<SessionState> {
  const mine = readState(session, event);
  newest = mine;
  for (let awaited; awaited !== newest;) {
    awaited = newest;
    await awaited;
  }
  return sessionState();
}

/** Has the client keep a session, in place of whatever it kept; the state after it. @throws ApiError where the server refuses it */
export async function putInPlace(
  tokens: { access_token: string; refresh_token: string },
  event: AuthChangeEvent,
): Promise<SessionState> {
  const auth = await sessions();
  installing = tokens.access_token;
  const { data, error } = await auth.setSession(tokens).finally(() => {
    installing = undefined;
  });
  if (error) throw new ApiError({ status: error.status ?? 0, code: error.code ?? 'unexpected' });
  return applyEvent(data.session, event);
}

/** Signs out and forgets the session in this browser; the screens are told why. */
export async function forgetSession(reason: 'left' | 'expired'): Promise<void> {
  if (isView) return leaveView();
  ending = reason;
  const auth = await sessions();
  // The server may already have forgotten the session: this browser forgets it in any case.
  await auth.signOut({ scope: 'local' }).catch(() => undefined);
  // The client keeps the session where it could not tell the server.
  localStorage.removeItem(sessionKey);
  sessionStorage.removeItem(sessionKey);
  if (sessionState().status !== 'visitor') await applyEvent(null, 'SIGNED_OUT');
}

async function readState(session: Session | null, event: AuthChangeEvent): Promise<void> {
  if (event === 'PASSWORD_RECOVERY') isRecovering = true;
  if (event === 'USER_UPDATED' || session === null) isRecovering = false;
  // A refreshed token changes neither the person nor their profile; a reading that is under way goes on.
  if (event === 'TOKEN_REFRESHED' && isKnown(session)) return;
  const reading = ++lastReading;
  if (session === null) return isView ? leaveView() : publish(reading, stateOfNone(event));
  ending = undefined;
  const person = answered?.id === session.user.id ? answered : undefined;
  const email = session.user.email ?? '';
  if (isSecondFactorDue(session)) return publish(reading, { status: 'second-factor', email, factors: person?.factors });
  const cause = passwordChangeCause(session.user);
  if (cause) return publish(reading, { status: 'password-change', cause, email });
  try {
    const profile = person?.profile ?? (await readProfile(session.user.id));
    if (reading !== lastReading) return;
    lastRole = profile.role;
    // From here on a profile is asked for again only because it may have changed.
    answered = undefined;
    publish(reading, { status: 'signed-in', profile });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) await forgetSession('expired');
    else if (error.code === 'password_change_required')
      publish(reading, { status: 'password-change', cause: 'temporary', email });
    else if (error.code === 'second_factor_required') publish(reading, { status: 'second-factor', email });
    else if (error.code === 'two_factor_setup_required') publish(reading, { status: 'two-factor-setup', email });
    else publish(reading, { status: 'failed', error, isOpen: true });
  }
}

/** The state without a session: an end that somebody chose, an end that came by itself, or a server out of reach. */
function stateOfNone(event: AuthChangeEvent): SessionState {
  answered = undefined;
  // Kept all the same: the server could not be asked whether it still holds.
  if (storedSession() !== undefined) return { status: 'failed', error: unreachableError(), isOpen: true };
  const state = sessionState();
  const wasIn = state.status !== 'visitor' && state.status !== 'loading' && state.status !== 'failed';
  const reason =
    ending ?? (event === 'SIGNED_OUT' && wasIn ? 'expired' : state.status === 'visitor' ? state.reason : 'none');
  ending = undefined;
  return { status: 'visitor', reason, lastRole };
}

/** True where this session's person is on screen, with no step to take first. */
function isKnown(session: Session | null): boolean {
  const state = sessionState();
  return (
    session !== null &&
    state.status === 'signed-in' &&
    state.profile.id === session.user.id &&
    !isSecondFactorDue(session) &&
    passwordChangeCause(session.user) === undefined
  );
}

function publish(reading: number, next: SessionState): void {
  if (reading === lastReading) setSessionState(next);
}

function passwordChangeCause(user: User): 'temporary' | 'recovery' | undefined {
  if (isPasswordDue(user)) return 'temporary';
  return isRecovering ? 'recovery' : undefined;
}
