import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { settlementCompletionForm } from '@parrain/domain/forms/payment-decision';
import { settlementCompleted } from '@parrain/domain/payment-messages';

import { answer } from '../call.ts';
import type { FunctionResponse, UserCall } from '../call.ts';
import { onceInOneStatement } from '../once.ts';

/** DF-02: a reference that was not known when a request was paid is added to it, once; its paper stays as it was made. */
export async function completeSettlement(call: UserCall): Promise<FunctionResponse> {
  const { requestId, settlement } = parsePayload(settlementCompletionForm, call.body);
  return onceInOneStatement<{ request: unknown; already: boolean }>(
    call,
    {
      text: 'select to_json(c.request) as request, c.already from private.complete_settlement($1, $2, $3, $4) c',
      values: [
        requestId,
        settlement.reference,
        settlement.association?.name ?? null,
        settlement.association?.number ?? null,
      ],
    },
    ({ request, already }) => answer({ success: true, message: settlementCompleted, already, data: request }),
  );
}
