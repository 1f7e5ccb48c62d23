import { fecColumns } from '@parrain/domain/accounting';
import type { FecColumn } from '@parrain/domain/accounting';
import type { StatementPeriod } from '@parrain/domain/statement';

import type { Transaction } from '#platform/database';

import type { ExportedRow } from '../csv.ts';
import type { ColumnKind, ListColumn } from '../lists.ts';
import { openList } from '../read-list.ts';

/** The entries of a period as the lines of an accounting journal (EX-02). */
export type Journal = {
  readonly period: StatementPeriod;
  readonly label: string;
  /** True when all its months are closed: nothing of it changes any more. */
  readonly isFinal: boolean;
  readonly lineCount: number;
  /** Rows of `journalColumns`. */
  readonly batches: () => AsyncGenerator<readonly ExportedRow[]>;
};

const KINDS: Partial<Readonly<Record<FecColumn, ColumnKind>>> = {
  EcritureDate: 'day',
  PieceDate: 'day',
  DateLet: 'day',
  ValidDate: 'day',
  Debit: 'amount',
  Credit: 'amount',
};

export const journalColumns: readonly ListColumn[] = fecColumns.map((label) => ({
  label,
  kind: KINDS[label] ?? 'text',
  sql: `t0."${label}"`,
}));

/** Opens the journal of a period inside a snapshot; for the admin. */
export async function openJournal(tx: Transaction, period: StatementPeriod): Promise<Journal> {
  const values = [period.fromDay, period.beforeDay];
  const { rows } = await tx.query<{ label: string; is_final: boolean }>(
    `select a.shown ->> 'journal_label' as label,
      coalesce((a.shown ->> 'closed_until')::date >= $1::date - interval '1 month', false) as is_final
     from (select private.accounting_shown() as shown) a`,
    [period.beforeDay],
  );
  const [head] = rows;
  if (head === undefined) throw new Error('The journal has no settings');
  const list = await openList(
    tx,
    { relation: 'ledger_entries', columns: journalColumns },
    {
      from: 'private.accounting_lines($1::date, $2::date) t0',
      where: '',
      order: ' order by t0."EcritureNum", t0.side',
      values,
    },
  );
  return { period, label: head.label, isFinal: head.is_final, lineCount: list.rowCount, batches: list.batches };
}
