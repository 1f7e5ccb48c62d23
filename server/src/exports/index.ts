import { exportedLists, isExportedListName, isExportFormat } from '@parrain/domain/exports';
import type { ExportedListName, ExportFormat } from '@parrain/domain/exports';
import { Failure } from '@parrain/domain/failure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { setImmediate as nextRound } from 'node:timers/promises';
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

import { csvHead, csvLines } from './csv.ts';
import type { ExportedRow } from './csv.ts';
import { lists } from './lists.ts';
import type { ListColumn } from './lists.ts';
import { totalsOf } from './totals.ts';
import { openList, PATIENCE_MS } from './read-list.ts';
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
/** However slowly it is read, a file has left by then: it holds a snapshot of the database. */
const DURATION_MS_MAX = 15 * 60_000;

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

  app.setErrorHandler(async (error, request, reply) => {
    // The screens write the query: one that cannot be read was written by somebody else.
    const isTheirs =
      error instanceof RestError ? error.status < 500 : isDatabaseError(error) && error.code.startsWith('22');
    return sendFailure(request, reply, isTheirs ? new Failure('invalid_input') : error);
  });
  app.addHook(
    'onRequest',
    identityHook(services, {
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
    await withPersonSlot(identity.claims.sub, () =>
      withSlot(async () => {
        // Whoever gave up in line takes no turn.
        if (reply.raw.destroyed) return;
        await exportList(services, { request, reply, identity, name, format, statement });
      }),
    );
    return reply;
  };
  // HEAD would make the whole file and send nothing of it.
  app.get('/:file', { exposeHeadRoute: false }, file);
  app.post('/:file', file);
}

function queryOf(request: FastifyRequest): string {
  if (typeof request.body === 'string') return request.body;
  const target = request.raw.url ?? '';
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

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
        await callerOf(request).db.queryAs(identity, {
          text: 'select private.record_export($1, $2, $3)',
          values: [name, format, rowCount],
        });
        const length = await estimatedLength(format, list.columns, head, rowCount);
        await send(wanted, length, fileOf(format, exportedLists[name], list.columns, withFirst(head, reading)));
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

async function* csvFile(
  columns: readonly ListColumn[],
  batches: AsyncIterable<readonly ExportedRow[]>,
): AsyncGenerator<string> {
  yield csvHead(columns);
  for await (const rows of batches) yield csvLines(columns, rows);
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

/**
 * Sends a file as fast as it is read. Whatever fails, the connection is reset instead of ended: a file that was cut is never
 * taken for a whole one, not even by a proxy that speaks HTTP/1.0.
 */
async function send(
  { reply, name, format }: Export,
  length: number,
  file: AsyncIterable<string | Buffer>,
): Promise<void> {
  const { raw } = reply;
  if (raw.destroyed) return;
  const cut = new AbortController();
  const cutFor = (reason: string) => (): void => cut.abort(new Error(reason));
  const leave = cutFor('The caller left');
  raw.once('close', leave);
  const deadline = setTimeout(cutFor('The file took too long'), DURATION_MS_MAX);
  reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': CONTENT_TYPES[format],
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(`${exportedLists[name]} ${today()}.${format}`)}`,
    'cache-control': 'no-store',
    'x-estimated-length': String(length),
  });
  try {
    for await (const part of file) {
      cut.signal.throwIfAborted();
      if (!raw.write(part)) {
        const patience = setTimeout(cutFor('The caller reads too slowly'), PATIENCE_MS);
        await once(raw, 'drain', { signal: cut.signal }).finally(() => clearTimeout(patience));
      }
      // Other people's requests come between two parts.
      await nextRound();
    }
    raw.off('close', leave);
    raw.end();
  } catch (error) {
    raw.socket?.resetAndDestroy();
    raw.destroy();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

const dayInFrance = new Intl.DateTimeFormat('fr-CA', { timeZone: 'Europe/Paris' });

/** « 2026-11-21 », the day in France. */
function today(): string {
  return dayInFrance.format(new Date());
}
