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
  // CGI 283-2, second paragraph: services of 259-1° by somebody who is established abroad are the customer's to declare.
  reverseCharge: [
    {
      fromDay: '0001-01-01',
      untilDay: '2027-12-31',
      words: 'article 283-2 du CGI',
      source: 'CGI articles 283-2, 259-1° and 242 nonies A; ordonnance 2025-1247 for the last day',
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
