// Sentences of payments that the server says too, apart from messages.ts: the public page carries those.

export const paymentReturned = 'Retour noté, le client est prévenu';
export const proofAttached = 'Justificatif joint';
export const settlementReferenceRequired = 'Indiquez la référence du paiement';
export const associationNumberInvalid =
  'Indiquez le numéro RNA (W et 9 chiffres) ou le SIREN (9 chiffres) de l’association';
