import {
  debtActAnnulled,
  debtWaived,
  repaymentRecorded,
  waiverConfirmed,
  waiverGivenUp,
  waiverWaits,
} from '@parrain/domain/debt';
import { debtActAnnulmentForm, repaymentForm, waiverDecisionForm, waiverForm } from '@parrain/domain/forms/debt';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { toWire } from '@parrain/domain/money';

import type { Query } from '#platform/database';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { onceInOneStatement } from '../once.ts';

/** AC-05: what a payee owes is repaid, or waived with a reason; above the company's amount another admin confirms a waiver. */
export default {
  repay: { callers: ['admin'], run: repay },
  waive: { callers: ['admin'], run: waive },
  confirm_waiver: { callers: ['admin'], run: (call: UserCall) => decideWaiver(call, true) },
  give_up_waiver: { callers: ['admin'], run: (call: UserCall) => decideWaiver(call, false) },
  annul: { callers: ['admin'], run: annul },
} satisfies ProductFunction;

async function repay(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(repaymentForm, call.body ?? {});
  const seen = form.seen_debt === null ? null : toWire(form.seen_debt);
  return decide(call, () => repaymentRecorded, {
    text: `select to_json(s.act) as act, s.already from private.settle_debt($1, 'repayment', $2, $3, $4, $5, $6) s`,
    values: [form.payee_id, toWire(form.amount), seen, form.paid_on, form.method, form.reference],
  });
}

async function waive(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(waiverForm, call.body ?? {});
  const seen = form.seen_debt === null ? null : toWire(form.seen_debt);
  return decide(call, ({ at }) => (at === null ? waiverWaits : debtWaived), {
    text: `select to_json(s.act) as act, s.already from private.settle_debt($1, 'waiver', $2, $3, p_reason => $4) s`,
    values: [form.payee_id, toWire(form.amount), seen, form.reason],
  });
}

async function decideWaiver(call: UserCall, confirms: boolean): Promise<FunctionResponse> {
  const { act_id: id } = parsePayload(waiverDecisionForm, call.body ?? {});
  return decide(call, () => (confirms ? waiverConfirmed : waiverGivenUp), {
    text: 'select to_json(s.act) as act, s.already from private.decide_waiver($1, $2) s',
    values: [id, confirms],
  });
}

async function annul(call: UserCall): Promise<FunctionResponse> {
  const { act_id: id, reason } = parsePayload(debtActAnnulmentForm, call.body ?? {});
  return decide(call, () => debtActAnnulled, {
    text: 'select to_json(s.act) as act, s.already from private.annul_debt_act($1, $2) s',
    values: [id, reason],
  });
}

type Act = { readonly at: string | null };

async function decide(call: UserCall, messageOf: (act: Act) => string, query: Query): Promise<FunctionResponse> {
  return onceInOneStatement<{ act: Act; already: boolean }>(call, query, ({ act, already }) =>
    answer({ success: true, message: messageOf(act), already, data: act }),
  );
}
