import type { StatementPeriod } from '@parrain/domain/statement';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Identity } from '#platform/database';
import type { Services } from '#platform/services';

import { csvHead, csvLines } from '../csv.ts';
import { recordExport } from '../record-export.ts';
import { sendFile } from '../send-file.ts';
import { fecFile } from './fec.ts';
import { journalColumns, openJournal } from './read-journal.ts';
import type { Journal } from './read-journal.ts';

/** For the bar of progress. */
const LINE_BYTES = 150;

/** The accounting journal of a period: `txt` in the form of the FEC, `csv` for a spreadsheet. */
export async function sendJournal(
  services: Services,
  asked: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly identity: Identity;
    readonly period: StatementPeriod;
    readonly format: 'csv' | 'txt';
  },
): Promise<void> {
  const { request, reply, identity, period, format } = asked;
  await services.longReadings.withRequest({ requestId: request.id }).transactionAs(
    identity,
    async (tx) => {
      const journal = await openJournal(tx, period);
      await recordExport(request, identity, ['journal', format, journal.lineCount]);
      await sendFile(reply, {
        name: nameOf(journal, format),
        type: format === 'csv' ? 'text/csv; charset=utf-8' : 'text/plain; charset=iso-8859-15',
        length: journal.lineCount * LINE_BYTES,
        parts: format === 'csv' ? csvFile(journal) : fecFile(journal),
      }).catch((error: unknown) => request.log.warn({ err: error }, 'An export was cut'));
    },
    { readOnly: true, isSnapshot: true },
  );
}

async function* csvFile(journal: Journal): AsyncGenerator<string> {
  yield csvHead(journalColumns);
  for await (const rows of journal.batches()) yield csvLines(journalColumns, rows);
}

/** One journal, not the company's FEC: its name says so, and whether it may still change. */
function nameOf({ period, label, isFinal }: Journal, format: string): string {
  const journal = label.replaceAll(/[\\/:*?"<>|]/gu, ' ').trim();
  return `Journal ${journal} ${period.name}${isFinal ? '' : ' provisoire'}.${format}`;
}
