import { accountAdjusted, adjustmentWaits } from '@parrain/domain/debt';
import { adjustmentAnnulled, disputeAnswered, disputeClosed, disputeOpened } from '@parrain/domain/dispute';
import {
  adjustmentAnnulmentForm,
  adjustmentOf,
  disputeAnswerForm,
  disputeClosingForm,
  disputeOpeningForm,
} from '@parrain/domain/forms/dispute';
import { startedAdjustmentForm } from '@parrain/domain/forms/debt';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { toWire } from '@parrain/domain/money';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { onceInOneStatement } from '../once.ts';

/** LG-06: a payee questions a line of their account; the company answers, and closes the thread, with an adjustment or without. */
export default {
  open: { callers: ['client', 'commercial'], run: open },
  answer: { callers: ['admin', 'client', 'commercial'], run: answerDispute },
  close: { callers: ['admin'], run: close },
  adjust: { callers: ['admin'], run: adjust },
  annul_adjustment: { callers: ['admin'], run: annulAdjustment },
} satisfies ProductFunction;

async function open(call: UserCall): Promise<FunctionResponse> {
  const { entry_id: entryId, message } = parsePayload(disputeOpeningForm, call.body ?? {});
  return onceInOneStatement<{ dispute: unknown }>(
    call,
    { text: 'select to_json(d) as dispute from private.open_dispute($1::bigint, $2) d', values: [entryId, message] },
    ({ dispute }) => answer({ success: true, message: disputeOpened, data: dispute }),
  );
}

async function answerDispute(call: UserCall): Promise<FunctionResponse> {
  const { dispute_id: id, message } = parsePayload(disputeAnswerForm, call.body ?? {});
  return onceInOneStatement<{ dispute: unknown }>(
    call,
    { text: 'select to_json(d) as dispute from private.answer_dispute($1, $2) d', values: [id, message] },
    ({ dispute }) => answer({ success: true, message: disputeAnswered, data: dispute }),
  );
}

async function close(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(disputeClosingForm, call.body ?? {});
  const adjustment = adjustmentOf(form);
  return onceInOneStatement<{ dispute: unknown; already: boolean }>(
    call,
    {
      text: 'select to_json(c.dispute) as dispute, c.already from private.close_dispute($1, $2, $3, $4) c',
      values: [form.dispute_id, form.message, form.seen_version, adjustment === null ? null : toWire(adjustment)],
    },
    ({ dispute, already }) => answer({ success: true, message: disputeClosed, already, data: dispute }),
  );
}

/** AC-05: an admin starts an adjustment of their own accord. */
async function adjust(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(startedAdjustmentForm, call.body ?? {});
  const amount = toWire(form.direction === 'more' ? form.amount : -form.amount);
  const seen = form.seen_available === null ? null : toWire(form.seen_available);
  return onceInOneStatement<{ dispute: { readonly closed_at: string | null }; already: boolean }>(
    call,
    {
      text: 'select to_json(s.dispute) as dispute, s.already from private.start_adjustment($1, $2, $3, $4) s',
      values: [form.payee_id, amount, form.reason, seen],
    },
    ({ dispute, already }) =>
      answer({
        success: true,
        message: dispute.closed_at === null ? adjustmentWaits : accountAdjusted,
        already,
        data: dispute,
      }),
  );
}

async function annulAdjustment(call: UserCall): Promise<FunctionResponse> {
  const { dispute_id: id, message, seen_version: version } = parsePayload(adjustmentAnnulmentForm, call.body ?? {});
  return onceInOneStatement<{ dispute: unknown; already: boolean }>(
    call,
    {
      text: 'select to_json(c.dispute) as dispute, c.already from private.annul_adjustment($1, $2, $3) c',
      values: [id, message, version],
    },
    ({ dispute, already }) => answer({ success: true, message: adjustmentAnnulled, already, data: dispute }),
  );
}
