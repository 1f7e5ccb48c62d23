import { Failure } from '@parrain/domain/failure';
import type { StatementPeriod } from '@parrain/domain/statement';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Identity, Transaction } from '#platform/database';
import type { Services } from '#platform/services';

import type { ExportedRow } from '../csv.ts';
import type { PdfThread } from '../pdf/pdf-thread.ts';
import { readAccounts } from '../read-accounts.ts';
import { recordExport } from '../record-export.ts';
import { sendFile } from '../send-file.ts';
import { zip } from '../zip.ts';
import type { ZipEntry } from '../zip.ts';
import { openStatement, payeesOf } from './read-statement.ts';
import type { Statement } from './read-statement.ts';
import { statementCsv } from './statement-csv.ts';
import { statementPaper } from './statement-paper.ts';

/** A PDF is laid out in memory; a page has some 35 lines. */
const PDF_LINES_MAX = 2000;
/** The size of one line or of one PDF, for the bar of progress. */
const CSV_LINE_BYTES = 200;
const PDF_BYTES = 45_000;

type Asked = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly identity: Identity;
  readonly period: StatementPeriod;
  readonly pdfs: PdfThread;
};

/** One payee's statement, as PDF or CSV. */
export async function sendStatement(
  services: Services,
  asked: Asked & { readonly payeeId: string; readonly format: 'csv' | 'pdf' },
): Promise<void> {
  const { request, reply, identity, period, pdfs, payeeId, format } = asked;
  await services.longReadings.withRequest({ requestId: request.id }).transactionAs(
    identity,
    async (tx) => {
      await tx.query('select private.read_as_accountant()');
      const statement = await openStatement(tx, payeeId, period);
      if (statement === null) throw new Failure('not_found');
      if (format === 'pdf' && statement.lineCount > PDF_LINES_MAX) throw new Failure('statement_too_long');
      const parts = format === 'csv' ? statementCsv(statement) : [await pdfOf(statement, pdfs)];
      await recordExport(request, identity, ['statement', format, statement.lineCount, period.name]);
      await sendFile(reply, {
        name: `${nameOf(statement)}.${format}`,
        type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/pdf',
        length: format === 'csv' ? (statement.lineCount + 3) * CSV_LINE_BYTES : PDF_BYTES,
        parts,
      }).catch((error: unknown) => cut(request, error));
    },
    { readOnly: true, isSnapshot: true },
  );
}

/** The statements of everybody whose account moved, or holds something: a PDF and a CSV each, in one archive; for the admin and the accountant. */
export async function sendStatements(services: Services, asked: Asked): Promise<void> {
  const { request, reply, identity, period, pdfs } = asked;
  await services.longReadings.withRequest({ requestId: request.id }).transactionAs(
    identity,
    async (tx) => {
      await readAccounts(tx);
      const payees = await payeesOf(tx, period);
      if (payees.length === 0) throw new Failure('statements_none');
      await recordExport(request, identity, ['statements', 'zip', payees.length, period.name]);
      await sendFile(reply, {
        name: `Relevés ${period.name}.zip`,
        type: 'application/zip',
        length: payees.length * PDF_BYTES,
        parts: zip(statementEntries(tx, payees, { period, pdfs })),
      }).catch((error: unknown) => cut(request, error));
    },
    { readOnly: true, isSnapshot: true },
  );
}

/**
 * The statements of payees, each read as it is written: a CSV, and a PDF unless it is too long.
 * @param seen is told of each statement.
 */
export async function* statementEntries(
  tx: Transaction,
  payees: readonly string[],
  { period, pdfs, seen }: Pick<Asked, 'pdfs' | 'period'> & { readonly seen?: (statement: Statement) => void },
): AsyncGenerator<ZipEntry> {
  for (const payeeId of payees) {
    const statement = await openStatement(tx, payeeId, period);
    if (statement === null) continue;
    seen?.(statement);
    yield { name: `${nameOf(statement)}.csv`, parts: statementCsv(statement) };
    if (statement.lineCount <= PDF_LINES_MAX) {
      yield { name: `${nameOf(statement)}.pdf`, parts: [await pdfOf(statement, pdfs)] };
    }
  }
}

/** A transaction that fails is tried again: not one whose file has begun to leave. */
function cut(request: FastifyRequest, error: unknown): void {
  request.log.warn({ err: error }, 'An export was cut');
}

async function pdfOf(statement: Statement, pdfs: PdfThread): Promise<Buffer> {
  const rows: ExportedRow[] = [];
  for await (const batch of statement.batches()) rows.push(...batch);
  return pdfs.make(statementPaper(statement, rows));
}

/** « Relevé 2026-11 Éloïse Lefèvre 1f0c2a3b »: two people may have one name. No sign that a file's name forbids. */
function nameOf({ period, payee }: Statement): string {
  const name = payee.fullName.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, ' ').trim();
  return `Relevé ${period.name} ${name} ${payee.id.slice(0, 8)}`;
}
