import type { Cents } from './money.ts';
import type { BasisPoints } from './percent.ts';

/** Figures of the law, each from its day on and with its source. A change is a new line above the others. */

/** The sum above which a payee is in the yearly declaration of commissions (DAS2, CGI article 240), by the year of payment. */
export const das2Thresholds: readonly { readonly fromYear: number; readonly above: Cents; readonly source: string }[] =
  [
    { fromYear: 2024, above: 240_000n, source: 'BOFiP, notice of 12 February 2025: sums paid since 2024' },
    { fromYear: 0, above: 120_000n, source: 'BOFiP, before that notice' },
  ];

/** The rate of VAT of a commission between two businesses of mainland France. `private.vat_rate_on` says the same. */
export const vatRates: readonly { readonly fromDay: string; readonly rate: BasisPoints; readonly source: string }[] = [
  { fromDay: '2014-01-01', rate: 2_000n, source: 'CGI article 278, law 2012-1510 article 68' },
];
