import type { ExportedListName, ExportedPaperName, ExportFormat, PaperFormat } from '@parrain/domain/exports';
import type { FastifyRequest } from 'fastify';

import type { Identity } from '#platform/database';
import { callerOf } from '#platform/identity';

/** The trail's entry of an export, in a transaction of its own: it stands before the first byte leaves, whatever comes after. */
export async function recordExport(
  request: FastifyRequest,
  identity: Identity,
  [name, format, rows, period]: readonly [
    ExportedListName | ExportedPaperName,
    ExportFormat | PaperFormat,
    rows: number,
    /** Year, quarter or month, as addresses name it. */
    period?: string,
  ],
): Promise<void> {
  await callerOf(request).db.queryAs(identity, {
    text: 'select private.record_export($1, $2, $3, $4)',
    values: [name, format, rows, period ?? null],
  });
}
