import { Failure } from '@parrain/domain/failure';
import { id } from '@parrain/domain/forms/fields';
import { fromWire, sum, toWire } from '@parrain/domain/money';
import { idOfReference } from '@parrain/domain/sepa';

import { uploadedFile } from '#storage';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { readBankReport } from './bank-report.ts';
import type { ReportLine } from './bank-report.ts';

type BatchLine = {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly client_name: string;
};

const wasPaid: ReadonlySet<string> = new Set(['paid', 'returned']);

/**
 * PO-02: what a bank's file would change of a batch; nothing is changed. The admin reads it, then settles. A line is matched by its
 * reference and, where the file has it, its amount; whatever else stands in the file is counted as unknown.
 */
export async function readReport(call: UserCall): Promise<FunctionResponse> {
  if (!call.request.isMultipart()) throw new Failure('invalid_input');
  const { file, fields } = await uploadedFile(call.request, 'file').catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'logo_too_large' ? new Failure('import_file_too_large') : error;
  });
  const batchId = id('', {}).parse(fields.get('batch_id') ?? '');
  await call.db.queryAs(call.identity, { text: 'select private.count_file_read()', values: [] });
  const report = await readBankReport(file, call.userId);
  if (report === null) throw new Failure('bank_file_unknown');
  const { rows } = await call.db.queryAs<BatchLine>(
    call.identity,
    {
      text: 'select id, status, amount, client_name from public.batch_lines where batch_id = $1 order by id',
      values: [batchId],
    },
    { readOnly: true },
  );
  if (rows.length === 0) throw new Failure('batch_not_found');
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const total = sum(rows.map((row) => fromWire(row.amount)));
  const lineOf = new Map<string, ReportLine>();
  let unknown = 0;
  for (const line of report) {
    const named = idOfReference(line.reference);
    if (line.isWholeBatch && named === batchId && (line.amount === null || line.amount === total)) {
      for (const row of rows) if (!lineOf.has(row.id)) lineOf.set(row.id, line);
      continue;
    }
    const row = rowOf.get(named ?? '');
    if (row === undefined || (line.amount !== null && line.amount !== fromWire(row.amount))) unknown += 1;
    // A rejection outweighs the debit that came before it.
    else if (lineOf.get(row.id)?.status !== 'rejected') lineOf.set(row.id, line);
  }
  const lines = rows.flatMap((row) => {
    const line = lineOf.get(row.id);
    return line === undefined
      ? []
      : [
          {
            request_id: row.id,
            client_name: row.client_name,
            amount: toWire(fromWire(row.amount)),
            // A transfer rejected after it was paid is a return.
            status: line.status === 'rejected' && wasPaid.has(row.status) ? 'returned' : line.status,
            code: line.code,
            reason: line.reason,
            stands: row.status,
          },
        ];
  });
  return answer({ success: true, data: { lines, unknown } });
}
