import type { CommissionPaymentType } from './commission.ts';
import { formatEuros, type Cents } from './money.ts';

/** Totals of a draft on the last twelve months: what its contracts gave, and what they would have given (SC-05). */
export interface SimulatedTotals {
  readonly contracts: number;
  readonly before: Cents;
  readonly after: Cents;
}

/** Reasons for which a contract would have given nothing. */
export type NothingReason = 'annulled' | 'min_contract' | 'cap_period' | 'rounded';

/** Contracts of a side that would have given nothing, for one reason, and what they gave. */
export interface NothingGiven {
  readonly side: CommissionPaymentType;
  readonly reason: NothingReason;
  readonly contracts: number;
  readonly given: Cents;
}

/** « + 4 120,00 € », « − 310,00 € », « 0,00 € ». */
export function changeText(change: Cents): string {
  if (change === 0n) return formatEuros(0n);
  return change > 0n ? `+\u00a0${formatEuros(change)}` : `\u2212\u00a0${formatEuros(-change)}`;
}

/** Sentence of a draft beside what was: « 48 320,00 € au lieu de 44 200,00 € : + 4 120,00 €, sur 312 contrats. » */
export function simulationSentence({ contracts, before, after }: SimulatedTotals): string {
  if (contracts === 0) return 'Aucun contrat validé avec ce barème en douze mois\u00a0: il n’y a rien à comparer.';
  const over = contracts === 1 ? 'sur un contrat' : `sur ${contracts} contrats`;
  return after === before
    ? `${formatEuros(after)}, comme en réalité, ${over}\u00a0: le total ne change pas.`
    : `${formatEuros(after)} au lieu de ${formatEuros(before)}\u00a0: ${changeText(after - before)}, ${over}.`;
}

/** Sentence of a version that was published knowing what it would have changed. */
export function publishedKnowing({ before, after, contracts }: SimulatedTotals): string {
  return contracts === 0
    ? 'Publiée en sachant qu’aucun contrat de douze mois n’était concerné.'
    : `Publiée en sachant\u00a0: ${changeText(after - before)} sur douze mois.`;
}

/** Sentence of contracts that would have given nothing: « Client : 3 contrats, en dessous du plus petit contrat (120,00 € en réalité). » */
export function nothingSentence({ side, reason, contracts, given }: NothingGiven): string {
  const who = side === 'client' ? 'Client' : 'Commercial';
  const many = contracts === 1 ? '1 contrat' : `${contracts} contrats`;
  const real = given === 0n ? 'rien en réalité non plus' : `${formatEuros(given)} en réalité`;
  return `${who}\u00a0: ${many}, ${reasonTexts[reason]} (${real}).`;
}

const reasonTexts: Readonly<Record<NothingReason, string>> = {
  annulled: 'dont rien ne reste',
  min_contract: 'en dessous du plus petit contrat',
  cap_period: 'plafond de la période déjà atteint',
  rounded: 'moins d’un demi-centime',
};
