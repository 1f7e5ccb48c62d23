import type { FollowUpSettings } from '@parrain/domain/forms/company-follow-ups';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import { companySettings } from './company-settings.ts';

/** TM-05: after how many days a referral that nobody contacted is reminded of. */
export async function updateFollowUps({ days, adminDays }: FollowUpSettings): Promise<void> {
  await callFunction('company-settings', {
    body: { action: 'update_follow_ups', follow_up_days: days, follow_up_admin_days: adminDays },
  });
  await queryClient.invalidateQueries({ queryKey: companySettings.queryKey });
}
