import type { Balance } from './balance.ts';
import type { Cents } from './money.ts';

/**
 * A payee's balance once a commission of theirs is changed by a correction: `kept` is what the scale or a check keeps of it until now.
 * What is added is kept with it; what is taken goes from there as long as anything is kept, else from what is available, below zero a
 * debt (UI-11, LG-04, decision 0030).
 */
export function correctedBalance(balance: Balance, change: Cents, kept: Cents): Balance {
  const { earned, reversed, held } = balance;
  const given = change > 0n ? { earned: earned + change } : { reversed: reversed - change };
  return { ...balance, ...given, ...(kept > 0n ? { held: held + change } : {}) };
}
