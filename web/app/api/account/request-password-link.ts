import { apiErrorFrom, unreachableError } from '../transport/api-error.ts';
import { sessions } from '../transport/client.ts';

/** asks for the e-mail whose link leads to a new password. The answer is the same whether the account exists or not. */
export async function requestPasswordLink(email: string): Promise<void> {
  const auth = await sessions().catch(() => {
    throw unreachableError();
  });
  const { error } = await auth.resetPasswordForEmail(email, {
    redirectTo: `${window.location.origin}/auth/new-password`,
  });
  // An address that was just written to is told like any other.
  if (!error || error.code === 'over_email_send_rate_limit') return;
  if (!error.status) throw unreachableError();
  throw apiErrorFrom(error.status, JSON.stringify({ code: error.code, message: passwordLinkMessage(error.status) }));
}

function passwordLinkMessage(status: number): string {
  return status === 429
    ? 'Trop de demandes. Patientez quelques minutes, puis réessayez.'
    : 'La demande n’a pas pu être envoyée. Réessayez.';
}
