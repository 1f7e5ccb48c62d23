import { formatDateTime } from './date.ts';
import { doubtfulCaseStatusLabels } from './doubt.ts';
import { abroadUnpayable, ibanUsableFrom } from './payment-batch.ts';
import { isNever } from './never.ts';
import type { Standing } from './standing.ts';

/** Short label of an obstacle to a decision, for a row. */
export function standingLabel(one: Standing): string {
  switch (one.code) {
    case 'closed':
      return 'Compte fermé';
    case 'debt':
      return 'Solde négatif';
    case 'incomplete':
      return 'Informations légales manquantes';
    case 'abroad':
      return 'Bénéficiaire hors de France';
    case 'case':
      return `Cas douteux, ${doubtfulCaseStatusLabels[one.status].toLocaleLowerCase('fr-FR')}`;
    case 'batch':
      return `Dans le virement n° ${one.batchNumber}`;
    case 'iban':
      return isNever(one.from)
        ? 'Compte refusé par la banque'
        : `IBAN changé, utilisable le ${formatDateTime(one.from)}`;
    case 'shared_iban':
      return `Même IBAN que ${one.names}`;
    case 'vat':
      return 'TVA à accepter';
    case 'invoice':
      return 'Facture à vérifier';
  }
}

/** The same, whole: in a dialog, beside those that a bulk act leaves out. */
export function standingSentence(one: Standing, sendsMail = false): string {
  switch (one.code) {
    case 'closed':
      return 'Son compte est fermé.';
    case 'debt':
      return 'Une validation annulée a rendu son solde négatif.';
    case 'incomplete':
      return 'Ses informations légales manquent : une pièce ne peut pas le nommer.';
    case 'abroad':
      return abroadUnpayable;
    case 'case':
      return one.isHeld
        ? 'Un cas douteux attend : décidez-le d’abord, ou refusez la demande.'
        : one.status === 'open'
          ? 'Un cas douteux attend votre décision.'
          : 'Un doute a été confirmé.';
    case 'batch':
      return `Le virement groupé n° ${one.batchNumber} la paie : retirez-la du brouillon, ou indiquez son résultat.`;
    case 'iban':
      return ibanUsableFrom(one.from, sendsMail && 'le client');
    case 'shared_iban':
      return `Même IBAN que ${one.names}.`;
    case 'vat':
      return 'Sa TVA n’est pas encore acceptée : le virement part hors taxe.';
    case 'invoice':
      return 'Sa facture attend : acceptez-la ou refusez-la avant de payer.';
  }
}
