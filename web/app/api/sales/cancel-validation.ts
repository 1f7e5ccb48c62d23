import { takenBack } from '@parrain/domain/commission';
import { toWire, type Cents } from '@parrain/domain/money';
import type { Sale } from '@parrain/domain/sale';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

type Seen = Pick<Sale, 'id' | 'version' | 'scale' | 'friendReferrerId' | 'clientReferrerId'>;

/**
 * S-11: an opposite entry with a reason takes back what is left of the contract on screen, and its commissions; nothing is edited. One in
 * part is a correction (UI-11).
 */
export async function cancelValidation(seen: Seen, left: Cents, reason: string): Promise<void> {
  const taken =
    seen.scale === null ? { client: 0n, commercial: 0n } : takenBack(seen, { before: left, after: 0n }, seen.scale);
  await callFunction('sales-management', {
    body: {
      action: 'cancel_validation',
      sale_id: seen.id,
      seen_version: seen.version,
      expected_contract_amount: toWire(left),
      expected_client_commission_amount: toWire(taken.client),
      expected_commercial_commission_amount: toWire(taken.commercial),
      reason,
    },
  });
  refresh();
}
