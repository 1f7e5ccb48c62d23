import type { UserIdentity } from '@supabase/supabase-js';
import { queryOptions } from '@tanstack/react-query';
import { authCall } from '../transport/auth-call.ts';

/** The open account, as the authentication service has it. */
export interface OwnAccount {
  email: string;
  /** The address that waits for its two links. */
  newEmail: string | null;
  identities: readonly OwnIdentity[];
}

/** A way to sign in that somebody else vouches for, or the address and the password. */
export interface OwnIdentity {
  identity: UserIdentity;
  provider: string;
  email: string | null;
  createdAt: string | null;
}

export const ownAccountQuery = queryOptions({
  queryKey: ['own-account'],
  queryFn: async (): Promise<OwnAccount> => {
    const { user } = await authCall((auth) => auth.getUser());
    return {
      email: user?.email ?? '',
      newEmail: user?.new_email ?? null,
      identities: (user?.identities ?? []).map((identity) => ({
        identity,
        provider: identity.provider,
        email: textOf(identity.identity_data?.['email']),
        createdAt: identity.created_at ?? null,
      })),
    };
  },
});

/** AU-13: asks for another address. Both addresses get a link; nothing changes before both were followed. */
export async function changeEmail(email: string): Promise<void> {
  await authCall((auth) => auth.updateUser({ email }, { emailRedirectTo: `${window.location.origin}/auth/callback` }));
}

/** Sends the links of a change of address again. */
export async function resendEmailChange(email: string): Promise<void> {
  await authCall((auth) =>
    auth.resend({
      type: 'email_change',
      email,
      options: { emailRedirectTo: `${window.location.origin}/auth/callback` },
    }),
  );
}

/** Removes a way to sign in; the last one stays (AU-16). */
export async function unlinkIdentity(identity: UserIdentity): Promise<void> {
  await authCall((auth) => auth.unlinkIdentity(identity));
  await authCall((auth) => auth.refreshSession());
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
