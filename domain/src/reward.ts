import type { CommissionSide } from './commission.ts';
import { formatEuros, type Cents } from './money.ts';
import { formatPercent } from './percent.ts';

/** The client's side of a scale in force, from a contract's amount on; null where the contract may be of any amount (UI-02). */
export interface Reward {
  readonly from: Cents | null;
  readonly gain: CommissionSide;
}

/**
 * « 10 % de son contrat », « 80,00 € », « 80,00 € ; à partir de 5 000,00 €, 10 % du contrat entier »; null where no scale is in force.
 * A step that gives the same as the one before is left out.
 *
 * @param rewards by rising amounts, as the database gives them.
 */
export function rewardText(rewards: readonly Reward[]): string | null {
  const steps: string[] = [];
  let before: string | undefined;
  for (const { from, gain } of rewards) {
    const words =
      gain.type === 'fixed' ? formatEuros(gain.amount) : `${formatPercent(gain.basisPoints)} de son contrat`;
    if (words !== before) steps.push(stepText(words, from, steps.length === 0));
    before = words;
  }
  return steps.length === 0 ? null : steps.join('\u00a0; ');
}

/** A later step is of the whole contract, not of what exceeds its amount. */
function stepText(words: string, from: Cents | null, isFirst: boolean): string {
  if (from === null) return words;
  return isFirst
    ? `${words} à partir de ${formatEuros(from)}`
    : `à partir de ${formatEuros(from)}, ${words.replace('de son contrat', 'du contrat entier')}`;
}
