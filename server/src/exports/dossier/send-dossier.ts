import { dayOf } from '@parrain/domain/date';
import { exportedPapers } from '@parrain/domain/exports';
import type { StatementPeriod } from '@parrain/domain/statement';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';

import type { Identity, Transaction } from '#platform/database';
import type { Services } from '#platform/services';

import { openJournal } from '../accounting/read-journal.ts';
import type { PdfThread } from '../pdf/pdf-thread.ts';
import { readAccounts } from '../read-accounts.ts';
import { recordExport } from '../record-export.ts';
import { sendFile } from '../send-file.ts';
import { payeesOf } from '../statements/read-statement.ts';
import { zip } from '../zip.ts';
import type { ZipEntry } from '../zip.ts';
import { dossierEntries, paperIdsOf } from './dossier-entries.ts';
import { readMe } from './read-me.ts';
import type { DossierTotals, WrittenFile } from './read-me.ts';

/** The size of a payee's two statements, of a paper and of a line of the journal, for the bar of progress. */
const PAYEE_BYTES = 45_000;
const PAPER_BYTES = 25_000;
const LINE_BYTES = 50;

/**
 * All that an accountant asks for of a period, as one archive of one snapshot of the database; its last file says what each other
 * is, with its SHA-256 (UI-12). For the admin.
 */
export async function sendDossier(
  services: Services,
  asked: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly identity: Identity;
    readonly period: StatementPeriod;
    readonly pdfs: PdfThread;
  },
): Promise<void> {
  const { request, reply, identity, period, pdfs } = asked;
  await services.longReadings.withRequest({ requestId: request.id }).transactionAs(
    identity,
    async (tx) => {
      await readAccounts(tx);
      const journal = await openJournal(tx, period);
      const payees = await payeesOf(tx, period);
      const paperIds = await paperIdsOf(tx, period);
      const { companyName, at } = await headOf(tx);
      await recordExport(request, identity, ['dossier', 'zip', journal.lineCount, period.name]);
      const totals = noTotals();
      const files: WrittenFile[] = [];
      const entries = async function* (): AsyncGenerator<ZipEntry> {
        const content = dossierEntries(services, tx, { journal, payees, paperIds, period, pdfs, totals });
        for await (const entry of content) yield hashed(entry, files);
        const text = readMe({ companyName, period, isFinal: journal.isFinal, at }, totals, files);
        yield { name: 'LISEZ-MOI.txt', parts: [text] };
      };
      await sendFile(reply, {
        name: `${exportedPapers.dossier} ${period.name}${journal.isFinal ? '' : ' provisoire'}.zip`,
        type: 'application/zip',
        length: payees.length * PAYEE_BYTES + paperIds.length * PAPER_BYTES + journal.lineCount * LINE_BYTES,
        parts: zip(entries(), dayOf(at)),
      }).catch((error: unknown) => request.log.warn({ err: error }, 'An export was cut'));
    },
    { readOnly: true, isSnapshot: true },
  );
}

/** The company's name, and the instant of the snapshot. */
async function headOf(tx: Transaction): Promise<{ readonly companyName: string; readonly at: Date }> {
  const { rows } = await tx.query<{ name: string; at: Date }>(
    'select c.company_name as name, now() as at from public.company_settings c',
  );
  const [head] = rows;
  if (head === undefined) throw new Error('The company has no settings');
  return { companyName: head.name, at: head.at };
}

/** The same entry, whose size and SHA-256 are noted once it is written. */
function hashed({ name, parts }: ZipEntry, files: WrittenFile[]): ZipEntry {
  return {
    name,
    parts: (async function* () {
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const part of parts) {
        hash.update(part);
        bytes += Buffer.byteLength(part);
        yield part;
      }
      files.push({ name, bytes, sha256: hash.digest('hex') });
    })(),
  };
}

function noTotals(): DossierTotals {
  return {
    debit: 0n,
    credit: 0n,
    journalLines: 0,
    payees: 0,
    openingDue: 0n,
    earned: 0n,
    reversed: 0n,
    paid: 0n,
    repaid: 0n,
    vat: 0n,
    closingDue: 0n,
    papers: 0,
    invoices: 0,
    payments: 0,
  };
}
