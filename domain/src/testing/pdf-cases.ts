const pdf = '%PDF-1.7\n1 0 obj\nendobj\nstartxref\n9\n%%EOF\n';

/** Files in Latin-1 and whether a reader opens them, for the domain and the database to agree on (AC-04). */
export const pdfCases: readonly (readonly [file: string, isWhole: boolean])[] = [
  [pdf, true],
  [pdf.replaceAll('\n', '\r\n'), true],
  [pdf.replaceAll('\n', ' \t\f'), true],
  // Some programs write a few bytes after the end.
  [`${pdf}${' '.repeat(200)}`, true],
  [`${pdf}${'\0\u00FF\\'.repeat(100)}`, true],
  // Mended once: the last end is the one that counts.
  [`${pdf}2 0 obj\nendobj\nstartxref\n45\n%%EOF`, true],
  // Of an older version behind a long one.
  [`${pdf}${'x'.repeat(2000)}`, false],
  [`%PDF-1.7\nstartxref\n9\n${'x'.repeat(2000)}%%EOF`, false],
  ['%PDF-1.7 facture', false],
  ['', false],
  [pdf.slice(0, -8), false],
  [pdf.replace('%PDF', 'PDF'), false],
  [`\n${pdf}`, false],
  // The marks without a number between them, with another one, in the wrong order, or glued.
  [pdf.replace('9', ''), false],
  [pdf.replace('9', 'neuf'), false],
  [pdf.replace('9', '\u00B2'), false],
  ['%PDF-1.7\n%%EOF\nstartxref\n9\n', false],
  ['%PDF-1.7 startxref9%%EOF', false],
  ['%PDF-1.7 startxref\\n9\\n%%EOF', false],
  ['%PDF-1.7\nstartxref\u00A09\u00A0%%EOF', false],
  // The last kibibyte has the whole of it, or not.
  [`%PDF-1.7${'x'.repeat(2000)}startxref 9 %%EOF${'x'.repeat(1024 - 17)}`, true],
  [`%PDF-1.7${'x'.repeat(2000)}startxref 9 %%EOF${'x'.repeat(1024 - 16)}`, false],
];
