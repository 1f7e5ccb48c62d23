import { formatDateTime } from './date.ts';
import { isSepaIban } from './iban.ts';
import { isNever } from './never.ts';
import { sepaText } from './sepa.ts';
import type { Tone } from './sale.ts';

export const batchStatuses = ['draft', 'released', 'sent', 'settled'] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** The status of a batch on screen (PO-02). */
export const batchLabels: Readonly<Record<BatchStatus, string>> = {
  draft: 'Brouillon',
  released: 'Validé',
  sent: 'Envoyé à la banque',
  settled: 'Payé',
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

/**
 * Reason that keeps a transfer out of a batch, and the place to mend it: the request, the payee's account, their legal details, or the
 * commercial themselves. An account that its bank refused is replaced there, or used again by an admin.
 */
export interface TransferObstacle {
  readonly reason: string;
  readonly mend: 'request' | 'account' | 'payee' | 'commercial' | 'wait' | 'refused';
}

/**
 * Reason that keeps a transfer out of a batch, or null: first what the database reports, then what a bank would refuse (PO-01). The link of
 * a mail is a remedy only where `sendsMail`.
 */
export function transferObstacle(
  transfer: {
    readonly obstacle: string | null;
    readonly iban: string | null;
    readonly beneficiary: string | null;
    readonly ibanUsableFrom: string | null;
    /** Of a commercial's month (PO-05). */
    readonly month?: string | null;
  },
  sendsMail = false,
): TransferObstacle | null {
  const isMonth = typeof transfer.month === 'string';
  const inRequest = (reason: string): TransferObstacle => ({ reason, mend: isMonth ? 'commercial' : 'request' });
  switch (transfer.obstacle) {
    case 'payroll':
      return inRequest('Salarié : ses commissions se paient avec la paie, pas par virement groupé.');
    case 'no_status':
      return inRequest('Son statut n’est pas renseigné : rien ne dit s’il est payé par virement.');
    case 'closed':
      return inRequest('Son compte est fermé.');
    case 'debt':
      return { reason: 'Une validation annulée a rendu son solde négatif.', mend: 'account' };
    case 'no_bic':
      return inRequest(
        isMonth
          ? 'Son compte est hors de l’Espace économique européen : le BIC et son adresse manquent, il les donne dans son « Profil ».'
          : 'Son compte est hors de l’Espace économique européen : le BIC et l’adresse manquent. Refusez la demande : il la refera avec eux.',
      );
    case 'incomplete':
      return { reason: 'Ses informations légales manquent : une pièce ne peut pas le nommer.', mend: 'payee' };
    case 'abroad':
      return { reason: abroadUnpayable, mend: 'payee' };
    case 'invoice':
      return inRequest(
        isMonth
          ? 'Sa facture attend : acceptez-la ou refusez-la dans « Commissions des commerciaux ».'
          : 'Sa facture attend : acceptez-la ou refusez-la.',
      );
    default:
  }
  if (!transfer.iban?.trim())
    return inRequest(isMonth ? 'Son compte bancaire manque : il le donne dans son « Profil ».' : 'L’IBAN manque.');
  if (!isSepaIban(transfer.iban)) return inRequest('Son compte est hors de la zone SEPA : à payer à la main.');
  if (!transfer.beneficiary?.trim()) return inRequest('Le nom du titulaire du compte manque.');
  if (sepaText(transfer.beneficiary, 70) === '') {
    return inRequest('Le nom du titulaire du compte n’a pas de lettre latine.');
  }
  if (transfer.obstacle === 'iban' && isNever(transfer.ibanUsableFrom))
    return { reason: accountRefused, mend: 'refused' };
  // It passes with time: what does not comes before.
  return transfer.obstacle === 'iban'
    ? {
        reason: ibanUsableFrom(transfer.ibanUsableFrom, sendsMail && (isMonth ? 'le commercial' : 'le client')),
        mend: 'wait',
      }
    : null;
}

/** DF-43: true of a month that is paid otherwise than by transfer: nothing keeps it from leaving, and a batch names it all the same. */
export function isPaidOtherwise(obstacle: string | null): boolean {
  return obstacle === 'payroll' || obstacle === 'no_status';
}

/** AC-08: why a business abroad is not paid; its record says what to do. */
export const abroadUnpayable =
  'Entreprise hors de France, que la vôtre ne peut pas encore payer : sa fiche dit pourquoi, et que faire.';

/** AC-09: why nothing goes to an account that its bank refused. */
export const accountRefused =
  'La banque a refusé ce compte : il en faut un autre, sauf si le bénéficiaire et sa banque disent qu’il peut être payé.';

/** PO-04: why nothing goes to a changed account yet; `confirmer` is who was mailed a link to confirm it sooner, if anyone was. */
export function ibanUsableFrom(
  instant: string | null,
  confirmer: 'le client' | 'le commercial' | false = false,
): string {
  if (isNever(instant)) return accountRefused;
  const day = instant === null ? 'plus tard' : `le ${formatDateTime(instant)}`;
  const sooner = confirmer ? `, ou dès que ${confirmer} l’aura confirmé par le lien de son e-mail` : '';
  return `IBAN changé, utilisable ${day}${sooner}.`;
}
