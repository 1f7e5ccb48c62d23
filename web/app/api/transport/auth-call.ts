import type { SupabaseClient } from '@supabase/supabase-js';
import { ApiError, unreachableError } from './api-error.ts';
import { supabase } from './client.ts';

interface AuthRefusal {
  message: string;
  status?: number | undefined;
  code?: string | undefined;
  reasons?: readonly string[];
}

/** What an answer carries where nothing was refused. */
type Given<Answer> = Answer extends { error: null; data: infer Data } ? Data : never;

/**
 * A call of the authentication service by the official client: what it gives, or an ApiError in French.
 * `sentences` are for the codes that mean something particular here; `fallback` stands where a code has no words and the screen has none of its own.
 */
export async function authCall<Answer extends { data: unknown; error: AuthRefusal | null }>(
  work: (auth: SupabaseClient['auth']) => Promise<Answer>,
  { fallback, sentences = {} }: AuthCallWords = {},
): Promise<Given<Answer>> {
  const client = await supabase().catch(() => {
    throw unreachableError();
  });
  const { data, error } = await work(client.auth);
  if (error === null) return data as Given<Answer>;
  const code = error.code ?? 'unexpected';
  // A ceremony of the browser (a key, a passkey) fails without an answer of the server; anything else without one never arrived.
  const isCeremony = code.startsWith('ERROR_') || error.message.includes('WebAuthn');
  if (!isCeremony && (!error.status || error.status >= 502)) throw unreachableError();
  const status = error.status ?? 0;
  throw new ApiError({
    status,
    code,
    text: sentences[code] ?? sayWeakness(code, error.reasons) ?? said[code] ?? (isCeremony ? ceremonyFailed : fallback),
  });
}

export interface AuthCallWords {
  fallback?: string;
  sentences?: Readonly<Record<string, string>>;
}

/** The reasons for which a password is refused, each in a sentence. */
function sayWeakness(code: string, reasons: readonly string[] = []): string | undefined {
  if (code !== 'weak_password') return undefined;
  const known = reasons.flatMap((reason) => weaknesses[reason] ?? []);
  return known.length > 0 ? known.join(' ') : weaknesses['pwned'];
}

const weaknesses: Readonly<Record<string, string>> = {
  length: 'Ce mot de passe est trop court : choisissez-en un plus long.',
  characters: 'Ce mot de passe manque de variété : mêlez lettres, chiffres et signes.',
  pwned:
    'Ce mot de passe est facile à deviner : il est courant, il a déjà fuité ailleurs ou il ressemble à votre nom. Choisissez-en un autre.',
};

const ceremonyFailed =
  'L’opération a été annulée ou a pris trop de temps. Réessayez quand votre clé ou votre appareil est prêt.';

/** The authentication service answers in English codes: said here in French. */
const said: Readonly<Record<string, string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'Cette clé est déjà enregistrée sur votre compte.',
  current_password_invalid: 'Le mot de passe actuel n’est pas le bon.',
  current_password_required: 'Indiquez votre mot de passe actuel.',
  email_address_invalid: 'Cette adresse n’est pas acceptée. Vérifiez-la.',
  email_exists: 'Un compte existe déjà avec cet email.',
  identity_already_exists: 'Ce compte est déjà lié à un autre utilisateur.',
  insufficient_aal: 'Reconnectez-vous avec votre deuxième étape, puis recommencez.',
  manual_linking_disabled: 'Votre entreprise n’a pas activé la liaison de comptes.',
  mfa_challenge_expired: 'Ce code a mis trop de temps à arriver. Saisissez celui qui s’affiche maintenant.',
  mfa_factor_name_conflict: 'Ce nom est déjà pris par une autre de vos deuxièmes étapes.',
  mfa_factor_not_found: 'Cette deuxième étape n’existe plus. Rechargez la page.',
  mfa_verification_failed: 'Ce code n’est pas le bon. Saisissez celui qui s’affiche maintenant dans votre application.',
  mfa_verification_rejected: 'Ce code n’est pas accepté.',
  otp_expired: 'Ce code est faux ou a expiré. Vérifiez-le, ou demandez-en un nouveau.',
  over_email_send_rate_limit: 'Un message vient déjà de partir. Patientez une minute avant d’en demander un autre.',
  over_request_rate_limit: 'Trop de tentatives. Patientez quelques instants, puis réessayez.',
  passkey_disabled: 'Les clés d’accès ne sont pas activées ici.',
  reauthentication_needed: 'Pour votre sécurité, indiquez aussi votre mot de passe actuel.',
  same_password: 'Le nouveau mot de passe doit être différent de l’ancien.',
  session_expired: 'Votre session a expiré. Veuillez vous reconnecter.',
  session_not_found: 'Votre session a expiré. Veuillez vous reconnecter.',
  single_identity_not_deletable: 'C’est votre seul moyen de vous connecter : il ne peut pas être retiré.',
  too_many_enrolled_mfa_factors: 'Vous avez atteint le nombre maximal de deuxièmes étapes. Retirez-en une d’abord.',
  too_many_passkeys: 'Vous avez atteint le nombre maximal de clés d’accès. Retirez-en une d’abord.',
  user_banned: 'Ce compte est désactivé. Contactez votre entreprise.',
  user_sso_managed: 'Votre entreprise gère ce compte : le changement se fait chez elle.',
  webauthn_challenge_expired: 'La demande a expiré. Recommencez.',
  webauthn_challenge_not_found: 'La demande a expiré. Recommencez.',
  webauthn_credential_exists: 'Cette clé est déjà enregistrée.',
  webauthn_credential_not_found: 'Cette clé n’est pas connue ici. Connectez-vous avec votre mot de passe.',
  webauthn_verification_failed: 'Cette clé n’est pas reconnue. Connectez-vous avec votre mot de passe.',
};
