import { commissionScalePayload, type CommissionScaleInput } from '@parrain/domain/forms/commission-scale';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** F-07: a new scale. `isFirst` makes none where there is one (UI-07). */
export async function createCommissionRate(
  input: CommissionScaleInput,
  { isFirst }: { isFirst: boolean },
): Promise<void> {
  await callFunction('commission-management', {
    query: { action: 'create_commission_rate' },
    body: {
      ...commissionScalePayload(input),
      ...(isFirst ? { is_first: true } : {}),
    },
  });
  refresh();
}
