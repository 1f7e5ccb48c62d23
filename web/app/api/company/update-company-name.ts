import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** F-05, V-07. */
export async function updateCompanyName({ companyName, seen }: { companyName: string; seen: string }): Promise<void> {
  await callFunction('company-settings', {
    query: { action: 'update_name' },
    body: { company_name: companyName, seen: { company_name: seen } },
  });
  refresh();
}
