import { commissionScalePayload, type CommissionScaleInput } from '@parrain/domain/forms/commission-scale';
import type { ScaleVersionTarget } from '@parrain/domain/forms/scale-version';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** SC-01: a new version of a scale, from now on or from a day to come; what is validated already keeps its own. */
export async function publishScaleVersion(
  input: CommissionScaleInput,
  { scaleId, seenNumber, firstDay, seenSimulation }: ScaleVersionTarget,
): Promise<void> {
  await callFunction('commission-management', {
    query: { action: 'publish_scale_version' },
    body: {
      ...commissionScalePayload(input),
      commission_rate_id: scaleId,
      seen_number: seenNumber,
      first_day: firstDay,
      ...(seenSimulation === null ? {} : { seen_simulation: seenSimulation }),
    },
  });
  refresh();
}
