/** The events that other software may be told of (WH-02), by what they are about. The last word is the step that was reached. */
export const webhookTopics = {
  sale: [
    'sale.pending',
    'sale.contacted',
    'sale.in_negotiation',
    'sale.awaiting_final_validation',
    'sale.awaiting_admin_validation',
    'sale.validated',
    'sale.rejected',
    'sale.correction',
  ],
  payment_request: [
    'payment_request.pending',
    'payment_request.approved',
    'payment_request.rejected',
    'payment_request.paid',
    'payment_request.returned',
  ],
  payout: ['payout.queued', 'payout.removed', 'payout.paid', 'payout.rejected', 'payout.returned'],
  person: ['person.created', 'person.updated', 'person.deactivated', 'person.reactivated', 'person.deleted'],
} as const;
export type WebhookTopic = keyof typeof webhookTopics;
export type WebhookEvent = (typeof webhookTopics)[WebhookTopic][number];

export const webhookEvents: readonly WebhookEvent[] = Object.values(webhookTopics).flat();

export const webhookTopicLabels: Readonly<Record<WebhookTopic, string>> = {
  sale: 'Ventes',
  payment_request: 'Demandes de paiement',
  payout: 'Virements',
  person: 'Personnes',
};

export const webhookEventLabels: Readonly<Record<WebhookEvent, string>> = {
  'sale.pending': 'Reçue',
  'sale.contacted': 'Contactée',
  'sale.in_negotiation': 'En négociation',
  'sale.awaiting_final_validation': 'Signée',
  'sale.awaiting_admin_validation': 'À valider',
  'sale.validated': 'Validée',
  'sale.rejected': 'Refusée',
  'sale.correction': 'Validation annulée ou contrat corrigé',
  'payment_request.pending': 'À décider',
  'payment_request.approved': 'Approuvée',
  'payment_request.rejected': 'Refusée',
  'payment_request.paid': 'Payée',
  'payment_request.returned': 'Revenue de la banque',
  'payout.queued': 'Mis dans un virement groupé',
  'payout.removed': 'Retiré',
  'payout.paid': 'Payé',
  'payout.rejected': 'Rejeté par la banque',
  'payout.returned': 'Revenu de la banque',
  'person.created': 'Ajoutée',
  'person.updated': 'Modifiée',
  'person.deactivated': 'Désactivée',
  'person.reactivated': 'Réactivée',
  'person.deleted': 'Supprimée',
};

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const deliveryLabels: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'En attente',
  delivered: 'Reçu',
  failed: 'Échec',
  dropped: 'Abandonné',
};

/** Why a try got no answer, as the server writes it; an answer that is no success has its status alone. */
export const deliveryErrors = [
  'private_address',
  'not_https',
  'unknown_host',
  'timeout',
  'refused',
  'certificate',
  'network',
] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

export const deliveryErrorLabels: Readonly<Record<DeliveryError, string>> = {
  private_address: 'Adresse d’un réseau privé : rien n’a été envoyé',
  not_https: 'Adresse sans https:// : rien n’a été envoyé',
  unknown_host: 'Nom de domaine introuvable',
  timeout: 'Pas de réponse en 10 secondes',
  refused: 'Connexion refusée',
  certificate: 'Certificat de sécurité non valable',
  network: 'Connexion interrompue',
};

/** Why nothing is sent to an address. */
export type WebhookOff = 'admin' | 'gone' | 'failures';

export const webhookOffLabels: Readonly<Record<WebhookOff, string>> = {
  admin: 'Désactivé',
  gone: 'Désactivé : l’autre logiciel a répondu qu’il n’attend plus rien (410)',
  failures: 'Désactivé après trois jours d’échecs',
};

export const webhookAdded = 'Webhook ajouté';
export const webhookSaved = 'Webhook enregistré';
export const webhookRemoved = 'Webhook supprimé';
export const webhookSecretRolled = 'Nouveau secret : l’ancien reste valable 24 heures';
export const webhookTestSent = 'Essai envoyé';
export const webhookSentAgain = 'Envoi relancé';

/** A row of `webhooks?action=list`. */
export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly WebhookEvent[];
  readonly created_at: string;
  readonly off_since: string | null;
  readonly off_because: WebhookOff | null;
  readonly failing_since: string | null;
  readonly failures: number;
  readonly former_secret_until: string | null;
  readonly waiting: number;
}

/** A row of `webhooks?action=log`. */
export interface WebhookDeliveryRow {
  readonly id: string;
  readonly number: number;
  readonly type: WebhookEvent | 'webhook.test';
  readonly object_id: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly created_at: string;
  /** Time of the next attempt; null where there is none. */
  readonly run_at: string | null;
  readonly answered_at: string | null;
  readonly answer_status: number | null;
  readonly answer: string | null;
  readonly error: DeliveryError | null;
  readonly took_ms: number | null;
}
