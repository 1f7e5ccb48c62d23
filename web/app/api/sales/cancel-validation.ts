import { toWire } from '@parrain/domain/money';
import type { Sale } from '@parrain/domain/sale';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

type Seen = Pick<Sale, 'id' | 'version' | 'clientCommissionAmount' | 'commercialCommissionAmount'>;

/** S-11: an opposite entry with a reason takes back the sale on screen and its commissions; nothing is edited. */
export async function cancelValidation(seen: Seen, reason: string): Promise<void> {
  await callFunction('sales-management', {
    body: {
      action: 'cancel_validation',
      sale_id: seen.id,
      seen_version: seen.version,
      expected_client_commission_amount: toWire(seen.clientCommissionAmount ?? 0n),
      expected_commercial_commission_amount: toWire(seen.commercialCommissionAmount ?? 0n),
      reason,
    },
  });
  refresh();
}
