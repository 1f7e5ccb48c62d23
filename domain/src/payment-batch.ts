import { formatDateTime } from './date.ts';
import { isSepaIban } from './iban.ts';
import { sepaText } from './sepa.ts';
import type { Tone } from './sale.ts';

export const batchStatuses = ['draft', 'released', 'sent', 'settled'] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** The status of a batch on screen (PO-02). */
export const batchLabels: Readonly<Record<BatchStatus, string>> = {
  draft: 'Brouillon',
  released: 'Validé',
  sent: 'Envoyé à la banque',
  settled: 'Soldé',
};

export const batchTones: Readonly<Record<BatchStatus, Tone>> = {
  draft: 'amber',
  released: 'indigo',
  sent: 'blue',
  settled: 'green',
};

export const batchLineStatuses = ['queued', 'paid', 'rejected', 'returned'] as const;
export type BatchLineStatus = (typeof batchLineStatuses)[number];

export const batchLineLabels: Readonly<Record<BatchLineStatus, string>> = {
  queued: 'À payer',
  paid: 'Payé',
  rejected: 'Rejeté',
  returned: 'Revenu',
};

/** What keeps a transfer out of a batch, or null: what the database says, else what a bank would (PO-01). */
export function transferObstacle(transfer: {
  readonly obstacle: string | null;
  readonly iban: string | null;
  readonly beneficiary: string | null;
  readonly ibanUsableFrom: string | null;
}): string | null {
  if (transfer.obstacle === 'closed') return 'Son compte est fermé.';
  if (transfer.obstacle === 'debt') return 'Une validation annulée a rendu son solde négatif.';
  if (transfer.obstacle === 'iban') return ibanUsableFrom(transfer.ibanUsableFrom);
  if (!transfer.iban) return 'L’IBAN manque.';
  if (!isSepaIban(transfer.iban)) return 'Son compte est hors de la zone SEPA : à payer à la main.';
  if (sepaText(transfer.beneficiary ?? '', 70) === '') return 'Le nom du bénéficiaire n’a pas de lettre latine.';
  return null;
}

/** PO-04: why nothing goes to a changed account yet. */
export function ibanUsableFrom(instant: string | null): string {
  const day = instant === null ? 'plus tard' : `le ${formatDateTime(instant)}`;
  return `IBAN changé, utilisable ${day}, ou dès que le client l’aura confirmé par le lien de son e-mail.`;
}
