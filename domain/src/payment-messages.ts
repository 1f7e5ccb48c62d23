// Sentences of payments that the server says too, apart from messages.ts: the public page carries those.

export const paymentReturned = 'Retour noté, le client est prévenu';
export const proofAttached = 'Justificatif joint';
export const associationNumberInvalid =
  'Ce numéro n’est pas valide : un RNA (W et 9 signes) ou un SIREN (9 chiffres, dont une clé)';
export const settlementCompleted = 'Référence ajoutée';
export const accountCheckRequired = 'Indiquez comment ce compte a été vérifié avec le bénéficiaire';
export const accountChecked = 'Compte vérifié avec le bénéficiaire';
export const ibanWaitLifted = 'Compte utilisable, le bénéficiaire est prévenu';
