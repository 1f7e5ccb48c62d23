import type { Factor } from '@supabase/supabase-js';
import { isRole, type Role } from '@parrain/domain/role';
import type { ApiError } from './api-error.ts';
import { keptSession } from './client.ts';

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
  /** The first step is done, the second one is still to come (AU-17). `factors`: the choices, where the sign-in named them. */
  | { status: 'second-factor'; email: string; factors?: readonly Factor[] | undefined }
  /** The company asks its admins for a second step, and this one has none yet. */
  | { status: 'two-factor-setup'; email: string }
  | { status: 'signed-in'; profile: SignedInProfile }
  /** The server did not say who this is. `isOpen`: there is a session all the same, which may be tried again or left. */
  | { status: 'failed'; error: ApiError; isOpen: boolean };

export const loading: SessionState = { status: 'loading' };

let state: SessionState = loading;
const listeners = new Set<() => void>();

/** The session's state at this instant. */
export function sessionState(): SessionState {
  return state;
}

/** Replaces the state and tells the screens. */
export function setSessionState(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Calls back after each change of the state; gives the way to stop. */
export function onSessionState(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Session that this browser keeps, with the role written there; undefined for none. */
export function storedSession(): { role: Role | undefined } | undefined {
  const session = keptSession();
  if (session === undefined) return undefined;
  const role: unknown = session.user?.app_metadata['role'];
  return { role: typeof role === 'string' && isRole(role) ? role : undefined };
}
