import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import { companySettings } from './company-settings.ts';

/** CS-02: for how many months the first referral of a person counts; null is never. */
export async function updateFirstReferral({ months }: { months: number | null }): Promise<void> {
  await callFunction('company-settings', {
    body: { action: 'update_first_referral', first_referral_months: months },
  });
  await queryClient.invalidateQueries({ queryKey: companySettings.queryKey });
}
