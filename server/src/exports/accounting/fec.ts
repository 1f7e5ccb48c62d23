import { fecColumns } from '@parrain/domain/accounting';

import type { ExportedRow } from '../csv.ts';
import { journalColumns } from './read-journal.ts';
import type { Journal } from './read-journal.ts';

/** The signs that ISO 8859-15 has where 8859-1 has others. */
const LATIN9: Readonly<Record<string, number>> = {
  '€': 0xa4,
  Š: 0xa6,
  š: 0xa8,
  Ž: 0xb4,
  ž: 0xb8,
  Œ: 0xbc,
  œ: 0xbd,
  Ÿ: 0xbe,
};
/** The signs of 8859-1 that 8859-15 gave up. */
const GIVEN_UP = new Set(['¤', '¦', '¨', '´', '¸', '¼', '½', '¾']);
const PLAIN: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '\u202f': ' ',
};

/** The journal in the form of the French FEC: 18 columns, tabs, CRLF, ISO 8859-15, days as 20261121, a decimal comma (EX-02). */
export async function* fecFile(journal: Journal): AsyncGenerator<Buffer> {
  yield latin9(`${fecColumns.join('\t')}\r\n`);
  for await (const rows of journal.batches()) yield latin9(rows.map(lineOf).join(''));
}

function lineOf(row: ExportedRow): string {
  const cells = row.map((value, place) => {
    if (value === null) return '';
    const kind = journalColumns[place]?.kind;
    if (kind === 'day') return value.replaceAll('-', '');
    // Separators of columns and lines become spaces in texts.
    return kind === 'amount' ? value.replace('.', ',') : value.replaceAll(/[\t\r\n|]+/gu, ' ');
  });
  return `${cells.join('\t')}\r\n`;
}

/** A text in ISO 8859-15; what it has no sign for is written without its accent, or « ? ». */
function latin9(text: string): Buffer {
  const bytes: number[] = [];
  for (const sign of text.normalize('NFC')) {
    const own = LATIN9[sign];
    if (own !== undefined) bytes.push(own);
    else for (const plain of PLAIN[sign] ?? sign) bytes.push(byteOf(plain));
  }
  return Buffer.from(bytes);
}

function byteOf(sign: string): number {
  const point = sign.codePointAt(0) ?? 0;
  if (point < 0x1_00 && !GIVEN_UP.has(sign)) return point;
  const bare = sign.normalize('NFD').codePointAt(0) ?? 0;
  return bare < 0x80 ? bare : 0x3f;
}
