import { fromWire, toWire } from '@parrain/domain/money';

import type { ExportedRow } from './csv.ts';
import type { ColumnKind, ListColumn } from './lists.ts';
import { zip } from './zip.ts';

/** Beside the head and the totals: a sheet ends at 1 048 576 rows. */
export const SHEET_ROWS_MAX = 1_048_574;
const CELL_LENGTH_MAX = 32_767;

/** The places of the styles in `styles.xml`. */
const STYLES = {
  text: 0,
  amount: 1,
  day: 2,
  moment: 3,
  count: 4,
  head: 5,
  totalText: 6,
  totalAmount: 7,
  totalCount: 8,
};
const WIDTHS: Readonly<Record<ColumnKind, number>> = {
  text: 24,
  amount: 16,
  balance: 16,
  count: 14,
  day: 12,
  moment: 17,
};

/** 30 December 1899, the day 0 of a sheet. */
const DAY_ZERO = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/**
 * A workbook of one sheet, as it is read: real numbers and dates, a head that stays, widths, and a last line with the totals of
 * what can be added up, exact to the cent (EX-01).
 */
export function xlsxFile(
  title: string,
  columns: readonly ListColumn[],
  batches: AsyncIterable<readonly ExportedRow[]>,
): AsyncGenerator<Buffer> {
  const part = (name: string, content: string) => ({ name, parts: [XML + content] });
  return zip([
    part(
      '[Content_Types].xml',
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
        `<Default Extension="xml" ContentType="application/xml"/>${contentType('workbook', 'sheet.main')}${contentType('worksheets/sheet1', 'worksheet')}${contentType('styles', 'styles')}</Types>`,
    ),
    part(
      '_rels/.rels',
      `<Relationships xmlns="${PACKAGE}/relationships">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="${escaped(title.slice(0, 31))}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${PACKAGE}/relationships">${relation(1, 'worksheet', 'worksheets/sheet1.xml')}${relation(2, 'styles', 'styles.xml')}</Relationships>`,
    ),
    part('xl/styles.xml', STYLE_SHEET),
    { name: 'xl/worksheets/sheet1.xml', parts: sheet(columns, batches) },
  ]);
}

const contentType = (name: string, kind: string): string =>
  `<Override PartName="/xl/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
const relation = (place: number, kind: string, target: string): string =>
  `<Relationship Id="rId${place}" Type="${DOCUMENT}/${kind}" Target="${target}"/>`;

const format = (number: number, font = 0): string =>
  `<xf numFmtId="${number}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;
/** The built-in formats, which each country's spreadsheet writes its own way: 3 and 4 numbers, 14 a day, 22 a moment. */
const STYLE_SHEET =
  `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>' +
  `<cellXfs count="9">${format(0)}${format(4)}${format(14)}${format(22)}${format(3)}${format(0, 1)}${format(0, 1)}${format(4, 1)}${format(3, 1)}</cellXfs></styleSheet>`;

async function* sheet(
  columns: readonly ListColumn[],
  batches: AsyncIterable<readonly ExportedRow[]>,
): AsyncGenerator<string> {
  const letters = columns.map((_, place) => lettersOf(place));
  const widths = columns
    .map(({ kind }, place) => `<col min="${place + 1}" max="${place + 1}" width="${WIDTHS[kind]}" customWidth="1"/>`)
    .join('');
  const labels = columns.map(({ label }, place) => textCell(`${letters[place]}1`, label, STYLES.head)).join('');
  yield (
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
      `<cols>${widths}</cols><sheetData><row r="1">${labels}</row>`
  );
  const totals = columns.map(() => 0n);
  let number = 1;
  for await (const rows of batches) {
    yield sheetRows(columns, letters, rows, number + 1, totals);
    number += rows.length;
  }
  const last = columns.map(({ kind }, place) => {
    const reference = `${letters[place]}${number + 1}`;
    const total = totals[place] ?? 0n;
    if (kind === 'amount') return numberCell(reference, toWire(total), STYLES.totalAmount);
    if (kind === 'count') return numberCell(reference, String(total), STYLES.totalCount);
    return place === 0 ? textCell(reference, 'Total', STYLES.totalText) : '';
  });
  yield `<row r="${number + 1}">${last.join('')}</row></sheetData></worksheet>`;
}

/** The XML of rows from row `first` of the sheet on; what can be added up is added to `totals`. */
export function sheetRows(
  columns: readonly ListColumn[],
  letters: readonly string[],
  rows: readonly ExportedRow[],
  first: number,
  totals: bigint[],
): string {
  let xml = '';
  let number = first;
  for (const row of rows) {
    xml += `<row r="${number}">`;
    for (let place = 0; place < columns.length; place += 1) {
      const value = row[place] ?? null;
      if (value === null) continue;
      const { kind, words } = columns[place] as ListColumn;
      const reference = `${letters[place]}${number}`;
      switch (kind) {
        case 'amount':
          totals[place] = (totals[place] ?? 0n) + fromWire(value);
          xml += numberCell(reference, value, STYLES.amount);
          break;
        case 'balance':
          xml += numberCell(reference, value, STYLES.amount);
          break;
        case 'count':
          totals[place] = (totals[place] ?? 0n) + BigInt(value);
          xml += numberCell(reference, value, STYLES.count);
          break;
        case 'day':
          xml += numberCell(reference, String(serialOf(value)), STYLES.day);
          break;
        case 'moment':
          xml += numberCell(reference, String(serialOf(value)), STYLES.moment);
          break;
        case 'text':
          xml += textCell(reference, words === undefined ? value : words(value), STYLES.text);
      }
    }
    xml += '</row>';
    number += 1;
  }
  return xml;
}

/** The column's letters: A, B … Z, AA. */
export function lettersOf(place: number): string {
  const letter = String.fromCodePoint(65 + (place % 26));
  return place < 26 ? letter : lettersOf(Math.floor(place / 26) - 1) + letter;
}

function numberCell(reference: string, value: string, style: number): string {
  return `<c r="${reference}" s="${style}"><v>${value}</v></c>`;
}

function textCell(reference: string, value: string, style: number): string {
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`;
}

/** A sheet's date of « 2026-11-21 » or « 2026-11-21 14:32:05 »: the days since the day 0, with no time zone. */
function serialOf(value: string): number {
  const milliseconds = Date.UTC(
    Number(value.slice(0, 4)),
    Number(value.slice(5, 7)) - 1,
    Number(value.slice(8, 10)),
    Number(value.slice(11, 13)),
    Number(value.slice(14, 16)),
    Number(value.slice(17, 19)),
  );
  return (milliseconds - DAY_ZERO) / DAY_MS;
}

// oxlint-disable-next-line no-control-regex
const HOSTILE = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff\ud800-\udfff]|_(?=x[\da-f]{4}_)/giu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Else the spreadsheet would read _x0041_ as a character's number.
  _: '_x005F_',
};

/** A text as XML can hold it and a cell has room for; what XML cannot hold is left out. */
function escaped(value: string): string {
  const short = value.length > CELL_LENGTH_MAX ? `${value.slice(0, CELL_LENGTH_MAX - 1)}…` : value;
  return short.replace(HOSTILE, (found) => ENTITIES[found] ?? '');
}
