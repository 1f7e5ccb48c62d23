import type { StatementPeriod } from '@parrain/domain/statement';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Identity } from '#platform/database';
import type { Services } from '#platform/services';

import { csvFile } from '../csv.ts';
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
      await recordExport(request, identity, ['journal', format, journal.lineCount, period.name]);
      await sendFile(reply, {
        name: journalName(journal, format),
        type: format === 'csv' ? 'text/csv; charset=utf-8' : 'text/plain; charset=iso-8859-15',
        length: journal.lineCount * LINE_BYTES,
        parts: format === 'csv' ? csvFile(journalColumns, journal.batches()) : fecFile(journal),
      }).catch((error: unknown) => request.log.warn({ err: error }, 'An export was cut'));
    },
    { readOnly: true, isSnapshot: true },
  );
}

/** One journal, not the company's FEC: its name says so, and whether it may still change. */
export function journalName({ period, label, isFinal }: Journal, format: string): string {
  const journal = label.replaceAll(/[\\/:*?"<>|]/gu, ' ').trim();
  return `Journal ${journal} ${period.name}${isFinal ? '' : ' provisoire'}.${format}`;
}
