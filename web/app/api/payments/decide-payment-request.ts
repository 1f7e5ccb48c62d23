import type { PaymentDecision } from '@parrain/domain/forms/payment-decision';
import { toWire } from '@parrain/domain/money';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** F-08, S-09: the admin approves, refuses with a reason, or marks paid what is on screen; anything else is refused (FX-11). */
export async function decidePaymentRequest(decision: PaymentDecision): Promise<void> {
  await sendPaymentDecision(decision);
  refresh();
}

/** The decision alone: the screens are read again by who has made all of theirs. */
export async function sendPaymentDecision(decision: PaymentDecision): Promise<void> {
  await callFunction('payment-request', {
    query: { action: 'update_status' },
    body: {
      request_id: decision.requestId,
      status: decision.status,
      seen_version: decision.seenVersion,
      admin_notes: decision.adminNotes,
      ...(decision.status === 'rejected'
        ? { rejection_reason: decision.rejectionReason }
        : {
            expected_amount: decision.expectedAmount === null ? null : toWire(decision.expectedAmount),
            settlement_reference: decision.settlement?.reference ?? null,
            association_name: decision.settlement?.association?.name ?? null,
            association_number: decision.settlement?.association?.number ?? null,
            paid_on: decision.paidOn ?? null,
          }),
    },
  });
}
