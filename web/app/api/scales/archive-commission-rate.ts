import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** S-12: an unwanted scale is archived: no new sale may use it, those that did keep their copy. */
export async function archiveCommissionRate(commissionRateId: string): Promise<void> {
  await callFunction('commission-management', {
    query: { action: 'archive_commission_rate' },
    body: { commission_rate_id: commissionRateId },
  });
  refresh();
}
