import type { BatchRelease, LineOutcome } from '@parrain/domain/forms/payment-batch';
import { fromWire, toWire, type Cents } from '@parrain/domain/money';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';
import type { Transfer } from './batches.ts';

/** PO-01, PO-05: gathers approved transfers and months of commercials as they were seen. Gives the batch's id. */
export async function makeBatch(transfers: readonly Transfer[], total: Cents): Promise<string> {
  const { data } = await callFunction<{ data: { id: string } }>('payment-batch', {
    body: {
      action: 'make',
      request_ids: transfers.filter(({ month }) => month === null).map(({ id }) => id),
      months: transfers.flatMap(({ month, clientId, amount }) =>
        month === null ? [] : [{ payee_id: clientId, month, amount: toWire(amount) }],
      ),
      expected_total: toWire(total),
    },
  });
  refresh();
  return data.id;
}

/** Takes lines out of a draft; null is all, and the draft is gone. */
export async function leaveBatch(batchId: string, requestIds: readonly string[] | null): Promise<void> {
  await callFunction('payment-batch', { body: { action: 'leave', batch_id: batchId, request_ids: requestIds } });
  refresh();
}

/** PO-01: makes the bank's file, for good. */
export async function releaseBatch({ batchId, seenVersion, total, executionOn, format }: BatchRelease): Promise<void> {
  await callFunction('payment-batch', {
    body: {
      action: 'release',
      batch_id: batchId,
      seen_version: seenVersion,
      expected_total: toWire(total),
      execution_on: executionOn,
      format,
    },
  });
  refresh();
}

/** PO-01: the bank's file, the same bytes each time; the download is in the journal. */
export async function batchFile(batchId: string): Promise<File> {
  const { data } = await callFunction<{ data: { name: string; content: string } }>('payment-batch', {
    body: { action: 'file', batch_id: batchId },
  });
  return new File([data.content], data.name, { type: 'application/xml' });
}

export async function sendBatch(batchId: string, seenVersion: number): Promise<void> {
  await callFunction('payment-batch', { body: { action: 'send', batch_id: batchId, seen_version: seenVersion } });
  refresh();
}

/** PO-02: what became of lines; null is « all that wait are paid ». `paidOn` is the day of those that have none of their own (AC-01). */
export async function settleBatch(
  batchId: string,
  outcomes: readonly LineOutcome[] | null,
  paidOn: string | null = null,
): Promise<void> {
  await callFunction('payment-batch', {
    body: {
      action: 'settle',
      batch_id: batchId,
      outcomes: outcomes?.map(({ requestId, ...told }) => ({ request_id: requestId, ...told })) ?? null,
      paid_on: paidOn,
    },
  });
  refresh();
}

/** A line of a bank's file, with where it stands now. */
export interface ReportedLine extends LineOutcome {
  batchId: string;
  batchNumber: number;
  executionOn: string | null;
  clientName: string;
  amount: Cents;
  stands: string;
}

/** Remark of a bank's file on a transfer that it leaves as it is. */
export interface BankRemark {
  id: string;
  clientName: string;
  text: string;
}

/** PO-02, AC-09: what a bank's file would change of all batches that it names; nothing is changed yet. */
export async function readBankFile(
  file: File,
): Promise<{ lines: readonly ReportedLine[]; remarks: readonly BankRemark[]; unknown: number }> {
  const body = new FormData();
  body.set('file', file);
  const { data } = await callFunction<{
    data: { lines: readonly LineRow[]; remarks: readonly RemarkRow[]; unknown: number };
  }>('payment-batch', {
    query: { action: 'report' },
    body,
  });
  return {
    unknown: data.unknown,
    remarks: data.remarks.map(({ id, client_name, text }) => ({ id, clientName: client_name, text })),
    lines: data.lines.map((line) => ({
      requestId: line.request_id,
      batchId: line.batch_id,
      batchNumber: line.batch_number,
      executionOn: line.execution_on,
      clientName: line.client_name,
      amount: fromWire(line.amount),
      status: line.status,
      code: line.code,
      reason: line.reason,
      day: line.day,
      stands: line.stands,
    })),
  };
}

interface RemarkRow {
  id: string;
  client_name: string;
  text: string;
}

interface LineRow {
  request_id: string;
  batch_id: string;
  batch_number: number;
  execution_on: string | null;
  client_name: string;
  amount: string;
  status: LineOutcome['status'];
  code: string | null;
  reason: string | null;
  day: string | null;
  stands: string;
}
