import type { AccountingSettings, Chart } from '@parrain/domain/accounting';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { live } from '../transport/live.ts';
import { queryClient } from '../transport/query-client.ts';
import type { Changes } from '../transport/use-edit.ts';

/** The journal's name and accounts, and up to which month it is closed (EX-02). */
export interface Accounting {
  settings: AccountingSettings;
  /** The last closed month, « 2026-10-01 »; null where none is. */
  closedUntil: string | null;
}

export const accountingQuery = queryOptions({
  queryKey: ['figures', 'accounting'],
  queryFn: async (): Promise<Accounting> => {
    const { data } = await callFunction<{ data: Row }>('accounting', { method: 'GET', query: { action: 'get' } });
    return {
      settings: { journalCode: data.journal_code, journalLabel: data.journal_label, accounts: data.accounts },
      closedUntil: data.closed_until,
    };
  },
  ...live,
});

/** The journal's name and accounts, from the next closing on. */
export async function updateAccounting(changes: Changes): Promise<void> {
  await callFunction('accounting', { query: { action: 'update_settings' }, body: changes });
  await queryClient.invalidateQueries({ queryKey: accountingQuery.queryKey });
}

/** Closes every month up to this one: nothing comes into them any more. */
export async function closeAccountingMonths(until: string): Promise<void> {
  await callFunction('accounting', { body: { action: 'close_months', until } });
  await queryClient.invalidateQueries({ queryKey: accountingQuery.queryKey });
}

interface Row {
  journal_code: string;
  journal_label: string;
  accounts: Chart;
  closed_until: string | null;
}
