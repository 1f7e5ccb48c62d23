import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import { companySettings } from './company-settings.ts';

/** CS-04: for how many months a contact without contract is kept after it was last heard of. */
export async function updateContactMonths({ months }: { months: number }): Promise<void> {
  await callFunction('company-settings', { body: { action: 'update_contact_months', contact_months: months } });
  await queryClient.invalidateQueries({ queryKey: companySettings.queryKey });
}
