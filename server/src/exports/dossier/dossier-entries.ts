import { exportedLists } from '@parrain/domain/exports';
import { fromWire, toWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import { proofTypeOf } from '@parrain/domain/payment-proof';
import type { StatementPeriod } from '@parrain/domain/statement';

import type { Transaction } from '#platform/database';
import type { Services } from '#platform/services';

import { fecFile } from '../accounting/fec.ts';
import { journalColumns } from '../accounting/read-journal.ts';
import type { Journal } from '../accounting/read-journal.ts';
import { openDas2 } from '../accounting/send-das2.ts';
import { journalName } from '../accounting/send-journal.ts';
import { csvFile, csvHead, csvLines } from '../csv.ts';
import type { ExportedRow } from '../csv.ts';
import { lists } from '../lists.ts';
import type { ListColumn } from '../lists.ts';
import { PAPER_COLUMNS, paperFile, PAPERS_OF_PERIOD } from '../papers/paper-files.ts';
import type { Paper } from '../papers/paper.ts';
import { paperName } from '../papers/send-papers.ts';
import type { PdfThread } from '../pdf/pdf-thread.ts';
import { openList } from '../read-list.ts';
import { dueOf, instant } from '../statements/read-statement.ts';
import { statementEntries } from '../statements/send-statement.ts';
import type { ZipEntry } from '../zip.ts';
import type { DossierTotals } from './read-me.ts';

type Dossier = {
  readonly journal: Journal;
  readonly payees: readonly string[];
  readonly paperIds: readonly string[];
  readonly period: StatementPeriod;
  readonly pdfs: PdfThread;
  /** Gets the sums of the rows as they are written. */
  readonly totals: DossierTotals;
};

/** The files of a dossier, by the writers of each, read one after another in the caller's snapshot. */
export async function* dossierEntries(
  services: Services,
  tx: Transaction,
  { journal, payees, paperIds, period, pdfs, totals }: Dossier,
): AsyncGenerator<ZipEntry> {
  const accounts: Accounts = new Map();
  const summed = { ...journal, batches: () => summing(journal.batches(), accounts, totals) };
  yield { name: `Journal/${journalName(journal, 'txt')}`, parts: fecFile(summed) };
  yield { name: `Journal/${journalName(journal, 'csv')}`, parts: csvFile(journalColumns, journal.batches()) };
  yield { name: `Journal/Balance ${period.name}.csv`, parts: balance(accounts) };
  if (period.name.length === 4) {
    const das2 = await openDas2(tx, Number.parseInt(period.name, 10));
    yield { name: `DAS2/${das2.name}`, parts: das2.parts() };
  }
  for (const [name, moment] of [
    ['payments-made', 'at'],
    ['payment-batches', 'settled_at'],
  ] as const) {
    const { rowCount, batches } = await openList(tx, lists[name], {
      from: `public.${lists[name].relation} t0`,
      where: ` where t0.${moment} >= ${instant(1)} and t0.${moment} < ${instant(2)}`,
      order: ` order by t0.${moment}`,
      values: [period.fromDay, period.beforeDay],
    });
    if (name === 'payments-made') totals.payments = rowCount;
    yield {
      name: `Paiements/${exportedLists[name]} ${period.name}.csv`,
      parts: csvFile(lists[name].columns, batches()),
    };
  }
  for await (const { name, parts } of statementEntries(tx, payees, {
    period,
    pdfs,
    seen: (statement) => {
      totals.payees += 1;
      totals.openingDue += dueOf(statement.opening);
      totals.closingDue += dueOf(statement.closing);
      totals.earned += statement.earned;
      totals.reversed += statement.reversed;
      totals.paid += statement.paid;
      totals.repaid += statement.repaid;
      totals.vat += statement.vat;
    },
  })) {
    yield { name: `Relevés/${name}`, parts };
  }
  for (const id of paperIds) {
    // One at a time, in the snapshot's own transaction: one that says nothing for long is ended by the database.
    const { rows } = await tx.query<Paper>(`select ${PAPER_COLUMNS} from public.papers p where p.id = $1`, [id]);
    const [paper] = rows;
    if (paper === undefined) continue;
    totals.papers += 1;
    yield { name: `Pièces/${paperName(paper)}`, parts: [await paperFile(services, pdfs, paper)] };
  }
  for (const { id } of await receivedInvoices(tx, period)) {
    const { rows } = await tx.query<{ name: string; bytes: Buffer }>(
      `select concat_ws(' ', i.invoiced_on, p.content #>> '{payee,legal_name}', i.number, p.label) as name, f.bytes
       from public.payee_invoices i cross join lateral private.payee_invoice_file(i.id) f
       left join public.paid_periods q on q.payee_invoice_id = i.id
       left join public.papers p on (p.request_id = i.request_id or p.period_id = q.id) and p.series in ('R', 'TR')
       where i.id = $1`,
      [id],
    );
    for (const { name, bytes } of rows) {
      totals.invoices += 1;
      const plain = name.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, ' ').trim();
      yield { name: `Factures reçues/${plain}.${proofTypeOf(bytes) === null ? 'xml' : 'pdf'}`, parts: [bytes] };
    }
  }
}

/** Payees' own invoices that the payments of a period settled, by the day of the payment (AC-04). */
async function receivedInvoices(tx: Transaction, { fromDay, beforeDay }: StatementPeriod): Promise<{ id: string }[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select i.id from public.ledger_entries e
     left join public.paid_periods q on q.id = e.source_id
     join public.payee_invoices i on i.request_id = e.source_id and i.decided_at is not null and i.status <> 'refused'
       or i.id = q.payee_invoice_id
     where e.act in ('settlement', 'payroll') and e.at >= ${instant(1)} and e.at < ${instant(2)} order by e.at, e.id`,
    [fromDay, beforeDay],
  );
  return rows;
}

/** The papers of a period, in the order of their numbers. */
export async function paperIdsOf(tx: Transaction, { fromDay, beforeDay }: StatementPeriod): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(`select p.id ${PAPERS_OF_PERIOD}`, [fromDay, beforeDay]);
  return rows.map(({ id }) => id);
}

type Accounts = Map<string, { readonly label: string; debit: Cents; credit: Cents }>;

const placeOf = (label: string): number => journalColumns.findIndex((column) => column.label === label);
const [NUMBER, LABEL, DEBIT, CREDIT] = ['CompteNum', 'CompteLib', 'Debit', 'Credit'].map(placeOf) as [
  number,
  number,
  number,
  number,
];

/** The journal's rows as they are, summed by account on their way. */
async function* summing(
  batches: AsyncIterable<readonly ExportedRow[]>,
  accounts: Accounts,
  totals: DossierTotals,
): AsyncGenerator<readonly ExportedRow[]> {
  for await (const rows of batches) {
    for (const row of rows) {
      const number = row[NUMBER] ?? '';
      const account = accounts.get(number) ?? { label: row[LABEL] ?? '', debit: 0n, credit: 0n };
      const [debit, credit] = [fromWire(row[DEBIT] ?? '0'), fromWire(row[CREDIT] ?? '0')];
      account.debit += debit;
      account.credit += credit;
      accounts.set(number, account);
      totals.debit += debit;
      totals.credit += credit;
      totals.journalLines += 1;
    }
    yield rows;
  }
}

const balanceColumns: readonly ListColumn[] = (
  [
    ['Compte', 'text'],
    ['Libellé', 'text'],
    ['Débit', 'amount'],
    ['Crédit', 'amount'],
    ['Solde', 'balance'],
  ] as const
).map(([label, kind]) => ({ label, kind, sql: '' }));

/** The totals of the journal by account, once it is written. */
function* balance(accounts: Accounts): Generator<string> {
  const rows = [...accounts].toSorted(([one], [other]) => one.localeCompare(other));
  yield csvHead(balanceColumns);
  yield csvLines(
    balanceColumns,
    rows.map(([number, { label, debit, credit }]) => [
      number,
      label,
      toWire(debit),
      toWire(credit),
      toWire(debit - credit),
    ]),
  );
}
