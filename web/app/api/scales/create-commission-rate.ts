import { commissionScalePayload, type CommissionScaleInput } from '@parrain/domain/forms/commission-scale';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** F-07, S-12: a new scale; with `replacesId`, a new version of that one, which is archived in the same breath. `isFirst` makes none where there is one (UI-07). */
export async function createCommissionRate(
  input: CommissionScaleInput,
  { replacesId, isFirst }: { replacesId: string | null; isFirst: boolean },
): Promise<void> {
  await callFunction('commission-management', {
    query: { action: 'create_commission_rate' },
    body: {
      ...commissionScalePayload(input),
      ...(replacesId === null ? {} : { replaces_id: replacesId }),
      ...(isFirst ? { is_first: true } : {}),
    },
  });
  refresh();
}
