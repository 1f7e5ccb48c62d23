import type { Session, User } from '@supabase/supabase-js';
import { isRole } from '@parrain/domain/role';
import { unreachableError } from './api-error.ts';
import { claimsOf } from './claims.ts';
import { supabase } from './client.ts';
import { rowsOf } from './read.ts';
import type { SignedInProfile } from './session-store.ts';

/** A profile's row, as the REST layer and the sign-in give it. */
export interface ProfileRow {
  id: string;
  full_name: string;
  email: string;
  phone: string | null;
  role: string;
}

/** RE-01: one's own profile; with `token`, that of a session that is not in place yet. */
export async function readProfile(id: string, token?: string): Promise<SignedInProfile> {
  const client = await supabase().catch(() => {
    throw unreachableError();
  });
  const request = client.from('profiles').select('id,full_name,email,phone,role').eq('id', id).single<ProfileRow>();
  return profileOf(
    rowsOf(await (token === undefined ? request : request.setHeader('Authorization', `Bearer ${token}`))),
  );
}

/** A row in the words of the screens. */
export function profileOf(row: ProfileRow): SignedInProfile {
  return {
    id: row.id,
    fullName: row.full_name,
    email: row.email,
    phone: row.phone,
    role: isRole(row.role) ? row.role : 'client',
  };
}

/** A second step exists and this session has not been through it: the server would refuse everything else. */
export function isSecondFactorDue({ user, access_token: token }: Pick<Session, 'user' | 'access_token'>): boolean {
  if (!user.factors?.some((factor) => factor.status === 'verified')) return false;
  const claims = claimsOf(token);
  return claims !== undefined && claims['aal'] !== 'aal2';
}

/** The password is temporary: another one comes first (V-19). */
export function isPasswordDue({ app_metadata }: Pick<User, 'app_metadata'>): boolean {
  return app_metadata['password_change_required'] === true;
}

/** The id of the account that a token names. */
export function subjectOf(token: string): string {
  const subject = claimsOf(token)?.['sub'];
  return typeof subject === 'string' ? subject : '';
}
