import { callFunction } from '../transport/call-function.ts';
import { readAgain } from '../transport/refresh.ts';
import type { Changes } from '../transport/use-edit.ts';

/** The rules of the company that have a form each. */
export type EditedSettings =
  | 'update_presentation'
  | 'update_first_referral'
  | 'update_contact_months'
  | 'update_follow_ups'
  | 'update_new_clients'
  | 'update_request_rules';

/** CS-01, CS-02, CS-04, TM-05, DF-06, PO-06: what was changed in one of these forms (DF-34). */
export async function editCompanySettings(action: EditedSettings, changes: Changes): Promise<void> {
  await callFunction('company-settings', { query: { action }, body: changes });
  await readAgain();
}
