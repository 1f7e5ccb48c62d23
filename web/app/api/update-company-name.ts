import { callFunction } from './call-function.ts';
import { refresh } from './refresh.ts';

/** F-05, V-07. */
export async function updateCompanyName(companyName: string): Promise<void> {
  await callFunction('company-settings', { query: { action: 'update_name' }, body: { company_name: companyName } });
  refresh();
}
