import type { SupabaseClient } from '@supabase/supabase-js';
import { authCall } from '../transport/auth-call.ts';

type Provider = Parameters<SupabaseClient['auth']['signInWithOAuth']>[0]['provider'];

/** Leaves for the provider's page; it comes back to /auth/callback. */
export async function signInWithProvider(provider: string): Promise<void> {
  await authCall((auth) =>
    auth.signInWithOAuth({
      // The configuration names providers that the client's list does not: it sends the name as it is.
      provider: provider as Provider,
      options: { redirectTo: `${window.location.origin}/auth/callback` },
    }),
  );
}

/** Leaves for the provider's page, to add it to the account that is open (AU-16). */
export async function linkProvider(provider: string): Promise<void> {
  await authCall((auth) =>
    auth.linkIdentity({
      provider: provider as Provider,
      options: { redirectTo: `${window.location.origin}/auth/callback` },
    }),
  );
}
