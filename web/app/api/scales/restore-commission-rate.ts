import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** NV-09: a scale that was archived a moment ago serves again. */
export async function restoreCommissionRate(commissionRateId: string): Promise<void> {
  await callFunction('commission-management', {
    query: { action: 'restore_commission_rate' },
    body: { commission_rate_id: commissionRateId },
  });
  refresh();
}
