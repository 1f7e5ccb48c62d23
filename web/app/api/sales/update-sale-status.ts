import { toWire } from '@parrain/domain/money';
import { saleStatusUpdated } from '@parrain/domain/messages';
import { saleChoiceToWire } from '@parrain/domain/sale';
import type { SaleStatusUpdate } from '@parrain/domain/forms/sale-status';
import { callFunction } from '../transport/call-function.ts';

/** F-12: the commercial moves a referral. Gives the server's sentence. */
export async function updateSaleStatus(update: SaleStatusUpdate): Promise<string> {
  const answer = await callFunction<{ message?: string }>('sales-management', {
    body: {
      action: 'update_status',
      sale_id: update.saleId,
      status: saleChoiceToWire(update.choice),
      // Empty takes back what was there.
      contract_amount: update.contractAmount === null ? null : toWire(update.contractAmount),
      contract_description: update.contractDescription,
      commercial_notes: update.commercialNotes,
    },
  });
  return answer.message ?? saleStatusUpdated;
}
