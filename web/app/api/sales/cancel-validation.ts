import type { Commissions } from '@parrain/domain/commission';
import { sum, toWire } from '@parrain/domain/money';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';
import type { SaleDetail } from './sale.ts';

type Seen = Pick<SaleDetail, 'sale' | 'corrections' | 'contractLeft'>;

/** Both commissions as the corrections of a contract have left them: what taking it back takes (LG-04). */
export function commissionsLeft({ sale, corrections }: Pick<Seen, 'sale' | 'corrections'>): Commissions {
  return {
    client: (sale.clientCommissionAmount ?? 0n) + sum(corrections.map(({ client }) => client)),
    commercial: (sale.commercialCommissionAmount ?? 0n) + sum(corrections.map(({ commercial }) => commercial)),
  };
}

/**
 * S-11: an opposite entry with a reason takes back what is left of the contract on screen, and its commissions; nothing is edited. One in
 * part is a correction (UI-11).
 */
export async function cancelValidation(seen: Seen, reason: string): Promise<void> {
  const taken = commissionsLeft(seen);
  await callFunction('sales-management', {
    body: {
      action: 'cancel_validation',
      sale_id: seen.sale.id,
      seen_version: seen.sale.version,
      expected_contract_amount: toWire(seen.contractLeft),
      expected_client_commission_amount: toWire(taken.client),
      expected_commercial_commission_amount: toWire(taken.commercial),
      reason,
    },
  });
  refresh();
}
