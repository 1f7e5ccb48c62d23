import type { CompanyAccount } from '@parrain/domain/forms/company-payments';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import type { Changes } from '../transport/use-edit.ts';

/** PO-04: the account the company pays from, its IBAN masked; null where there is none. */
export const companyAccountQuery = queryOptions({
  queryKey: ['company-account'],
  queryFn: async (): Promise<CompanyAccount | null> => {
    const { data } = await callFunction<{ data: CompanyAccount | null }>('company-settings', {
      method: 'GET',
      query: { action: 'account' },
    });
    return data;
  },
});

/** PO-04: another account to pay from. */
export async function updateCompanyAccount(changes: Changes): Promise<void> {
  await callFunction('company-settings', { query: { action: 'update_account' }, body: changes });
  await queryClient.invalidateQueries({ queryKey: companyAccountQuery.queryKey });
}
