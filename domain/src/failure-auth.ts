import * as messages from './messages.ts';

// The authentication protocol refuses in English codes. Here is the French sentence of each that a person may meet.

/** A moment at which a code means something particular. */
export type AuthMoment = keyof typeof moments;

interface AuthFailureContext {
  readonly moment?: AuthMoment | undefined;
  /** Why a password is weak. */
  readonly reasons?: readonly string[] | undefined;
  /** True when the browser's own dialog (a key, a passkey) ended without an answer of the server. */
  readonly isCeremony?: boolean;
}

/**
 * The sentence of a refusal: that of its moment, else that of its code, else what the moment says of any other refusal;
 * undefined where there is none of the three.
 */
export function authFailureMessage(
  code: string,
  { moment, reasons = [], isCeremony = false }: AuthFailureContext = {},
): string | undefined {
  const words: AuthMomentWords | undefined = moment && moments[moment];
  return (
    lookUp(words?.sentences, code) ??
    (code === 'weak_password' ? weakPassword(reasons) : lookUp(sentences, code)) ??
    (isCeremony ? ceremonyFailed : words?.otherwise)
  );
}

/** The sentence with which the page of a link or of a provider's return refuses; undefined for a code it does not know. */
export function arrivalRefusal(code: string): string | undefined {
  return lookUp(arrivals, code);
}

interface AuthMomentWords {
  readonly sentences: Readonly<Record<string, string>>;
  readonly otherwise?: string;
}

const sentences: Readonly<Record<string, string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'Cette clé est déjà enregistrée sur votre compte.',
  current_password_invalid: 'Le mot de passe actuel n’est pas le bon.',
  current_password_required: 'Indiquez votre mot de passe actuel.',
  email_exists: messages.emailTaken,
  identity_already_exists: 'Ce compte est déjà lié à un autre utilisateur.',
  insufficient_aal: 'Reconnectez-vous avec votre deuxième étape, puis recommencez.',
  manual_linking_disabled: 'Votre entreprise n’a pas activé la liaison de comptes.',
  mfa_challenge_expired: 'Ce code a mis trop de temps à arriver. Saisissez celui qui s’affiche maintenant.',
  mfa_factor_name_conflict: 'Ce nom est déjà pris par une autre de vos deuxièmes étapes.',
  mfa_factor_not_found: 'Cette deuxième étape n’existe plus. Rechargez la page.',
  mfa_verification_failed: 'Ce code n’est pas le bon. Saisissez celui qui s’affiche maintenant dans votre application.',
  otp_expired: 'Ce code est faux ou a expiré. Vérifiez-le, ou demandez-en un nouveau.',
  over_email_send_rate_limit: 'Un message vient déjà de partir. Patientez une minute avant d’en demander un autre.',
  over_request_rate_limit: 'Trop de tentatives. Patientez quelques instants, puis réessayez.',
  reauthentication_needed: 'Pour votre sécurité, indiquez aussi votre mot de passe actuel.',
  same_password: 'Le nouveau mot de passe doit être différent de l’ancien.',
  session_expired: messages.sessionExpired.client,
  session_not_found: messages.sessionExpired.client,
  single_identity_not_deletable: 'C’est votre seul moyen de vous connecter : il ne peut pas être retiré.',
  too_many_enrolled_mfa_factors: 'Vous avez atteint le nombre maximal de deuxièmes étapes. Retirez-en une d’abord.',
  too_many_passkeys: 'Vous avez atteint le nombre maximal de clés d’accès. Retirez-en une d’abord.',
  user_banned: messages.accountDisabled,
  user_sso_managed: 'Votre entreprise gère ce compte : le changement se fait chez elle.',
  webauthn_challenge_expired: 'La demande a expiré. Recommencez.',
  webauthn_challenge_not_found: 'La demande a expiré. Recommencez.',
  webauthn_credential_exists: 'Cette clé est déjà enregistrée.',
  webauthn_credential_not_found: 'Cette clé n’est pas connue ici. Connectez-vous avec votre mot de passe.',
  webauthn_verification_failed: 'Cette clé n’est pas reconnue. Connectez-vous avec votre mot de passe.',
};

const moments = {
  passkeySignIn: {
    sentences: {},
    otherwise: 'La connexion avec une clé d’accès n’a pas abouti. Réessayez, ou utilisez votre mot de passe.',
  },
  passwordChoice: {
    sentences: { session_not_found: 'Ce lien n’est plus valable. Demandez-en un nouveau.' },
    otherwise: 'Le mot de passe n’a pas pu être enregistré. Réessayez.',
  },
  /** The code of a text message is typed. */
  phoneCode: { sentences: { mfa_verification_failed: 'Ce code n’est pas le bon. Vérifiez le message reçu.' } },
  phoneCodeRequest: {
    sentences: { over_sms_send_rate_limit: 'Un message vient déjà de partir. Patientez une minute.' },
  },
  phoneEnrolment: { sentences: { validation_failed: messages.phoneInvalid } },
  recoveryCode: {
    sentences: {
      mfa_verification_failed: 'Ce code n’est pas le bon, ou il a déjà servi.',
      mfa_recovery_codes_locked: 'Trop de codes faux. Patientez quelques instants, puis réessayez.',
    },
  },
  /** The browser asks for a security key, the second step. */
  securityKey: {
    sentences: { mfa_verification_failed: 'Cette clé n’est pas reconnue. Essayez-en une autre.' },
    otherwise: 'La clé n’a pas répondu comme prévu. Réessayez.',
  },
} as const satisfies Readonly<Record<string, AuthMomentWords>>;

const startAgain = 'Recommencez depuis la page de connexion.';

const arrivals: Readonly<Record<string, string>> = {
  bad_code_verifier: `Cette connexion a commencé dans un autre navigateur. ${startAgain}`,
  bad_oauth_callback: 'La connexion a été annulée ou interrompue. Vous pouvez recommencer.',
  bad_oauth_state: `La connexion a pris trop de temps ou a été interrompue. ${startAgain}`,
  email_exists:
    'Un compte existe déjà avec cette adresse. Connectez-vous avec votre mot de passe, puis liez-le depuis votre profil.',
  flow_state_already_used: `Cette connexion a déjà servi. ${startAgain}`,
  flow_state_not_found: `Cette connexion a déjà servi. ${startAgain}`,
  flow_state_expired: `La connexion a pris trop de temps. ${startAgain}`,
  identity_already_exists: 'Ce compte est déjà lié à un autre utilisateur.',
  otp_expired: 'Ce lien a expiré ou a déjà servi. Un lien n’est valable qu’une fois, pendant une heure.',
  pkce_code_verifier_not_found: `Cette connexion a commencé dans un autre navigateur. ${startAgain}`,
  provider_email_needs_verification:
    'Votre adresse doit d’abord être confirmée : un message vient de vous être envoyé.',
  signup_disabled:
    'Aucun compte n’existe à cette adresse, et les inscriptions sont fermées. Contactez votre entreprise.',
  user_banned: messages.accountDisabled,
};

const weaknesses: Readonly<Record<string, string>> = {
  length: 'Ce mot de passe est trop court : choisissez-en un plus long.',
  characters: 'Ce mot de passe manque de variété : mêlez lettres, chiffres et signes.',
  pwned:
    'Ce mot de passe est facile à deviner : il est courant, il a déjà fuité ailleurs ou il ressemble à votre nom. Choisissez-en un autre.',
};

/** The reasons for which a password is weak, each in a sentence. */
function weakPassword(reasons: readonly string[]): string | undefined {
  const known = reasons.flatMap((reason) => lookUp(weaknesses, reason) ?? []);
  return known.length > 0 ? known.join(' ') : weaknesses['pwned'];
}

const ceremonyFailed =
  'L’opération a été annulée ou a pris trop de temps. Réessayez quand votre clé ou votre appareil est prêt.';

/** Every code that has a sentence somewhere. */
export const authFailureCodes: readonly string[] = [
  ...new Set([
    'weak_password',
    ...[sentences, arrivals, ...Object.values(moments).map((words) => words.sentences)].flatMap((table) =>
      Object.keys(table),
    ),
  ]),
];

function lookUp(table: Readonly<Record<string, string>> | undefined, code: string): string | undefined {
  return table !== undefined && Object.hasOwn(table, code) ? table[code] : undefined;
}
