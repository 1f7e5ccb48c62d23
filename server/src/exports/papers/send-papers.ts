import { Failure } from '@parrain/domain/failure';
import { paperKindLabels, paperKindOf } from '@parrain/domain/paper';
import type { StatementPeriod } from '@parrain/domain/statement';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Identity } from '#platform/database';
import { callerOf } from '#platform/identity';
import type { Services } from '#platform/services';

import type { PdfThread } from '../pdf/pdf-thread.ts';
import { recordExport } from '../record-export.ts';
import { sendFile } from '../send-file.ts';
import { zip } from '../zip.ts';
import type { ZipEntry } from '../zip.ts';
import type { Paper } from './paper.ts';
import { PAPER_COLUMNS, paperFile, PAPERS_OF_PERIOD } from './paper-files.ts';

/** The size of one paper, for the bar of progress. */
export const PDF_BYTES = 25_000;

export type Asked = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly identity: Extract<Identity, { role: 'authenticated' }>;
  readonly pdfs: PdfThread;
};

/** One paper, for its payee, an admin or the accountant: row level security decides. */
export async function sendPaper(services: Services, asked: Asked & { readonly paperId: string }): Promise<void> {
  const { request, reply, identity, pdfs, paperId } = asked;
  const { db } = callerOf(request);
  const { rows } = await db.queryAs<Paper>(
    identity,
    { text: `select ${PAPER_COLUMNS} from public.papers p where p.id = $1`, values: [paperId] },
    { readOnly: true },
  );
  const paper = rows[0];
  if (paper === undefined) throw new Failure('not_found');
  const bytes = await paperFile(services, pdfs, paper);
  await recordExport(request, identity, ['papers', 'pdf', 1]);
  await sendFile(reply, { name: paperName(paper), type: 'application/pdf', length: bytes.length, parts: [bytes] });
}

/** The papers of a period in one archive, for the admin and the accountant. */
export async function sendPapers(
  services: Services,
  asked: Asked & { readonly period: StatementPeriod },
): Promise<void> {
  const { request, reply, identity, pdfs, period } = asked;
  const { db } = callerOf(request);
  await db.queryAs(identity, { text: `select private.require_role('admin', 'comptable')` }, { readOnly: true });
  const { rows: papers } = await db.queryAs<Paper>(
    identity,
    {
      text: `select ${PAPER_COLUMNS} ${PAPERS_OF_PERIOD}`,
      values: [period.fromDay, period.beforeDay],
    },
    { readOnly: true },
  );
  if (papers.length === 0) throw new Failure('papers_none');
  await recordExport(request, identity, ['papers', 'zip', papers.length, period.name]);
  const entries = async function* (): AsyncGenerator<ZipEntry> {
    for (const paper of papers) {
      yield { name: paperName(paper), parts: [await paperFile(services, pdfs, paper)] };
    }
  };
  await sendFile(reply, {
    name: `Pièces ${period.name}.zip`,
    type: 'application/zip',
    length: papers.length * PDF_BYTES,
    parts: zip(entries()),
  });
}

export function paperName({ series, label }: Paper): string {
  return `${paperKindLabels[paperKindOf(series)]} ${label}.pdf`;
}
