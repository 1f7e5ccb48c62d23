import { formatEuros, type Cents } from './money.ts';

// Messages about corrections that only dialogs and answers show (UI-11): in a file of its own, no first screen carries it.

/** A correction gives the contract another amount than it has. */
export function correctedAmountInvalid(left: Cents): string {
  return `Le nouveau montant du contrat doit être supérieur à zéro et différent de ${formatEuros(left)}, son montant actuel.`;
}
export const correctionReasonRequired = 'Veuillez indiquer la raison de la correction';
export const contractCorrected = 'Contrat corrigé';
export const contractCorrectedDetail = 'Une écriture l’enregistre, et les commissions suivent le nouveau montant';
export const correctionMessageRequired = 'Veuillez indiquer ce qui est à corriger';
export const correctionAskedDetail = 'Le contrat revient à son commercial, qui est prévenu';
