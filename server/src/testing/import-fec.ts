import type { FecLine } from './check-fec.ts';

/** An import of a journal: its entries, what the program would refuse, and the letters that it would leave open. */
export interface FecImport {
  readonly entries: number;
  readonly refusals: readonly string[];
  readonly openLetters: readonly string[];
}

/**
 * Three programs that read a FEC, by what their documentation and code of 2025 ask (AC-02): Odoo's own import (« France, FEC Import »),
 * Akretion's for Odoo (OCA, account_move_csv_import) and Dokos (FEC Import).
 */
export const fecPrograms = {
  /** Tab, ISO 8859-15; entries by journal and EcritureNum; a cent that is missing makes a line of rounding, more is refused; codes of five letters. */
  odoo: (text: string, lines: readonly FecLine[]): FecImport => {
    const imported = grouped(lines, (line) => `${line['JournalCode']}_${line['EcritureNum'] || line['PieceRef']}`);
    const codes = new Set(lines.map((line) => line['JournalCode'] ?? ''));
    return {
      ...imported,
      refusals: [
        ...quotedCells(text),
        ...imported.refusals,
        ...[...codes].filter((code) => code.length > 5).map((code) => `the journal ${code} is shortened`),
        // Trailing zeros are no part of an account: two that differ by them alone become one.
        ...doubles(lines, 'CompteNum', (line) => (line['CompteNum'] ?? '').replace(/0+$/u, '')),
        ...doubles(lines, 'CompAuxNum', (line) => (line['CompAuxNum'] ?? '').replaceAll(' ', '_')),
      ],
    };
  },
  /** Entries by EcritureNum in the order of the lines, two lines at least; a letter holds one account and one payee. */
  akretion: (text: string, lines: readonly FecLine[]): FecImport => {
    const imported = grouped(lines, (line) => line['EcritureNum'] ?? '');
    const neighbours = lines.filter((line, place) => line['EcritureNum'] !== lines[place - 1]?.['EcritureNum']).length;
    return {
      ...imported,
      refusals: [
        ...quotedCells(text),
        ...imported.refusals,
        ...(neighbours === imported.entries ? [] : ['an entry stands in two places']),
        ...doubles(lines, 'CompAuxNum', (line) => (line['CompAuxNum'] ?? '').toUpperCase()),
      ],
    };
  },
  /** Entries by day and PieceRef; the same line twice is one that was imported before, and is left out with its piece. */
  dokos: (text: string, lines: readonly FecLine[]): FecImport => {
    const imported = grouped(lines, (line) => `${line['EcritureDate']} ${line['PieceRef']}`);
    const bodies = text.split('\r\n').slice(1, -1);
    return {
      ...imported,
      refusals: [...imported.refusals, ...(new Set(bodies).size === bodies.length ? [] : ['a line stands twice'])],
    };
  },
};

/** Entries that a key groups, those that do not balance, and the letters that do not close on one account of one payee. */
function grouped(lines: readonly FecLine[], keyOf: (line: FecLine) => string): FecImport {
  const entries = Map.groupBy(lines, keyOf);
  const letters = Map.groupBy(
    lines.filter((line) => line['EcritureLet'] !== ''),
    (line) => line['EcritureLet'] ?? '',
  );
  return {
    entries: entries.size,
    refusals: [...entries].flatMap(([key, group]) => [
      ...(balance(group) === 0n ? [] : [`${key} is out of balance`]),
      ...(group.length < 2 ? [`${key} has one line`] : []),
    ]),
    openLetters: [...letters]
      .filter(
        ([, group]) =>
          group.length < 2 ||
          balance(group) !== 0n ||
          new Set(group.map((line) => `${line['CompteNum']} ${line['CompAuxNum']}`)).size > 1,
      )
      .map(([letter]) => letter),
  };
}

function balance(lines: readonly FecLine[]): bigint {
  const cents = (amount = '') => BigInt(amount.replace(',', ''));
  return lines.reduce((sum, line) => sum + cents(line['Debit']) - cents(line['Credit']), 0n);
}

/** A cell that opens with a quotation mark or an apostrophe is read as quoted, up to the next one. */
function quotedCells(text: string): string[] {
  return /(?:^|[\t\n])["']/u.test(text) ? ['a cell opens with a quotation mark'] : [];
}

/** Values that differ as they are written and are one for the program. */
function doubles(lines: readonly FecLine[], column: string, keyOf: (line: FecLine) => string): string[] {
  return [...Map.groupBy(lines, keyOf)]
    .filter(([key, group]) => key !== '' && new Set(group.map((line) => line[column])).size > 1)
    .map(([key]) => `${column} ${key} is two`);
}
