import type { AuthChangeEvent, Session, SupabaseClient, User } from '@supabase/supabase-js';
import { isRole, type Role } from '@parrain/domain/role';
import { useSyncExternalStore } from 'react';
import { ApiError, unreachableError } from './api-error.ts';
import { supabase } from './client.ts';
import { rowsOf } from './read.ts';

/** The signed-in person as the header and the guards know them. */
export interface SignedInProfile {
  id: string;
  fullName: string;
  email: string;
  phone: string | null;
  /** Any role that is neither admin nor commercial is a client's. */
  role: Role;
}

export type SessionState =
  | { status: 'loading' }
  /** `left`: signed out on purpose; `expired`: the session ended by itself (E-02); `lastRole`: whose it was. */
  | { status: 'visitor'; reason: 'none' | 'left' | 'expired'; lastRole: Role | undefined }
  /** Signed in with a temporary password or a recovery link: a new password comes first (V-19, R-07). */
  | { status: 'password-change'; cause: 'temporary' | 'recovery'; email: string }
  /** The first step is done, the second one is still to come (AU-17). */
  | { status: 'second-factor'; email: string }
  /** The company asks its admins for a second step, and this one has none yet. */
  | { status: 'two-factor-setup'; email: string }
  | { status: 'signed-in'; profile: SignedInProfile }
  /** The session is there but the profile could not be read. */
  | { status: 'failed'; error: ApiError };

/** Who is signed in, live: every event of the session reaches it (S-10). */
export function useSession(): SessionState {
  return useSyncExternalStore(
    subscribe,
    () => state,
    () => loading,
  );
}

/** The signed-in person. For the screens behind the dashboards' guard, where there always is one. */
export function useProfile(): SignedInProfile {
  const session = useSession();
  if (session.status !== 'signed-in') throw new Error('useProfile outside of a dashboard');
  return session.profile;
}

/** Listens to the session before something opens one by itself: a passkey, a code. */
export function startSession(): void {
  start();
}

/** Puts in place the session that `auth-signin` answered; resolves once its profile is known. */
export async function installSession(tokens: { access_token: string; refresh_token: string }): Promise<SessionState> {
  start();
  const client = await supabase();
  const { data, error } = await client.auth.setSession(tokens);
  if (error) throw new ApiError({ status: error.status ?? 0, code: error.code ?? 'unexpected' });
  return meet(client, data.session, 'SIGNED_IN');
}

/** Signs out this browser's session. The dashboards' guard then leads to the role's login page (R-02, R-03). */
export async function signOut(): Promise<void> {
  await end('left');
}

/** The server said 401: the session is over, and the role is told in its own words (E-02). */
export async function expireSession(): Promise<void> {
  if (state.status === 'visitor') return;
  await end('expired');
}

/** Reads the profile again: after a change of name, or when it could not be read. */
export async function refreshProfile(): Promise<void> {
  const client = await supabase();
  const { data } = await client.auth.getSession();
  await meet(client, data.session, 'USER_UPDATED');
}

/** The server said that the session may not act yet: what comes first is looked up, and the page follows. */
export async function recheckSession(error: unknown): Promise<void> {
  if (error instanceof ApiError && notYet.has(error.code) && state.status === 'signed-in') await refreshProfile();
}

const notYet: ReadonlySet<string> = new Set([
  'password_change_required',
  'second_factor_required',
  'two_factor_setup_required',
]);

/** Listens to the session's events by name: `onSessionEvent((event) => …)` gives back the way to stop. */
export function onSessionEvent(listener: (event: AuthChangeEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

const loading: SessionState = { status: 'loading' };
let state: SessionState = loading;
let started = false;
let ending: 'left' | 'expired' | undefined;
/** A recovery stays in force until the password is changed, whatever comes in between. */
let isRecovering = false;
/** Only the newest reading counts: an older profile that arrives late is dropped. */
let reading = 0;
const listeners = new Set<() => void>();
const eventListeners = new Set<(event: AuthChangeEvent) => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  start();
  return () => listeners.delete(listener);
}

function become(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

function start(): void {
  if (started) return;
  started = true;
  supabase().then(
    (client) => {
      client.auth.onAuthStateChange((event, session) => {
        for (const listener of eventListeners) listener(event);
        // The client holds its lock while it calls back: what calls it again waits for the next turn.
        setTimeout(() => void meet(client, session, event), 0);
      });
    },
    () => {
      started = false;
      become({
        status: 'failed',
        error: unreachableError(),
      });
    },
  );
}

/** What an event of the session means for the interface. */
async function meet(client: SupabaseClient, session: Session | null, event: AuthChangeEvent): Promise<SessionState> {
  if (event === 'PASSWORD_RECOVERY') isRecovering = true;
  if (event === 'USER_UPDATED' || session === null) isRecovering = false;
  // A refreshed token changes neither the person nor their profile; a reading that is under way goes on.
  if (event === 'TOKEN_REFRESHED' && isKnown(session)) return state;
  const turn = ++reading;
  if (session === null) {
    const lastRole =
      state.status === 'signed-in' ? state.profile.role : state.status === 'visitor' ? state.lastRole : undefined;
    const wasIn = state.status !== 'visitor' && state.status !== 'loading' && state.status !== 'failed';
    const reason =
      ending ?? (event === 'SIGNED_OUT' && wasIn ? 'expired' : state.status === 'visitor' ? state.reason : 'none');
    ending = undefined;
    return settle(turn, { status: 'visitor', reason, lastRole });
  }
  const email = session.user.email ?? '';
  if (isSecondFactorDue(session)) return settle(turn, { status: 'second-factor', email });
  const cause = passwordChangeCause(session.user);
  if (cause) return settle(turn, { status: 'password-change', cause, email });
  try {
    return settle(turn, { status: 'signed-in', profile: await readProfile(client, session.user) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) await end('expired');
    else if (error.code === 'password_change_required')
      settle(turn, { status: 'password-change', cause: 'temporary', email });
    else if (error.code === 'second_factor_required') settle(turn, { status: 'second-factor', email });
    else if (error.code === 'two_factor_setup_required') settle(turn, { status: 'two-factor-setup', email });
    else settle(turn, { status: 'failed', error });
    return state;
  }
}

/** Whether this session's person stands on screen, and nothing is asked of them first. */
function isKnown(session: Session | null): boolean {
  return (
    session !== null &&
    state.status === 'signed-in' &&
    state.profile.id === session.user.id &&
    !isSecondFactorDue(session) &&
    passwordChangeCause(session.user) === undefined
  );
}

function settle(turn: number, next: SessionState): SessionState {
  if (turn === reading) become(next);
  return state;
}

function passwordChangeCause(user: User): 'temporary' | 'recovery' | undefined {
  if (user.app_metadata['password_change_required'] === true) return 'temporary';
  return isRecovering ? 'recovery' : undefined;
}

/** A second step exists and this session has not been through it: the server would refuse everything else. */
function isSecondFactorDue({ user, access_token: token }: Session): boolean {
  if (!user.factors?.some((factor) => factor.status === 'verified')) return false;
  try {
    const claims: unknown = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));
    return !(typeof claims === 'object' && claims !== null && 'aal' in claims && claims.aal === 'aal2');
  } catch {
    return false;
  }
}

/** RE-01: one's own profile. */
async function readProfile(client: SupabaseClient, user: User): Promise<SignedInProfile> {
  const row = rowsOf(
    await client.from('profiles').select('id,full_name,email,phone,role').eq('id', user.id).single<ProfileRow>(),
  );
  return {
    id: row.id,
    fullName: row.full_name,
    email: row.email,
    phone: row.phone,
    role: isRole(row.role) ? row.role : 'client',
  };
}

interface ProfileRow {
  id: string;
  full_name: string;
  email: string;
  phone: string | null;
  role: string;
}

async function end(reason: 'left' | 'expired'): Promise<void> {
  ending = reason;
  const client = await supabase();
  // The server may already have forgotten the session: this browser forgets it in any case.
  await client.auth.signOut({ scope: 'local' }).catch(() => undefined);
  if (state.status !== 'visitor') await meet(client, null, 'SIGNED_OUT');
}
