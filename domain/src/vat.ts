import { vatRates } from './legal-figures.ts';
import { formatEuros, fromWire, percentOf, type Cents } from './money.ts';
import { formatPercent, percentFromWire, type BasisPoints } from './percent.ts';

/** The VAT that is paid beside a sum, to a payee who charges it and lets the company write their invoices (PP-02). */
export interface Vat {
  readonly rate: BasisPoints;
  readonly amount: Cents;
}

/** The rate of a day of France, « 2026-11-23 »; null before the first that is known. */
export function vatRateOn(day: string): BasisPoints | null {
  return vatRates.find(({ fromDay }) => day >= fromDay)?.rate ?? null;
}

/** The VAT of a sum before tax, to the cent, half away from zero; the database counts the same. */
export function vatOf(amount: Cents, rate: BasisPoints): Vat {
  return { rate, amount: percentOf(amount, rate) };
}

/** Total paid: the sum and its VAT. */
export function withVat({ amount, vat }: { readonly amount: Cents; readonly vat: Vat | null }): Cents {
  return amount + (vat?.amount ?? 0n);
}

/** « + 20,00 € de TVA (20 %), 120,00 € en tout ». */
export function vatSentence(amount: Cents, vat: Vat): string {
  return `+ ${formatEuros(vat.amount)} de TVA (${formatPercent(vat.rate)}), ${formatEuros(amount + vat.amount)} en tout`;
}

/** As rows have it; null where a payment carries none. The rate is « 20.00 ». */
export function vatFromWire(
  rate: number | string | null | undefined,
  amount: number | string | null | undefined,
): Vat | null {
  if (rate === null || rate === undefined || amount === null || amount === undefined) return null;
  return { rate: percentFromWire(rate), amount: fromWire(amount) };
}
