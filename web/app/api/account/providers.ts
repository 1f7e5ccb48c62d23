import type { SupabaseClient } from '@supabase/supabase-js';
import { authCall } from '../transport/auth-call.ts';

// Apart from sign-in-ways, which the login page reads at once: these bring every sentence of a refusal.

/** A provider's name, as people call it. */
export function providerName(provider: string): string {
  return providerNames[provider] ?? provider.slice(0, 1).toUpperCase() + provider.slice(1);
}

const providerNames: Readonly<Record<string, string>> = {
  azure: 'Microsoft',
  email: 'Adresse e-mail et mot de passe',
  github: 'GitHub',
  google: 'Google',
  linkedin: 'LinkedIn',
  microsoft: 'Microsoft',
  phone: 'Téléphone',
};

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
