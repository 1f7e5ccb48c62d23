import type { Services } from '#platform/services';
import { readLogo } from '#storage';

import type { PdfThread } from '../pdf/pdf-thread.ts';
import type { PaperDocument, PaperLook } from '../pdf/tagged-pdf.ts';
import { paperDocument } from './paper-document.ts';
import type { Paper } from './paper.ts';

const TASK = 'exports_make_papers';
/** Papers laid out by one run of the job: others wait for the next. */
const BATCH = 200;

export const PAPER_COLUMNS =
  'p.id, p.series, p.is_test, p.label, p.request_id, p.quarter::text, p.issued_on::text, p.amount::text, p.content';

/** The papers of a period, of its first day and the day after its last, in the order of their numbers. */
export const PAPERS_OF_PERIOD = `from public.papers p
  where p.issued_on >= $1 and p.issued_on < $2 order by p.series, p.year, p.number`;

/** The bytes of a paper: those that were made first, for ever (PP-02). Whoever asks may read the paper. */
export async function paperFile(services: Services, pdfs: PdfThread, paper: Paper): Promise<Buffer> {
  const { db } = services;
  const stored = await db.queryAsService<{ bytes: Buffer }>('exports: papers', {
    text: 'select f.bytes from private.paper_files f where f.paper_id = $1',
    values: [paper.id],
  });
  const storedBytes = stored.rows[0]?.bytes;
  if (storedBytes !== undefined) return storedBytes;
  const made = await drawn(services, pdfs, paperDocument(paper));
  // Another node may have been first.
  const { rows } = await db.queryAsService<{ bytes: Buffer }>('exports: papers', {
    text: 'select private.keep_paper($1, $2) as bytes',
    values: [paper.id, made],
  });
  const bytes = rows[0]?.bytes;
  if (bytes === undefined) throw new Error('A paper was not kept');
  return bytes;
}

/** Bytes of a paper with the logo and the colour of this moment. A picture that cannot be drawn is left out. */
export async function drawn(services: Services, pdfs: PdfThread, layout: PaperDocument): Promise<Buffer> {
  const look = await lookOf(services);
  try {
    return await pdfs.make(layout, look);
  } catch (error) {
    if (look.logo === null) throw error;
    return pdfs.make(layout, { ...look, logo: null });
  }
}

async function lookOf(services: Services): Promise<PaperLook> {
  const { rows } = await services.db.queryAsService<{ name: string; color: string | null }>('exports: papers', {
    text: 'select c.company_name as name, c.brand_color as color from public.company_settings c',
  });
  // Storage that does not answer keeps nobody from their paper.
  const logo = await readLogo(services).catch(() => null);
  return { logo, color: rows[0]?.color ?? null, name: rows[0]?.name ?? '' };
}

/**
 * Makes the quarters' statements that are due, and the bytes of new papers soon after their payment, so that the libraries of the day are
 * those of the paper.
 */
export function definePapers(services: Services, pdfs: PdfThread): void {
  const { jobs, db } = services;
  jobs.define(TASK, async () => {
    await db.queryAsService('exports: papers', {
      text: 'select private.make_quarterly_statements($1)',
      values: [BATCH],
    });
    const { rows } = await db.queryAsService<Paper>('exports: papers', {
      text: `select ${PAPER_COLUMNS} from public.papers p
        where not exists (select from private.paper_files f where f.paper_id = p.id) order by p.issued_on, p.id limit $1`,
      values: [BATCH],
    });
    for (const paper of rows) await paperFile(services, pdfs, paper);
  });
  jobs.schedule(TASK, '*/5 * * * *', { maxAttempts: 1 });
}
