import { toWire } from '@parrain/domain/money';

import { csvHead, csvLines } from '../csv.ts';
import type { ExportedRow } from '../csv.ts';
import { statementColumns } from './read-statement.ts';
import type { Statement } from './read-statement.ts';

/** A statement as a spreadsheet opens it: what was available before, every line, what is available after. */
export async function* statementCsv(statement: Statement): AsyncGenerator<string> {
  const balance = (label: string, available: bigint): ExportedRow =>
    statementColumns.map((column) => {
      if (column.label === 'Opération') return label;
      return column.label === 'Disponible après' ? toWire(available) : null;
    });
  yield csvHead(statementColumns);
  yield csvLines(plainColumns, [balance('Solde au début de la période', statement.opening.available)]);
  for await (const rows of statement.batches()) yield csvLines(statementColumns, rows);
  yield csvLines(plainColumns, [balance('Solde à la fin de la période', statement.closing.available)]);
}

/** A balance is no act of the ledger: its words are its own. */
const plainColumns = statementColumns.map(({ label, kind, sql }) => ({ label, kind, sql }));
