import { csvPlain } from '@parrain/domain/csv';
import { importCellLengthMax, importColumnsMax } from '@parrain/domain/forms/import-file';
import type { ImportLine } from '@parrain/domain/forms/import-file';
import { headLinesMax } from '@parrain/domain/table-file';
import type { TableChoice, TableReading } from '@parrain/domain/table-file';

import { csvLines } from './csv-lines.ts';
import { kindOfFile } from './kind-of-file.ts';
import { textOfFile } from './text-of-file.ts';
import { UnreadableTable } from './unreadable-table.ts';
import { cellText, openWorkbook } from './workbook-lines.ts';

/** The lines of a file that have a text, its titles among them, and how it was read. */
export type ReadLines = { readonly lines: readonly ImportLine[]; readonly reading: TableReading };

/**
 * Reads a CSV, an XLSX or an ODS (EX-04, PO-02). Lines keep the number that a spreadsheet shows; those without any text are left out
 * and count for nothing. Without a choice it is the first visible sheet with a table, and the separator and encoding that are found.
 * Of more lines than `linesMax` and a few for titles the rest is not read.
 * @throws UnreadableTable
 */
export async function readLines(file: Uint8Array, linesMax: number, choice: TableChoice): Promise<ReadLines> {
  const kind = await kindOfFile(file);
  return kind === 'text' ? textLines(file, linesMax, choice) : workbookLines(file, kind, linesMax, choice);
}

function textLines(file: Uint8Array, linesMax: number, choice: TableChoice): ReadLines {
  const { text, encoding, oddAfterLines } = textOfFile(file, choice.encoding);
  const { separator, first, records } = csvLines(text, choice.separator);
  const sink = linesSink(linesMax);
  for (const [place, cells] of records.entries()) if (!sink.add(place + first, cells)) break;
  const oddLine = oddAfterLines === null ? null : oddAfterLines + 1;
  return sink.done({ sheets: [], sheet: null, separator, encoding, oddLine });
}

async function workbookLines(
  file: Uint8Array,
  kind: 'xlsx' | 'ods',
  linesMax: number,
  choice: TableChoice,
): Promise<ReadLines> {
  const { sheets, rowsOf } = await openWorkbook(file, kind);
  const places = sheets.map((_, place) => place);
  const chosen = sheets.findIndex(({ name }) => name === choice.sheet);
  const inTurn = chosen < 0 ? places.filter((place) => sheets[place]?.isHidden !== true) : [chosen];
  let first: ReadLines | undefined;
  for (const place of inTurn) {
    const sink = linesSink(linesMax);
    try {
      for await (const { index, values } of rowsOf(place)) if (!sink.add(index + 1, values.map(cellText))) break;
    } catch {
      throw new UnreadableTable('damaged', sink.last());
    }
    const sheet = sheets[place]?.name ?? null;
    const read = sink.done({ sheets, sheet, separator: null, encoding: null, oddLine: null });
    if (isTable(read)) return read;
    if (first === undefined || first.lines.length === 0) first = read;
  }
  return first ?? linesSink(0).done({ sheets, sheet: null, separator: null, encoding: null, oddLine: null });
}

/** A sheet of notes is one column, or one line. */
function isTable({ lines }: ReadLines): boolean {
  return lines.length > 1 && lines.some(({ cells }) => cells.length > 1);
}

/** Keeps lines that have a text; says whether there is room for another. */
function linesSink(linesMax: number) {
  const lines: ImportLine[] = [];
  let width = 0;
  return {
    add(number: number, cells: readonly string[]): boolean {
      const trimmed = cells.map((cell) => cell.trim());
      const length = trimmed.findLastIndex((cell) => cell !== '') + 1;
      if (length === 0) return true;
      width = Math.max(width, length);
      lines.push({ number, cells: trimmed.slice(0, Math.min(length, importColumnsMax)).map(kept) });
      return lines.length <= linesMax + headLinesMax;
    },
    last: (): number | null => lines.at(-1)?.number ?? null,
    done: (how: Omit<TableReading, 'columnsLeft'>): ReadLines => ({
      lines,
      reading: { ...how, columnsLeft: Math.max(0, width - importColumnsMax) },
    }),
  };
}

/** A cell without what an export puts before a formula; a character that PostgreSQL keeps in no text is refused later by its field. */
function kept(cell: string): string {
  return csvPlain(cell).slice(0, importCellLengthMax).replaceAll('\0', '\u0001').toWellFormed();
}
