/**
 * The French reason of an undelivered mail, from its stored code: an SMTP reply (« 550 5.1.1 ») or a connection error
 * (« ECONNREFUSED »).
 */
export function mailFailureReason(code: string | null): string {
  if (code === null) return 'Raison inconnue';
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'Le serveur d’e-mail a refusé le message';
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^5[35][0-9] 5\.2\.2$|^552/u, 'La boîte du destinataire est pleine'],
  [/^EAUTH$|^53[0458]/u, 'Le serveur d’e-mail refuse l’identifiant ou le mot de passe d’envoi'],
  [/^5\d\d 5\.7\.|^554/u, 'Le serveur du destinataire a refusé le message (filtre anti-spam ou règle d’envoi)'],
  [/^5\d\d 5\.1\.[78]$/u, 'L’adresse d’envoi est refusée'],
  [/^55[0137]|^5\d\d 5\.1\.|^EENVELOPE$/u, 'L’adresse du destinataire n’existe pas ou n’accepte pas ce message'],
  [/^4/u, 'Refus provisoire du serveur d’e-mail'],
  [/^E/u, 'Le serveur d’e-mail ne répond pas'],
];
