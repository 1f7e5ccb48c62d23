import { Failure } from '@parrain/domain/failure';
import { id } from '@parrain/domain/forms/fields';
import { formatEuros, fromWire, sum, toWire } from '@parrain/domain/money';
import { idOfReference } from '@parrain/domain/sepa';

import { uploadedFile } from '#storage';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { FOREIGN, readBankReport } from './bank-report.ts';
import type { ReportLine } from './bank-report.ts';

type BatchLine = {
  readonly id: string;
  readonly batch_id: string;
  readonly batch_number: number;
  readonly execution_on: string | null;
  readonly status: string;
  readonly amount: string;
  readonly client_name: string;
};

const wasPaid: ReadonlySet<string> = new Set(['paid', 'returned']);

/**
 * PO-02, AC-09: what a bank's file would change of one batch, or without `batch_id` of every batch that it names; nothing is changed. The
 * admin reads it, then settles. A debit is matched by its reference and, where the file has it, its amount; a return by its reference
 * alone, for a bank may keep a fee of it. What names a line of ours and changes nothing is told in `remarks`; whatever else stands in the
 * file is counted as unknown.
 */
export async function readReport(call: UserCall): Promise<FunctionResponse> {
  if (!call.request.isMultipart()) throw new Failure('invalid_input');
  const { file, fields } = await uploadedFile(call.request, 'file').catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'logo_too_large' ? new Failure('import_file_too_large') : error;
  });
  const named = fields.get('batch_id');
  const batchId = named === undefined ? null : id('', {}).parse(named);
  await call.db.queryAs(call.identity, { text: 'select private.count_file_read()', values: [] });
  const report = await readBankReport(file, call.userId);
  if (report === null) throw new Failure('bank_file_unknown');
  const rows = await (batchId === null ? linesNamedIn(report, call) : linesOf([batchId], call));
  if (batchId !== null && rows.length === 0) throw new Failure('batch_not_found');
  const { lineOf, remarks, unknown } = matched(report, rows);
  const lines = rows.flatMap((row) => {
    const line = lineOf.get(row.id);
    return line === undefined
      ? []
      : [
          {
            request_id: row.id,
            batch_id: row.batch_id,
            batch_number: row.batch_number,
            execution_on: row.execution_on,
            client_name: row.client_name,
            amount: toWire(fromWire(row.amount)),
            // A transfer rejected after it was paid is a return.
            status: line.status === 'rejected' && wasPaid.has(row.status) ? 'returned' : line.status,
            code: line.code,
            reason: line.reason,
            day: line.day,
            stands: row.status,
          },
        ];
  });
  return answer({ success: true, data: { lines, remarks, unknown } });
}

/** The lines of all batches at the bank that a file names, by themselves or by one of their lines. */
async function linesNamedIn(report: readonly ReportLine[], call: UserCall): Promise<readonly BatchLine[]> {
  const named = [...new Set(report.flatMap(({ reference }) => idOfReference(reference) ?? []))];
  const { rows } = await call.db.queryAs<{ id: string }>(
    call.identity,
    {
      text: `select id from public.payment_batches where status <> 'draft' and (id = any ($1::uuid[])
        or id in (select batch_id from public.batch_lines where id = any ($1::uuid[])))`,
      values: [named],
    },
    { readOnly: true },
  );
  return linesOf(
    rows.map((batch) => batch.id),
    call,
  );
}

async function linesOf(batchIds: readonly string[], call: UserCall): Promise<readonly BatchLine[]> {
  const { rows } = await call.db.queryAs<BatchLine>(
    call.identity,
    {
      text: `select l.id, l.batch_id, b.number as batch_number, b.execution_on::text, l.status, l.amount, l.client_name
        from public.batch_lines l join public.payment_batches b on b.id = l.batch_id where l.batch_id = any ($1::uuid[])
        order by b.number, l.id`,
      values: [batchIds],
    },
    { readOnly: true },
  );
  return rows;
}

/** Sentence on a line of a batch, or on the batch itself, by its id. */
type Remark = { readonly id: string; readonly client_name: string; readonly text: string };

type Matched = {
  readonly lineOf: ReadonlyMap<string, ReportLine>;
  readonly remarks: readonly Remark[];
  readonly unknown: number;
};

function matched(report: readonly ReportLine[], rows: readonly BatchLine[]): Matched {
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const lineOf = new Map<string, ReportLine>();
  // Each once, however many documents of the file say it.
  const remarks = new Map<string, Remark>();
  const remark = (told: Remark) => remarks.set(`${told.id} ${told.text}`, told);
  let unknown = 0;
  for (const line of report.filter(({ isWholeBatch }) => !isWholeBatch)) {
    const row = rowOf.get(idOfReference(line.reference) ?? '');
    if (row === undefined) unknown += 1;
    else {
      const otherwise = remarkOf(line, fromWire(row.amount));
      if (otherwise !== null) remark({ id: row.id, client_name: row.client_name, text: otherwise });
      // A rejection outweighs the debit that came before it.
      else if (lineOf.get(row.id)?.status !== 'rejected') lineOf.set(row.id, line);
    }
  }
  const isRejected = (row: BatchLine) => row.status === 'rejected' || lineOf.get(row.id)?.status === 'rejected';
  const sumOf = (batch: readonly BatchLine[]) => sum(batch.map((row) => fromWire(row.amount)));
  // Banks book a batch for its total, or for what is left of it without the rejected lines.
  const batches = new Map(
    [...Map.groupBy(rows, (row) => row.batch_id)].map(([id_, batch]) => [
      id_,
      { batch, total: sumOf(batch), left: sumOf(batch.filter((row) => !isRejected(row))) },
    ]),
  );
  for (const line of report.filter(({ isWholeBatch }) => isWholeBatch)) {
    const batchId = idOfReference(line.reference) ?? '';
    const named = batches.get(batchId);
    if (named === undefined) {
      unknown += 1;
      continue;
    }
    const { batch, total, left } = named;
    const otherwise = line.amount === left ? null : remarkOf(line, total);
    // The reason why all of it was refused is told here, and to no payee.
    const text = otherwise ?? (line.status === 'rejected' ? line.reason : null);
    if (text !== null) remark({ id: batchId, client_name: `Virement n° ${batch[0]?.batch_number} entier`, text });
    if (otherwise !== null) continue;
    const told = line.status === 'rejected' ? refusedWhole(line) : line;
    for (const row of batch)
      if (!lineOf.has(row.id) && (line.status !== 'paid' || !isRejected(row))) lineOf.set(row.id, told);
  }
  return { lineOf, remarks: [...remarks.values()], unknown };
}

/** Refusal of a whole batch is of the company's account, or of the file: no payee's, whose account it would close (decision 0094). */
function refusedWhole(line: ReportLine): ReportLine {
  return { ...line, code: null, reason: 'Virement rejeté par la banque avec tous ceux de son fichier.' };
}

/** The sentence of a line that changes nothing: what the bank says meanwhile, or a debit of another sum; null where it ends the transfer. */
function remarkOf({ status, reason, amount, isWholeBatch }: ReportLine, due: bigint): string | null {
  if (status === 'said') return reason;
  if (amount === null || amount === due) return null;
  if (amount === FOREIGN)
    return 'Le fichier le donne dans une autre monnaie que l’euro : demandez à votre banque ce qu’il en est.';
  // A bank may keep a fee of a transfer that it returns; a part of a batch is nobody's.
  if (status === 'rejected' && !isWholeBatch) return null;
  return `Le fichier dit ${formatEuros(amount)} au lieu de ${formatEuros(due)} : demandez à votre banque ce qu’il en est.`;
}
