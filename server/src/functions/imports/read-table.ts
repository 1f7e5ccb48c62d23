import { importCellLengthMax, importColumnsMax } from '@parrain/domain/forms/import-file';
import type { ImportLine } from '@parrain/domain/forms/import-file';
import { parse as parseCsv } from 'csv-parse/sync';
import { streamXlsxRows } from 'hucre/xlsx';

/** A file of lines: the titles of its columns, and the lines under them. */
export type Table = {
  readonly titles: readonly string[];
  readonly lines: readonly ImportLine[];
};

/** Why a file is no table: none that is known, nothing in it, more lines than anybody imports. */
export type Unread = 'unknown' | 'empty' | 'too_long';

/** Of an XLSX: what an honest file of the largest size has, and no bomb (stack-wide rule of archives). */
const PARTS_MAX = 100;
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;
/** One line of a CSV, in characters: a quote that never closes would make one of the whole file. */
const RECORD_LENGTH_MAX = 100_000;

/**
 * Reads a CSV (UTF-8, UTF-16 or Windows-1252; « ; », comma, tab or « | ») or the first sheet of an XLSX (EX-04). Lines keep the
 * number that a spreadsheet shows; those without any text are left out.
 */
export async function readTable(file: Uint8Array, linesMax: number): Promise<Table | Unread> {
  const lines: ImportLine[] = [];
  try {
    const source = isZip(file) ? xlsxLines(file, linesMax) : csvLines(file);
    for await (const line of source) {
      if (line.cells.every((cell) => cell === '')) continue;
      if (lines.length > linesMax) return 'too_long';
      lines.push(line);
    }
  } catch {
    return 'unknown';
  }
  const [first] = lines;
  if (first === undefined) return 'empty';
  // A title is no address: such a file begins with its first person.
  if (first.cells.some((cell) => cell.includes('@'))) {
    const width = Math.max(...lines.map(({ cells }) => cells.length));
    return { titles: Array.from({ length: width }, (_, place) => `Colonne ${place + 1}`), lines };
  }
  return lines.length === 1 ? 'empty' : { titles: first.cells, lines: lines.slice(1) };
}

function* csvLines(file: Uint8Array): Generator<ImportLine> {
  // Excel's own first line says the separator.
  const text = textOf(file);
  const separatorLine = /^sep=(.)\r?\n/u.exec(text);
  const body = separatorLine === null ? text : text.slice(separatorLine[0].length);
  const records = parseCsv(body, {
    delimiter: separatorLine?.[1] ?? separatorOf(body),
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: RECORD_LENGTH_MAX,
  });
  const offset = separatorLine === null ? 1 : 2;
  for (const [place, cells] of records.entries()) yield lineOf(place + offset, cells);
}

async function* xlsxLines(file: Uint8Array, linesMax: number): AsyncGenerator<ImportLine> {
  const declared = declaredSize(file);
  if (declared === null || declared.parts > PARTS_MAX || declared.bytes > UNPACKED_BYTES_MAX) {
    throw new Error('The archive is none, or too large');
  }
  // Beside the titles, one line too many shows that there are more.
  for await (const { index, values } of streamXlsxRows(file, { maxRows: linesMax + 2 })) {
    yield lineOf(index + 1, values.slice(0, importColumnsMax).map(cellText));
  }
}

function lineOf(number: number, cells: readonly string[]): ImportLine {
  const trimmed = cells.slice(0, importColumnsMax).map((cell) => cell.trim().slice(0, importCellLengthMax));
  // A character that PostgreSQL keeps in no text is refused by the rules of each field, once it is another.
  return { number, cells: trimmed.map((cell) => cell.replaceAll('\0', '\u0001').toWellFormed()) };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString().slice(0, 10).split('-').toReversed().join('/');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** The text of a CSV: its mark says the encoding; without one UTF-16 has a zero in every other place, and what is no UTF-8 is Windows'. */
function textOf(file: Uint8Array): string {
  if (startsWith(file, [0xff, 0xfe])) return new TextDecoder('utf-16le').decode(file);
  if (startsWith(file, [0xfe, 0xff])) return new TextDecoder('utf-16be').decode(file);
  const start = file.subarray(0, 400);
  const zeros = (parity: number): number => start.filter((byte, place) => byte === 0 && place % 2 === parity).length;
  if (zeros(1) > start.length / 4) return new TextDecoder('utf-16le').decode(file);
  if (zeros(0) > start.length / 4) return new TextDecoder('utf-16be').decode(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {
    return new TextDecoder('windows-1252').decode(file);
  }
}

/** The mark that stands most often in the first line, out of quotes. */
function separatorOf(text: string): string {
  const bare =
    text
      .trimStart()
      .split(/\r?\n/u, 1)[0]
      ?.replaceAll(/"[^"]*"/gu, '') ?? '';
  const [most] = [';', '\t', ',', '|']
    .map((mark) => ({ mark, count: bare.split(mark).length - 1 }))
    .toSorted((a, b) => b.count - a.count);
  return most === undefined || most.count === 0 ? ';' : most.mark;
}

function isZip(file: Uint8Array): boolean {
  return startsWith(file, [0x50, 0x4b, 0x03, 0x04]);
}

function startsWith(file: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, place) => file[place] === byte);
}

/** How many files an archive says it has, and their size unpacked: read from its directory, before anything is unpacked. */
function declaredSize(file: Uint8Array): { readonly parts: number; readonly bytes: number } | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  // The end of the directory: 22 bytes, and a comment of 65 535 at most.
  const last = Math.max(0, file.length - 22 - 0xff_ff);
  let end = file.length - 22;
  while (end >= last && view.getUint32(end, true) !== 0x06_05_4b_50) end -= 1;
  if (end < last) return null;
  const parts = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  let bytes = 0;
  for (let part = 0; part < parts; part += 1) {
    if (at + 46 > file.length || view.getUint32(at, true) !== 0x02_01_4b_50) return null;
    bytes += view.getUint32(at + 24, true);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return { parts, bytes };
}
