import { formatDate } from '@parrain/domain/date';
import { formatEuros, type Cents } from '@parrain/domain/money';
import { nextBankDay } from '@parrain/domain/sepa';
import type { TFunction } from 'i18next';
import type { Hold } from '#api/payments/own-holds';
import type { PaymentAhead } from '#api/payments/payments-ahead';

/**
 * A line for each state of one's open requests, the soonest first (UI-02): « Part le 3 déc. 2026 », « Parti le 26 nov. 2026, attendu le
 * 27 nov. 2026 », « Accordé : le paiement se prépare », « Attend l’accord de votre entreprise »; with its amount where there are several.
 *
 * @param payments the soonest transfer first, then those approved, as the server gives them.
 * @param today « 2026-11-28 ».
 */
export function leavingLines(payments: readonly PaymentAhead[], today: string, t: TFunction): readonly string[] {
  const states = new Map<string, Cents>();
  for (const payment of payments) {
    const words = stateText(payment, today, t);
    states.set(words, (states.get(words) ?? 0n) + payment.amount);
  }
  return [...states].map(([words, cents]) => (states.size === 1 ? words : `${formatEuros(cents)} · ${words}`));
}

/** State of one open request: its part of the lines above. */
export function stateText({ leavesOn, isApproved }: PaymentAhead, today: string, t: TFunction): string {
  if (leavesOn === null)
    return isApproved ? t('Accordé : le paiement se prépare') : t('Attend l’accord de votre entreprise');
  const day = formatDate(leavesOn);
  if (leavesOn > today) return t('Part le {{day}}', { day });
  // A SEPA transfer arrives on the bank day after the one it leaves on, at the latest.
  return t('Parti le {{day}}, attendu le {{arrival}}', {
    day,
    arrival: formatDate(nextBankDay(new Date(`${leavesOn}T12:00:00Z`))),
  });
}

/** « À demander dès le 12 déc. 2026 », « Une vérification est en cours »: the soonest of what is kept (LG-03, FD-01); '' where nothing is. */
export function holdText(holds: readonly Hold[], t: TFunction): string {
  const dated = holds.filter(({ isUnderCheck }) => !isUnderCheck).map(({ until }) => until);
  const [soonest] = dated.toSorted((a, b) => Date.parse(a) - Date.parse(b));
  if (soonest !== undefined) return t('À demander dès le {{day}}', { day: formatDate(soonest) });
  return holds.length > 0 ? t('Une vérification est en cours') : '';
}
