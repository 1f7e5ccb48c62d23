import { authCall } from '../transport/auth-call.ts';

/** Mails the link that proves the address of an account. */
export async function requestAddressLink(email: string): Promise<void> {
  await authCall((auth) =>
    auth.resend({ type: 'signup', email, options: { emailRedirectTo: `${window.location.origin}/auth/callback` } }),
  );
}
