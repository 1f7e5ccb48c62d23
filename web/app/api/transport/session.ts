import type { AuthChangeEvent, Session, SupabaseClient, User } from '@supabase/supabase-js';
import { isRole, type Role } from '@parrain/domain/role';
import { useSyncExternalStore } from 'react';
import { ApiError, unreachableError } from './api-error.ts';
import { sessionKey, supabase } from './client.ts';
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
  /** The server did not say who this is. `isOpen`: there is a session all the same, which may be tried again or left. */
  | { status: 'failed'; error: ApiError; isOpen: boolean };

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

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

/**
 * Puts in place the session that `auth-signin` answered; resolves once its profile is known. Nothing of it is kept where the
 * profile cannot be read.
 */
export async function installSession({ user, ...tokens }: Tokens & { user?: User | undefined }): Promise<SessionState> {
  start();
  // Nothing is read before a second step: the server would refuse it.
  if (user && isSecondFactorDue({ user, access_token: tokens.access_token })) return adoptSession(tokens);
  const client = await supabase();
  try {
    await readProfile(client, subjectOf(tokens.access_token), tokens.access_token);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // What has to come before the profile is looked up with the session in place.
    if (!notYet.has(error.code)) {
      await client.auth.admin.signOut(tokens.access_token, 'local').catch(() => undefined);
      return { status: 'failed', error, isOpen: false };
    }
  }
  return adoptSession(tokens);
}

/** Puts tokens in place of whatever session there was; resolves once it is known whose they are. */
export async function adoptSession(tokens: Tokens, event: AuthChangeEvent = 'SIGNED_IN'): Promise<SessionState> {
  start();
  const client = await supabase();
  const { data, error } = await client.auth.setSession(tokens);
  if (error) throw new ApiError({ status: error.status ?? 0, code: error.code ?? 'unexpected' });
  return meet(client, data.session, event);
}

/** The state of a session that the client has just opened by itself; resolves once its profile is known. */
export async function openedSession(event: AuthChangeEvent = 'SIGNED_IN'): Promise<SessionState> {
  start();
  const client = await supabase();
  const { data } = await client.auth.getSession();
  return meet(client, data.session, event);
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
  const client = await supabase().catch(() => undefined);
  if (client === undefined) return;
  start();
  const { data } = await client.auth.getSession();
  await meet(client, data.session, 'SIGNED_IN');
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
let newest: Promise<unknown> = Promise.resolve();
/** Whose session this browser keeps or kept last, known before the server has said anything. */
let lastRole: Role | undefined;
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
  // Read before the client, which forgets a session that is over.
  const stored = storedSession();
  lastRole = stored?.role;
  let isFirst = true;
  supabase().then(
    (client) => {
      client.auth.onAuthStateChange((event, session) => {
        for (const listener of eventListeners) listener(event);
        if (isFirst && session === null && stored !== undefined) ending ??= 'expired';
        isFirst = false;
        // The client holds its lock while it calls back: what calls it again waits for the next turn.
        setTimeout(() => void meet(client, session, event), 0);
      });
    },
    () => {
      started = false;
      become({ status: 'failed', error: unreachableError(), isOpen: stored !== undefined });
    },
  );
}

/** The session that this browser keeps, as it stands there; undefined for none. */
function storedSession(): { role: Role | undefined } | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(sessionKey) ?? 'null') as { user?: User } | null;
    const role: unknown = kept?.user?.app_metadata['role'];
    return kept === null ? undefined : { role: typeof role === 'string' && isRole(role) ? role : undefined };
  } catch {
    return undefined;
  }
}

/** What an event of the session means for the interface; where a newer one came meanwhile, what that one means. */
async function meet(client: SupabaseClient, session: Session | null, event: AuthChangeEvent): Promise<SessionState> {
  const mine = look(client, session, event);
  newest = mine;
  for (let awaited; awaited !== newest;) {
    awaited = newest;
    await awaited;
  }
  return state;
}

async function look(client: SupabaseClient, session: Session | null, event: AuthChangeEvent): Promise<void> {
  if (event === 'PASSWORD_RECOVERY') isRecovering = true;
  if (event === 'USER_UPDATED' || session === null) isRecovering = false;
  // A refreshed token changes neither the person nor their profile; a reading that is under way goes on.
  if (event === 'TOKEN_REFRESHED' && isKnown(session)) return;
  const turn = ++reading;
  if (session === null) {
    // Kept all the same: the server could not be asked whether it still holds.
    if (storedSession() !== undefined)
      return settle(turn, { status: 'failed', error: unreachableError(), isOpen: true });
    const wasIn = state.status !== 'visitor' && state.status !== 'loading' && state.status !== 'failed';
    const reason =
      ending ?? (event === 'SIGNED_OUT' && wasIn ? 'expired' : state.status === 'visitor' ? state.reason : 'none');
    ending = undefined;
    return settle(turn, { status: 'visitor', reason, lastRole });
  }
  ending = undefined;
  const email = session.user.email ?? '';
  if (isSecondFactorDue(session)) return settle(turn, { status: 'second-factor', email });
  const cause = passwordChangeCause(session.user);
  if (cause) return settle(turn, { status: 'password-change', cause, email });
  try {
    const profile = await readProfile(client, session.user.id);
    if (turn === reading) lastRole = profile.role;
    settle(turn, { status: 'signed-in', profile });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) await end('expired');
    else if (error.code === 'password_change_required')
      settle(turn, { status: 'password-change', cause: 'temporary', email });
    else if (error.code === 'second_factor_required') settle(turn, { status: 'second-factor', email });
    else if (error.code === 'two_factor_setup_required') settle(turn, { status: 'two-factor-setup', email });
    else settle(turn, { status: 'failed', error, isOpen: true });
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

function settle(turn: number, next: SessionState): void {
  if (turn === reading) become(next);
}

function passwordChangeCause(user: User): 'temporary' | 'recovery' | undefined {
  if (user.app_metadata['password_change_required'] === true) return 'temporary';
  return isRecovering ? 'recovery' : undefined;
}

/** A second step exists and this session has not been through it: the server would refuse everything else. */
function isSecondFactorDue({ user, access_token: token }: Pick<Session, 'user' | 'access_token'>): boolean {
  if (!user.factors?.some((factor) => factor.status === 'verified')) return false;
  const claims = claimsOf(token);
  return claims !== undefined && claims['aal'] !== 'aal2';
}

function subjectOf(token: string): string {
  const subject = claimsOf(token)?.['sub'];
  return typeof subject === 'string' ? subject : '';
}

/** What a token says, unproven: the server is asked for anything that matters. */
function claimsOf(token: string): Record<string, unknown> | undefined {
  try {
    const claims: unknown = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** RE-01: one's own profile; with `token`, that of a session that is not in place yet. */
async function readProfile(client: SupabaseClient, id: string, token?: string): Promise<SignedInProfile> {
  const request = client.from('profiles').select('id,full_name,email,phone,role').eq('id', id).single<ProfileRow>();
  const row = rowsOf(await (token === undefined ? request : request.setHeader('Authorization', `Bearer ${token}`)));
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
  // The client keeps the session where it could not tell the server.
  localStorage.removeItem(sessionKey);
  if (state.status !== 'visitor') await meet(client, null, 'SIGNED_OUT');
}
