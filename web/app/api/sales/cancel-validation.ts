import { takenBack, type ContractChange } from '@parrain/domain/commission';
import { toWire } from '@parrain/domain/money';
import type { Sale } from '@parrain/domain/sale';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

type Seen = Pick<Sale, 'id' | 'version' | 'scale' | 'friendReferrerId' | 'clientReferrerId'>;

/**
 * S-11, LG-04: an opposite entry with a reason takes back the contract on screen, in whole or in part, and its commissions; nothing is
 * edited.
 */
export async function cancelValidation(seen: Seen, change: ContractChange, reason: string): Promise<void> {
  const taken = seen.scale === null ? { client: 0n, commercial: 0n } : takenBack(seen, change, seen.scale);
  await callFunction('sales-management', {
    body: {
      action: 'cancel_validation',
      sale_id: seen.id,
      seen_version: seen.version,
      expected_contract_amount: toWire(change.before),
      expected_client_commission_amount: toWire(taken.client),
      expected_commercial_commission_amount: toWire(taken.commercial),
      ...(change.after === 0n ? {} : { contract_left: toWire(change.after) }),
      reason,
    },
  });
  refresh();
}
