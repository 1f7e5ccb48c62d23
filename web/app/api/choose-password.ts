import { ApiError, unreachableError } from './api-error.ts';
import { supabase } from './client.ts';

/** Opens the session of a recovery link. False where the link is expired or already used. */
export async function openRecoveryLink(tokenHash: string): Promise<boolean> {
  const client = await supabase().catch(() => {
    throw unreachableError();
  });
  const { error } = await client.auth.verifyOtp({ type: 'recovery', token_hash: tokenHash });
  if (!error) return true;
  if (!error.status) throw unreachableError();
  return false;
}

/** Replaces the password of whoever is signed in, by a temporary password (V-19), a recovery link or their profile (CO-11). */
export async function choosePassword(password: string): Promise<void> {
  const client = await supabase().catch(() => {
    throw unreachableError();
  });
  const { error } = await client.auth.updateUser({ password });
  if (!error) return;
  if (!error.status) throw unreachableError();
  throw new ApiError({
    status: error.status,
    code: error.code ?? 'unexpected',
    message: passwordMessages[error.code ?? ''] ?? passwordRefused,
  });
}

const passwordRefused = 'Le mot de passe n’a pas pu être enregistré. Réessayez.';

/** The authentication service answers in English codes: said here in French. */
const passwordMessages: Readonly<Record<string, string>> = {
  weak_password: 'Ce mot de passe est trop facile à deviner. Choisissez-en un plus long ou plus varié.',
  same_password: 'Le nouveau mot de passe doit être différent de l’ancien.',
  session_not_found: 'Ce lien n’est plus valable. Demandez-en un nouveau.',
  reauthentication_needed: 'Reconnectez-vous, puis changez votre mot de passe.',
};
