import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { approvalAnnulmentForm } from '@parrain/domain/forms/payment-decision';
import { approvalAnnulled } from '@parrain/domain/messages';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { onceInOneStatement } from '../once.ts';

/**
 * FX-10: an approved request waits for a decision again, and its client is told why. The same annulment again is the same
 * answer, and is told once.
 */
export async function annulApproval(call: UserCall): Promise<FunctionResponse> {
  const { requestId, reason, seenVersion } = parsePayload(approvalAnnulmentForm, call.body);
  return onceInOneStatement<{ request: unknown; already: boolean }>(
    call,
    {
      text: 'select to_json(a.request) as request, a.already from private.annul_approval($1, $2, $3) a',
      values: [requestId, reason, seenVersion],
    },
    ({ request, already }) => answer({ success: true, message: approvalAnnulled, already, data: request }),
  );
}
