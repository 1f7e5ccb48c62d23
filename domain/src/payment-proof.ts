import { logoBytesMax, logoTypeOf } from './forms/logo.ts';

/** The types of a file that proves a payment (PO-03). */
export const proofTypes = ['application/pdf', 'image/png', 'image/jpeg', 'image/webp'] as const;
export type ProofType = (typeof proofTypes)[number];

/** 5 MB, as every file. */
export const proofBytesMax = logoBytesMax;

/** The type of a proof by its content, whatever its name says; null for what is not accepted. */
export function proofTypeOf(bytes: Uint8Array): ProofType | null {
  if (new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-') return 'application/pdf';
  const image = logoTypeOf(bytes);
  return image === 'image/svg+xml' ? null : image;
}

/**
 * True of a PDF that a reader can open: its table of contents is said at its end, where an end has to be. `private.is_whole_pdf` says
 * the same.
 */
export function isWholePdf(bytes: Uint8Array): boolean {
  if (proofTypeOf(bytes) !== 'application/pdf') return false;
  const end = new TextDecoder('latin1').decode(bytes.subarray(-endLength));
  return /startxref[\t\n\f\r ]+\d+[\t\n\f\r ]+%%EOF/u.test(end);
}

const endLength = 1024;
