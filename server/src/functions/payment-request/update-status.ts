import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { paymentDecisionForm } from '@parrain/domain/forms/payment-decision';
import type { PaymentDecision } from '@parrain/domain/forms/payment-decision';
import { requestApproved, requestPaid, requestRejected } from '@parrain/domain/messages';
import { toWire } from '@parrain/domain/money';

import { answer } from '../call.ts';
import type { ActorCall, FunctionResponse } from '../call.ts';
import { onceInOneStatement } from '../once.ts';

/** F-08, S-09, V-05: approved, refused with a reason, or marked paid, as it was seen where that is said (DF-01); the same decision again is the same answer. */
export async function updateRequestStatus(call: ActorCall): Promise<FunctionResponse> {
  const decision = parsePayload(paymentDecisionForm, call.body);
  const settlement = decision.status === 'paid' ? decision.settlement : null;
  return onceInOneStatement<{ request: unknown; already: boolean }>(
    call,
    {
      text: `select to_json(d.request) as request, d.already
        from private.decide_payment_request($1, $2, $3, $4, $5, $6::numeric, $7, $8, $9, $10) d`,
      values: [
        decision.requestId,
        decision.status,
        decision.adminNotes,
        decision.status === 'rejected' ? decision.rejectionReason : null,
        decision.seenVersion,
        decision.status === 'rejected' || decision.expectedAmount === null ? null : toWire(decision.expectedAmount),
        settlement?.reference ?? null,
        settlement?.association?.name ?? null,
        settlement?.association?.number ?? null,
        decision.status === 'paid' ? (decision.paidOn ?? null) : null,
      ],
    },
    ({ request, already }) => answer({ success: true, message: messages[decision.status], already, data: request }),
  );
}

const messages: Readonly<Record<PaymentDecision['status'], string>> = {
  approved: requestApproved,
  paid: requestPaid,
  rejected: requestRejected,
};
