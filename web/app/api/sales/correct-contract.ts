import type { Commissions } from '@parrain/domain/commission';
import { toWire, type Cents } from '@parrain/domain/money';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';
import type { SaleDetail } from './sale.ts';

/** UI-11: the contract on screen gets another amount by one more entry; the server refuses it unless it computes the same commissions. */
export async function correctContract(
  { sale, corrections, contractLeft: before }: Pick<SaleDetail, 'sale' | 'corrections' | 'contractLeft'>,
  after: Cents,
  gives: Commissions,
  reason: string,
): Promise<void> {
  await callFunction('sales-management', {
    body: {
      action: 'correct_contract',
      sale_id: sale.id,
      seen_version: sale.version,
      seen_corrections: corrections.length,
      expected_contract_amount: toWire(before),
      contract_left: toWire(after),
      expected_client_commission_amount: toWire(gives.client),
      expected_commercial_commission_amount: toWire(gives.commercial),
      reason,
    },
  });
  refresh();
}
