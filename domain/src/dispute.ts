import { formatEuros, type Cents } from './money.ts';

/** Largest adjustment of an account, either way: 10 000 € (LG-06). */
export const adjustmentMaxCents: Cents = 1_000_000n;

/** Refusal of an adjustment out of its range: no more is taken back than the payee was given. */
export function adjustmentOutOfRange(given: Cents): string {
  return `Un ajustement va de ${formatEuros(1n)} à ${formatEuros(adjustmentMaxCents)}, et ne retire jamais plus que ce que cette personne a reçu : ${formatEuros(given)}.`;
}

/** « +30,00 € », « −30,00 € ». */
export function formatSignedEuros(cents: Cents): string {
  return `${cents > 0n ? '+' : ''}${formatEuros(cents)}`;
}

// The words of disputes are not among the messages: those come with every page.
export const disputeMessageRequired = 'Écrivez votre message';
export const disputeNotSelected = 'Choisissez une contestation';
export const lineNotSelected = 'Choisissez une ligne de votre compte';
export const disputeOpened = 'Contestation envoyée';
export const disputeAnswered = 'Message envoyé';
export const disputeClosed = 'Contestation close';
export const adjustmentAnnulled = 'Ajustement annulé';
