/** An exact amount of money in cents of a euro. May be negative (a correction, S-11). No float ever holds money (M-10). */
export type Cents = bigint;

/** Largest amount of a contract, a fixed commission or a payment request: 9 999 999,99 €. */
export const contractAmountMaxCents: Cents = 999_999_999n;

/** Smallest payment request: 1 € (V-14). */
export const paymentRequestMinCents: Cents = 100n;

const narrowSpace = '\u202f';
const noBreakSpace = '\u00a0';
const minusSign = '\u2212';

// Digits, or digits grouped by three with a space of French typography, then at most two decimals.
const eurosPattern = /^(\d{1,10}|\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,3})(?:[.,](\d{1,2}))?$/;
const wirePattern = /^(-?)(\d{1,15})(?:\.(\d{1,2}))?$/;

/**
 * Reads an amount that a person typed or a caller sent (V-17): « 1234.56 », « 1 234,56 » or the number 1234.56.
 * Null for anything that is not a plain decimal of at most two places between 0 and 9 999 999,99 €:
 * NaN, an exponent, a sign (so -0 too), a third decimal, a currency symbol.
 */
export function parseEuros(input: string | number): Cents | null {
  if (typeof input === 'number' && (!Number.isFinite(input) || Object.is(input, -0))) return null;
  const match = eurosPattern.exec(String(input).trim());
  if (match === null) return null;
  const cents = centsOf(match[1] ?? '', match[2]);
  return cents > contractAmountMaxCents ? null : cents;
}

/** True for an amount with more decimals than euros have: « 1,234 ». */
export function isTooPrecise(input: string | number): boolean {
  const text = String(input).trim();
  return (
    parseEuros(text.replace(/([.,]\d\d)\d+$/u, '$1')) !== null && parseEuros(text) === null && /[.,]\d{3,}$/u.test(text)
  );
}

/** The amount as the wire and SQL carry it: « 1234.56 », « -0.05 ». */
export function toWire(cents: Cents): string {
  const { isNegative, euros, decimals } = parts(cents);
  return `${isNegative ? '-' : ''}${euros}.${decimals}`;
}

/** The amount the wire carries, as a decimal text or a JSON number; throws on anything else, for such a row is a bug. */
export function fromWire(value: number | string): Cents {
  // A double tells fifteen digits apart: beyond, its text is not the decimal that was sent.
  const isExact = typeof value === 'string' || Math.abs(value) < 1e13;
  const match = isExact ? wirePattern.exec(String(value)) : null;
  if (match === null) throw new Error(`Not an amount in euros: ${String(value)}`);
  const cents = centsOf(match[2] ?? '', match[3]);
  return match[1] === '-' ? -cents : cents;
}

/** « 1 234,56 € »: U+202F between thousands, U+00A0 before €, U+2212 as minus (I-02). */
export function formatEuros(cents: Cents): string {
  return `${formatAmount(cents)}${noBreakSpace}€`;
}

/** « 1 234,56 », the amount in French format without its unit (I-02). */
export function formatAmount(cents: Cents): string {
  const { isNegative, euros, decimals } = parts(cents);
  return `${isNegative ? minusSign : ''}${groupThousands(euros)},${decimals}`;
}

/** A part of an amount that is shared out equally, rounded to the cent, half away from zero; `count` is above zero. */
export function divided(cents: Cents, count: bigint): Cents {
  const doubled = cents * 2n;
  return (cents < 0n ? doubled - count : doubled + count) / (count * 2n);
}

/** A share of an amount in basis points (100 = 1 %), rounded to the cent, half away from zero (M-01). */
export function percentOf(cents: Cents, basisPoints: bigint): Cents {
  const product = cents * basisPoints;
  const half = product < 0n ? -5_000n : 5_000n;
  return (product + half) / 10_000n;
}

/** The exact sum of amounts (M-10). */
export function sum(amounts: Iterable<Cents>): Cents {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
}

/** Groups the digits of a whole number by three, as French typography does: « 12 345 ». */
export function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, narrowSpace);
}

function centsOf(euros: string, decimals = ''): Cents {
  return BigInt(euros.replace(/\D/g, '')) * 100n + BigInt(decimals.padEnd(2, '0'));
}

function parts(cents: Cents): { isNegative: boolean; euros: string; decimals: string } {
  const isNegative = cents < 0n;
  const magnitude = isNegative ? -cents : cents;
  return { isNegative, euros: String(magnitude / 100n), decimals: String(magnitude % 100n).padStart(2, '0') };
}
