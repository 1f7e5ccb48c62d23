import type { Settlement } from '@parrain/domain/forms/payment-decision';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** DF-02: adds to a paid request what was not known when it was paid. */
export async function completeSettlement(requestId: string, settlement: Settlement): Promise<void> {
  await callFunction('payment-request', {
    body: {
      action: 'complete_settlement',
      request_id: requestId,
      settlement_reference: settlement.reference,
      association_name: settlement.association?.name ?? null,
      association_number: settlement.association?.number ?? null,
    },
  });
  refresh();
}
