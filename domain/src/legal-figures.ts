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

/** A reference to the law that a paper cites: the words, from the day on which they are the ones to write. */
export type LegalReference = {
  readonly fromDay: string;
  /** The last day on which they may still be cited, where the law says one. */
  readonly untilDay?: string;
  readonly words: string;
  readonly source: string;
};

/**
 * References that papers cite, by the day of the paper (AC-07), the latest first. VAT stands in the Code des impositions sur les biens et
 * services since 1 September 2026 (ordonnance 2025-1247), and the Code général des impôts may be cited until 31 December 2027: the article
 * that takes the place of 293 B is not known to us for certain, so the CGI's stays. The one that does is a line above it.
 */
export const legalReferences = {
  vatExemption: [
    {
      fromDay: '0001-01-01',
      untilDay: '2027-12-31',
      words: 'TVA non applicable, art. 293 B du CGI',
      source: 'CGI article 293 E; ordonnance 2025-1247 for the last day',
    },
  ],
  quarterlyStatement: [
    { fromDay: '0001-01-01', words: 'article R134-3 du Code de commerce', source: 'C. com. R134-3' },
  ],
} as const satisfies Readonly<Record<string, readonly LegalReference[]>>;

/** The words of a reference on this day. */
export function referenceOn(day: string, references: readonly LegalReference[]): string {
  const found = references.find(({ fromDay }) => fromDay <= day);
  if (found === undefined) throw new Error(`No reference on ${day}`);
  return found.words;
}
