/** A spreadsheet would run a cell that begins like this; one in Japanese reads the full-width signs too. */
const formula = /^[-=+@\t\r\n＝＋－＠]/u;
const needsQuotes = /[";\r\n]/u;

/** A text as a cell of a CSV with « ; »: it runs no formula and breaks no line (EX-01). */
export function csvText(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
