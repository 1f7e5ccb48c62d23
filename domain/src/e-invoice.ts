import { deliveryErrorLabels } from './webhook.ts';
import type { DeliveryError } from './webhook.ts';

/** Steps of a self-billed invoice or credit note on its way out (EI-01); « unsent » is one that nothing has become of yet. */
export const eInvoiceStates = [
  'unsent',
  'waiting',
  'deposited',
  'accepted',
  'collected',
  'refused',
  'exported',
  'elsewhere',
] as const;
export type EInvoiceState = (typeof eInvoiceStates)[number];

export const eInvoiceStateLabels: Readonly<Record<EInvoiceState, string>> = {
  unsent: 'À déposer',
  waiting: 'En attente d’envoi',
  deposited: 'Déposée',
  accepted: 'Acceptée',
  collected: 'Encaissée',
  refused: 'Refusée',
  exported: 'Exportée',
  elsewhere: 'Déposée hors de Parrain',
};

/** Steps of the life cycle that platforms tell (XP Z12-012), by their codes, and those of a deposit. */
export const eInvoiceStatusLabels: Readonly<Record<string, string>> = {
  asked: 'Dépôt demandé',
  deposited: 'Déposée sur la plateforme',
  accepted: 'Acceptée par la plateforme',
  refused: 'Refusée par la plateforme',
  exported: 'Exportée pour un dépôt à la main',
  elsewhere: 'Déposée hors de Parrain',
  '200': 'Déposée',
  '201': 'Émise par la plateforme',
  '202': 'Reçue par la plateforme',
  '203': 'Mise à disposition',
  '204': 'Prise en charge',
  '205': 'Approuvée',
  '206': 'Approuvée en partie',
  '207': 'En litige',
  '208': 'Suspendue',
  '209': 'Complétée',
  '210': 'Refusée',
  '211': 'Paiement transmis',
  '212': 'Encaissée',
  '213': 'Rejetée',
  '220': 'Annulée',
};

/** True of a step that ends an invoice's way to its buyer. */
export function isRefusedStatus(code: string): boolean {
  return ['refused', '210', '213', '220'].includes(code);
}

/** True of an invoice that its buyer refused, or that was annulled: a credit note takes it back, and it is not sent again. */
export function isRefusedForGood({
  state,
  code,
}: {
  readonly state: EInvoiceState;
  readonly code: string | null;
}): boolean {
  return state === 'refused' && (code === '210' || code === '220');
}

/** The words of a step; one that is not known is said by its code. */
export function eInvoiceStatusText(code: string): string {
  return eInvoiceStatusLabels[code] ?? `Statut ${code}`;
}

/** Why a platform could not be spoken to, for whoever settles it. */
export function platformTrouble({
  status,
  error,
  words,
}: {
  /** Null where nothing answered. */
  readonly status: number | null;
  readonly error: DeliveryError | null;
  /** The platform's own. */
  readonly words: string;
}): string {
  if (error === 'timeout') return 'La plateforme n’a pas répondu à temps.';
  if (error !== null) return `La plateforme ne se laisse pas joindre. ${deliveryErrorLabels[error]}.`;
  const said = words === '' ? '' : ` Elle dit : ${words}`;
  if (status === 401 || status === 403) return `La plateforme refuse l’identifiant ou le secret.${said}`;
  if (status === 404) return `La plateforme ne connaît pas cette adresse.${said}`;
  if (status === 429) return `La plateforme demande d’attendre.${said}`;
  if (status !== null && status >= 500) return `La plateforme est en panne (${status}).${said}`;
  return `La plateforme a refusé (${status}).${said}`;
}

export const platformUnreadable = 'Cette adresse ne répond pas comme une plateforme agréée : vérifiez-la.';
export const platformLookUpEndless =
  'La plateforme ne cherche pas par numéro de suivi et a trop de dépôts pour être lue en entier. Rien ne part, pour que rien ne parte deux fois.';

export const eInvoicingConnected = 'Plateforme reliée';
export const eInvoicingOn = 'Dépôt automatique activé';
export const eInvoicingOff = 'Dépôt automatique désactivé';
export const eInvoicesQueued = 'Dépôt demandé';
export const eInvoicesMarked = 'Dépôt noté';
export const eInvoicesNotQueued =
  'Rien n’a été demandé : ces factures sont déjà sur la plateforme, en route, ou refusées par l’acheteur.';
export const eInvoicesNotMarked =
  'Rien n’a été noté : ce jour précède la facture, est déjà noté, ou la plateforme a déjà cette facture.';
export const depositDayToCome = 'Le jour du dépôt n’est pas encore venu.';
