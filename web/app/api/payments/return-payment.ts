import type { PaymentReturn } from '@parrain/domain/forms/payment-decision';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** PO-02: a transfer that was paid came back from the bank; its client reads the reason. */
export async function returnPayment({ requestId, seenVersion, reason, returnedOn }: PaymentReturn): Promise<void> {
  await callFunction('payment-request', {
    body: { action: 'return', request_id: requestId, seen_version: seenVersion, reason, returned_on: returnedOn },
  });
  refresh();
}
