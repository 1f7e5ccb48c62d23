import { commissionScalePayload, type CommissionScaleInput } from '@parrain/domain/forms/commission-scale';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** F-07, S-12: a new scale; with `replacesId`, a new version of that one, which is archived in the same breath. */
export async function createCommissionRate(input: CommissionScaleInput, replacesId: string | null): Promise<void> {
  await callFunction('commission-management', {
    query: { action: 'create_commission_rate' },
    body: { ...commissionScalePayload(input), ...(replacesId === null ? {} : { replaces_id: replacesId }) },
  });
  refresh();
}
