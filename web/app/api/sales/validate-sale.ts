import type { Commissions } from '@parrain/domain/commission';
import { toWire, type Cents } from '@parrain/domain/money';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

export interface SaleValidation {
  saleId: string;
  commissionRateId: string;
  /** The version on the admin's screen, for optimistic locking: any other is refused with `sale_changed` (AD-12). */
  seenVersion: number;
  contractAmount: Cents;
  commissions: Commissions;
  /** Another version of the scale than that of the day, and why (SC-01). */
  version?: { id: string; reason: string } | undefined;
}

/** F-16, S-04: the admin validates what was seen; all or nothing. `already`: another decision had come first. */
export async function validateSale(validation: SaleValidation): Promise<{ already: boolean }> {
  const answer = await sendSaleValidation(validation);
  refresh();
  return answer;
}

/** The validation alone: the screens are read again by who has made all of theirs. */
export async function sendSaleValidation({
  saleId,
  commissionRateId,
  seenVersion,
  contractAmount,
  commissions,
  version,
}: SaleValidation): Promise<{ already: boolean }> {
  const answer = await callFunction<{ already?: boolean }>('sales-management', {
    body: {
      action: 'validate',
      sale_id: saleId,
      commission_rate_id: commissionRateId,
      seen_version: seenVersion,
      expected_contract_amount: toWire(contractAmount),
      expected_client_commission_amount: toWire(commissions.client),
      expected_commercial_commission_amount: toWire(commissions.commercial),
      ...(version === undefined ? {} : { scale_version_id: version.id, version_reason: version.reason }),
    },
  });
  return { already: answer.already === true };
}
