import type { LegalReference } from './legal-references.ts';
import type { Cents } from './money.ts';

/** Rows of the dated table (`legal-figures.ts`) that one screen alone reads: no page loads them before it. */

/** Days from which invoices between businesses are electronic (EI-03): to receive them, and to issue them by the size of the seller. */
export const eInvoicingDays = {
  reception: {
    fromDay: '2026-09-01',
    source: 'LF 2024 (loi 2023-1322) article 91: every business liable for VAT, franchise en base included',
  },
  issueOfLarge: { fromDay: '2026-09-01', source: 'LF 2024 article 91: large businesses and ETI' },
  issueOfSmall: { fromDay: '2027-09-01', source: 'LF 2024 article 91: SME and micro-entrepreneurs' },
} as const;

/** Fines for an invoice that is not issued electronically where it has to be. */
export const eInvoicingFines: readonly {
  readonly fromDay: string;
  readonly perInvoice: Cents;
  readonly perYear: Cents;
  readonly source: string;
}[] = [
  {
    fromDay: '2026-09-01',
    perInvoice: 5_000n,
    perYear: 1_500_000n,
    source: 'CGI article 1737, III, by LF 2026: 50 € an invoice, 15 000 € a year at most',
  },
];

/** References of both, the latest first. */
export const eInvoicingReferences: readonly LegalReference[] = [
  {
    fromDay: '0001-01-01',
    untilDay: '2027-12-31',
    words: 'art. 289 bis et 1737 du CGI',
    source: 'LF 2024 article 91; ordonnance 2025-1247 for the last day',
  },
];
