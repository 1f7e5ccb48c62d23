import {
  batchForm,
  batchLeavingForm,
  batchSendingForm,
  batchSettlementForm,
  monthPaymentForm,
} from '@parrain/domain/forms/payment-batch';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { toWire } from '@parrain/domain/money';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { once, onceInOneStatement } from '../once.ts';
import { batchFile } from './file.ts';
import { releaseBatch } from './release.ts';
import { readReport } from './report.ts';

/** PO-01, PO-02: approved transfers on their way to the bank, and what became of them. PO-05: months of commercials. */
export default {
  make: { callers: ['admin'], run: makeBatch },
  leave: { callers: ['admin'], run: leaveBatch },
  release: { callers: ['admin'], run: releaseBatch },
  file: { callers: ['admin'], run: batchFile },
  send: { callers: ['admin'], run: sendBatch },
  report: { callers: ['admin'], run: readReport },
  settle: { callers: ['admin'], run: settleBatch },
  pay_month: { callers: ['admin'], run: payMonth },
} satisfies ProductFunction;

/** A thousand lines are two seconds of work; thousands on a busy machine must not be cut off for ever. */
const SETTLEMENT_TIMEOUT_MS = 60_000;

async function makeBatch(call: UserCall): Promise<FunctionResponse> {
  const { requestIds, months, total } = parsePayload(batchForm, call.body);
  const monthRows = months.map(({ payeeId, month, amount }) => ({ payee_id: payeeId, month, amount: toWire(amount) }));
  const { rows } = await call.db.queryAs<{ id: string }>(call.identity, {
    text: 'select private.make_batch($1, $2::numeric, $3::jsonb) as id',
    values: [requestIds, toWire(total), JSON.stringify(monthRows)],
  });
  return answer({ success: true, data: rows[0] });
}

async function leaveBatch(call: UserCall): Promise<FunctionResponse> {
  const { batchId, requestIds } = parsePayload(batchLeavingForm, call.body);
  await call.db.queryAs(call.identity, {
    text: 'select private.leave_batch($1, $2)',
    values: [batchId, requestIds],
  });
  return answer({ success: true });
}

async function sendBatch(call: UserCall): Promise<FunctionResponse> {
  const { batchId, seenVersion } = parsePayload(batchSendingForm, call.body);
  await call.db.queryAs(call.identity, { text: 'select private.send_batch($1, $2)', values: [batchId, seenVersion] });
  return answer({ success: true });
}

/** PO-02: lines paid, rejected or returned, all of them or none. Said again it changes nothing. */
async function settleBatch(call: UserCall): Promise<FunctionResponse> {
  const { batchId, outcomes, paidOn } = parsePayload(batchSettlementForm, call.body);
  const outcomeRows = outcomes?.map(({ requestId, ...outcome }) => ({ request_id: requestId, ...outcome })) ?? null;
  return once(
    call,
    async (tx) => {
      const { rows } = await tx.query<{ paid: number; rejected: number; returned: number; already: number }>(
        'select paid, rejected, returned, already from private.settle_batch($1, $2::jsonb, $3)',
        [batchId, outcomeRows === null ? null : JSON.stringify(outcomeRows), paidOn],
      );
      return answer({ success: true, data: rows[0] });
    },
    { statementTimeoutMs: SETTLEMENT_TIMEOUT_MS },
  );
}

/** PO-05: a month is paid to some commercials, to all of them or to none. Said again it changes nothing. */
async function payMonth(call: UserCall): Promise<FunctionResponse> {
  const { month, lines, paidOn } = parsePayload(monthPaymentForm, call.body);
  const lineRows = lines.map(({ payeeId, amount, vatAmount }) => ({
    payee_id: payeeId,
    amount: toWire(amount),
    vat_amount: vatAmount && toWire(vatAmount),
  }));
  return onceInOneStatement<{ paid: number; already: number }>(
    call,
    {
      text: 'select paid, already from private.pay_periods($1, $2::jsonb, $3)',
      values: [month, JSON.stringify(lineRows), paidOn],
    },
    (data) => answer({ success: true, data }),
  );
}
