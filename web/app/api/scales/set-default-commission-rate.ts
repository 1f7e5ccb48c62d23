import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** AD-08, AD-12: the scale that is preselected from now on. */
export async function setDefaultCommissionRate(commissionRateId: string): Promise<void> {
  await callFunction('commission-management', {
    query: { action: 'set_default_commission_rate' },
    body: { commission_rate_id: commissionRateId },
  });
  refresh();
}
