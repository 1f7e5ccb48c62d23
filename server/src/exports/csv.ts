import { csvText } from '@parrain/domain/csv';

import type { ColumnKind, ListColumn } from './lists.ts';

/** A row as SQL gives it: a text, or null, for each column. */
export type ExportedRow = readonly (string | null)[];

/** The file's first line, after the mark by which a French spreadsheet knows UTF-8. */
export function csvHead(columns: readonly ListColumn[]): string {
  return `\uFEFF${columns.map(({ label }) => cell('text', label)).join(';')}\r\n`;
}

/** A whole CSV, batch by batch. */
export async function* csvFile(
  columns: readonly ListColumn[],
  batches: AsyncIterable<readonly ExportedRow[]>,
): AsyncGenerator<string> {
  yield csvHead(columns);
  for await (const rows of batches) yield csvLines(columns, rows);
}

/** Lines of a CSV as a French spreadsheet opens it: « ; », a decimal comma, days as 21/11/2026, no formula (EX-01). */
export function csvLines(columns: readonly ListColumn[], rows: readonly ExportedRow[]): string {
  let lines = '';
  for (const row of rows) {
    for (let place = 0; place < columns.length; place += 1) {
      const column = columns[place] as ListColumn;
      const value = row[place] ?? null;
      if (place > 0) lines += ';';
      if (value !== null) lines += cell(column.kind, column.words === undefined ? value : column.words(value));
    }
    lines += '\r\n';
  }
  return lines;
}

function cell(kind: ColumnKind, value: string): string {
  switch (kind) {
    case 'amount':
    case 'balance':
      return value.replace('.', ',');
    case 'count':
      return value;
    case 'day':
      return frenchDay(value);
    case 'moment':
      return `${frenchDay(value)} ${value.slice(11, 16)}`;
    case 'text':
      return csvText(value);
  }
}

/** « 21/11/2026 » of « 2026-11-21 ». */
function frenchDay(value: string): string {
  return `${value.slice(8, 10)}/${value.slice(5, 7)}/${value.slice(0, 4)}`;
}
