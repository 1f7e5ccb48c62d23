/** A spreadsheet would run a cell that begins like this; one in Japanese reads the full-width signs too. */
/** One that has a mark of ours already gets another, so that taking one away gives the text back. */
const formula = /^'*[-=+@\t\r\n＝＋－＠]/u;
const needsQuotes = /[";\r\n]/u;

/** A text as a cell of a CSV with « ; »: it runs no formula and breaks no line (EX-01). */
export function csvText(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A cell that {@link csvText} made safe, as it was: what we write we read (DF-32). */
export function csvPlain(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
}
