import { dayOf } from '@parrain/domain/date';
import { exportedLists, isExportedListName, isExportFormat } from '@parrain/domain/exports';
import type { ExportedListName, ExportFormat } from '@parrain/domain/exports';
import { Failure } from '@parrain/domain/failure';
import { isSpecimenName } from '@parrain/domain/specimen';
import { statementPeriodOf } from '@parrain/domain/statement';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

import { createKeyedSemaphore, createSemaphore } from '#platform/concurrency';
import type { Identity } from '#platform/database';
import { isDatabaseError, sendFailure } from '#platform/errors';
import { callerOf, identityHook } from '#platform/identity';
import { LONG_READINGS_MAX } from '#platform/open';
import type { Services } from '#platform/services';
import { listStatement, RestError, schemaCacheOf } from '#rest';
import type { ListStatement } from '#rest';

import { defineArchive } from './archive/make-archive.ts';
import { sendArchive } from './archive/send-archive.ts';
import { sendDas2 } from './accounting/send-das2.ts';
import { sendJournal } from './accounting/send-journal.ts';
import { csvFile, csvLines } from './csv.ts';
import type { ExportedRow } from './csv.ts';
import { sendDossier } from './dossier/send-dossier.ts';
import { lists } from './lists.ts';
import { definePapers } from './papers/paper-files.ts';
import { sendEInvoices } from './papers/send-e-invoices.ts';
import { sendPaper, sendPapers } from './papers/send-papers.ts';
import { sendSpecimen } from './papers/send-specimen.ts';
import { createPdfThread } from './pdf/pdf-thread.ts';
import type { ListColumn } from './lists.ts';
import { totalsOf } from './totals.ts';
import { openList } from './read-list.ts';
import { recordExport } from './record-export.ts';
import { sendReceipt } from './repayments/send-receipt.ts';
import { sendFile } from './send-file.ts';
import { sendStatement, sendStatements } from './statements/send-statement.ts';
import { lettersOf, SHEET_ROWS_MAX, sheetRows, xlsxFile } from './xlsx.ts';

const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const satisfies Readonly<Record<ExportFormat, string>>;

/** One export of a person at a time, one more in line; of everybody as many as there are connections for them. */
const WAITING_OF_ONE_MAX = 1;
const WAITING_MAX = 20;
const BUSY_SECONDS = 5;
/** The ids of as many rows as a selection holds, and more. */
const FORM_BYTES_MAX = 64 * 1024;

const deflate = promisify(deflateRaw);

/**
 * The door /exports/v1: `GET /exports/v1/<list>.csv?<query>` and `.xlsx`, for a signed-in person. The query is the one by which
 * the REST door reads the list, so the file has what the screen shows, whole, and row level security decides the rows (EX-01).
 * A query too long for an address is sent as a form by POST: that of the rows of a selection (NV-04).
 * `GET /exports/v1/<list>.totals?<query>` gives the sums of its amounts alone, those of the workbook's last line.
 */
export default async function exportsDoor(app: FastifyInstance, services: Services): Promise<void> {
  const cache = schemaCacheOf(services);
  const refusal = () => new Failure('exports_busy', { retryAfterSeconds: BUSY_SECONDS });
  const withPersonSlot = createKeyedSemaphore({ slots: 1, waitingMax: WAITING_OF_ONE_MAX, refusal });
  const withSlot = createSemaphore({ slots: LONG_READINGS_MAX, waitingMax: WAITING_MAX, refusal });

  const inTurn = (personId: string, reply: FastifyReply, work: () => Promise<void>) =>
    withPersonSlot(personId, () =>
      // Skips requests whose client disconnected while queued.
      withSlot(async () => (reply.raw.destroyed ? undefined : work())),
    );

  app.setErrorHandler(async (error, request, reply) => {
    // The screens write the query: one that cannot be read was written by somebody else.
    const isTheirs =
      error instanceof RestError ? error.status < 500 : isDatabaseError(error) && error.code.startsWith('22');
    return sendFailure(request, reply, isTheirs ? new Failure('invalid_input') : error);
  });
  app.addHook(
    'onRequest',
    identityHook(services, {
      takesViews: true,
      refuse: async (request, reply) => sendFailure(request, reply, new Failure('session_expired')),
    }),
  );

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
    (_request, body, done) => done(null, body),
  );
  const file = async (request: FastifyRequest<{ Params: { readonly file: string } }>, reply: FastifyReply) => {
    const { identity } = callerOf(request);
    if (identity.role !== 'authenticated') throw new Failure('forbidden');
    const [, name = '', format] = /^([\w-]+)\.(\w+)$/u.exec(request.params.file) ?? [];
    if (!isExportedListName(name) || !(isExportFormat(format) || format === 'totals')) throw new Failure('not_found');
    const statement = listStatement(await cache.get(), lists[name].relation, queryOf(request));
    if (format === 'totals') return reply.send(await totalsOf(callerOf(request).db, identity, lists[name], statement));
    await inTurn(identity.claims.sub, reply, () =>
      exportList(services, { request, reply, identity, name, format, statement }),
    );
    return reply;
  };
  // HEAD would make the whole file and send nothing of it.
  app.get('/:file', { exposeHeadRoute: false }, file);
  app.post('/:file', file);

  const pdfs = createPdfThread();
  app.addHook('onClose', pdfs.close);
  definePapers(services, pdfs);
  defineArchive(services, withSlot);
  /** A file that is made for who asks; `sender` gives null where the address names none. */
  const makes = (address: string, sender: (asked: AskedFile) => (() => Promise<void>) | null): void => {
    app.get<{ Params: { readonly file: string }; Querystring: { readonly payee?: string } }>(
      `/${address}/:file`,
      { exposeHeadRoute: false },
      async (request, reply) => {
        const { identity } = callerOf(request);
        if (identity.role !== 'authenticated') throw new Failure('forbidden');
        const [, name = '', format = ''] = /^([\w-]+)\.(\w+)$/u.exec(request.params.file) ?? [];
        const send = sender({ to: { request, reply, identity }, name, format, payeeId: request.query.payee });
        if (send === null) throw new Failure('not_found');
        await inTurn(identity.claims.sub, reply, send);
        return reply;
      },
    );
  };

  // The accounting journal of a period, for the admin and the accountant (EX-02, UI-12).
  makes('accounting', ({ to, name, format }) => {
    const period = statementPeriodOf(name);
    if (period === null || (format !== 'txt' && format !== 'csv')) return null;
    return () => sendJournal(services, { ...to, period, format });
  });

  // Sums paid to each payee in a year, for the company's DAS2 (PP-04).
  makes('das2', ({ to, name, format }) => {
    if (!/^2\d{3}$/u.test(name) || format !== 'csv') return null;
    return () => sendDas2(services, { ...to, year: Number.parseInt(name, 10) });
  });

  // One's own statement of a period, or for the admin and the accountant that of `?payee=` (PP-03); « .zip » has everybody's.
  makes('statements', ({ to, name, format, payeeId = to.identity.claims.sub }) => {
    const period = statementPeriodOf(name);
    if (period === null) return null;
    if (format === 'zip') return () => sendStatements(services, { ...to, period, pdfs });
    if (format !== 'pdf' && format !== 'csv') return null;
    return () => sendStatement(services, { ...to, period, pdfs, payeeId, format });
  });

  // One paper by its id, or for the admin and the accountant all of a period (PP-02), or an example (AC-07).
  makes('papers', ({ to, name, format }) => {
    if (format === 'pdf' && isSpecimenName(name)) return () => sendSpecimen(services, { ...to, pdfs, name });
    if (format === 'pdf' && UUID.test(name)) return () => sendPaper(services, { ...to, pdfs, paperId: name });
    const period = format === 'zip' ? statementPeriodOf(name) : null;
    return period && (() => sendPapers(services, { ...to, pdfs, period }));
  });

  // Electronic invoices of a period that are still to be sent by hand, for the admin and the accountant (EI-01).
  makes('e-invoices', ({ to, name, format }) => {
    const period = format === 'zip' ? statementPeriodOf(name) : null;
    return period && (() => sendEInvoices(services, { ...to, pdfs, period }));
  });

  // The receipt of a debt that was paid back, by its act (AC-05).
  makes('repayments', ({ to, name, format }) =>
    format === 'pdf' && UUID.test(name) ? () => sendReceipt(services, { ...to, pdfs, actId: name }) : null,
  );

  // All that an accountant asks for of a period, for the admin and the accountant (UI-12).
  makes('dossier', ({ to, name, format }) => {
    const period = format === 'zip' ? statementPeriodOf(name) : null;
    if (period === null) throw new Failure('period_unknown');
    return () => sendDossier(services, { ...to, pdfs, period });
  });

  // The company's whole data, made before by a job (EX-03).
  makes('archive', ({ to, name, format }) =>
    format === 'zip' && UUID.test(name) ? () => sendArchive(services, { ...to, archiveId: name }) : null,
  );
}

function queryOf(request: FastifyRequest): string {
  if (typeof request.body === 'string') return request.body;
  const target = request.raw.url ?? '';
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

type AskedFile = {
  readonly to: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly identity: Extract<Identity, { role: 'authenticated' }>;
  };
  /** « 2026-11.pdf » in its two parts. */
  readonly name: string;
  readonly format: string;
  readonly payeeId: string | undefined;
};

type Export = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly identity: Identity;
  readonly name: ExportedListName;
  readonly format: ExportFormat;
  readonly statement: ListStatement;
};

/** Writes the file in one snapshot of the database; the trail has its entry before the first byte leaves. */
async function exportList(services: Services, wanted: Export): Promise<void> {
  const { request, reply, identity, name, format, statement } = wanted;
  const list = lists[name];
  const db = services.longReadings.withRequest({ requestId: request.id });
  await db.transactionAs(
    identity,
    async (tx) => {
      const { rowCount, batches } = await openList(tx, list, statement);
      if (format === 'xlsx' && rowCount > SHEET_ROWS_MAX) throw new Failure('export_too_long');
      const reading = batches();
      try {
        const first = await reading.next();
        const head: readonly ExportedRow[] = first.done === true ? [] : first.value;
        await recordExport(request, identity, [name, format, rowCount]);
        const length = await estimatedLength(format, list.columns, head, rowCount);
        await sendFile(reply, {
          name: `${exportedLists[name]} ${today()}.${format}`,
          type: CONTENT_TYPES[format],
          length,
          parts: fileOf(format, exportedLists[name], list.columns, withFirst(head, reading)),
        });
      } catch (error) {
        // A transaction that fails is tried again: not one whose file has begun to leave.
        if (!reply.raw.headersSent) throw error;
        request.log.warn({ err: error }, 'An export was cut');
      } finally {
        await reading.return(undefined);
      }
    },
    { readOnly: true, isSnapshot: true },
  );
}

async function* withFirst<Item>(first: Item, others: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield first;
  yield* others;
}

function fileOf(
  format: ExportFormat,
  title: string,
  columns: readonly ListColumn[],
  batches: AsyncIterable<readonly ExportedRow[]>,
): AsyncIterable<string | Buffer> {
  return format === 'xlsx' ? xlsxFile(title, columns, batches) : csvFile(columns, batches);
}

/** The size of the file if all its rows are like the first ones, for a bar that shows how far it is. */
async function estimatedLength(
  format: ExportFormat,
  columns: readonly ListColumn[],
  first: readonly ExportedRow[],
  rowCount: number,
): Promise<number> {
  if (first.length === 0) return 0;
  const letters = columns.map((_, place) => lettersOf(place));
  const length =
    format === 'csv'
      ? Buffer.byteLength(csvLines(columns, first))
      : (
          await deflate(
            sheetRows(
              columns,
              letters,
              first,
              2,
              [...columns].map(() => 0n),
            ),
            { level: 4 },
          )
        ).length;
  return Math.round((length * rowCount) / first.length);
}

/** « 2026-11-21 », the day in France. */
function today(): string {
  return dayOf(new Date());
}
