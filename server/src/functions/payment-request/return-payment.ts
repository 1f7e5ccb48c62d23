import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { paymentReturnForm } from '@parrain/domain/forms/payment-decision';
import { paymentReturned } from '@parrain/domain/payment-messages';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { onceInOneStatement } from '../once.ts';

/**
 * PO-02: a transfer that was paid, alone or in a batch, comes back from the bank: its amount is available again, and the client is
 * told why. The same again is the same answer, and is told once.
 */
export async function returnPayment(call: UserCall): Promise<FunctionResponse> {
  const { requestId, reason, seenVersion, returnedOn } = parsePayload(paymentReturnForm, call.body);
  return onceInOneStatement<{ request: unknown; already: boolean }>(
    call,
    {
      text: 'select to_json(a.request) as request, a.already from private.return_payment($1, $2, $3, $4) a',
      values: [requestId, reason, seenVersion, returnedOn],
    },
    ({ request, already }) => answer({ success: true, message: paymentReturned, already, data: request }),
  );
}
