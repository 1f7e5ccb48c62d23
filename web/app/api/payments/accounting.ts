import type { AccountingSettings, Chart } from '@parrain/domain/accounting';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { live } from '../transport/live.ts';
import { queryClient } from '../transport/query-client.ts';
import type { Changes } from '../transport/use-edit.ts';

/** The journal's name and accounts, and up to which month it is closed (EX-02). */
export interface Accounting {
  settings: AccountingSettings;
  /** Commercials whom the journal takes for employees because nobody has said their status. */
  withoutStatus: number;
  /** The last closed month, « 2026-10-01 »; null where none is. */
  closedUntil: string | null;
}

export const accountingQuery = queryOptions({
  queryKey: ['figures', 'accounting'],
  queryFn: async (): Promise<Accounting> => {
    const { data } = await callFunction<{ data: Row }>('accounting', { method: 'GET', query: { action: 'get' } });
    return {
      settings: {
        journalCode: data.journal_code,
        journalLabel: data.journal_label,
        accounts: data.accounts,
        postsPayments: data.posts_payments,
        postsPayroll: data.posts_payroll,
        accrues: data.accrues,
        yearEndsIn: data.year_ends_in,
      },
      withoutStatus: data.without_status,
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

/** A payee of the journal, and their code in the accountant's books: the chosen one, or the beginning of their id. */
export interface AccountingCode {
  payee_id: string;
  name: string;
  email: string;
  code: string;
  is_chosen: boolean;
}

/** The first fifty payees by name that a search finds. */
export const accountingCodesQuery = (search: string) =>
  queryOptions({
    queryKey: ['figures', 'accounting', 'codes', search],
    queryFn: async (): Promise<AccountingCode[]> => {
      const { data } = await callFunction<{ data: AccountingCode[] }>('accounting', {
        method: 'GET',
        query: { action: 'codes', search },
      });
      return data;
    },
    placeholderData: keepPreviousData,
  });

/** Gives a payee a code, or takes the chosen one back. */
export async function setAccountingCode(payeeId: string, code: string | null): Promise<void> {
  await callFunction('accounting', { body: { action: 'set_code', payee_id: payeeId, code } });
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
  posts_payments: boolean;
  posts_payroll: boolean;
  accrues: boolean;
  year_ends_in: number;
  without_status: number;
  closed_until: string | null;
}
