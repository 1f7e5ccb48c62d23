import type { LegalNotice } from '@parrain/domain/legal-notice';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import { refresh } from '../transport/refresh.ts';
import { alarmsQuery, systemStateQuery } from './system-state.ts';
import type { Changes } from '../transport/use-edit.ts';

/** DF-47: what the public pages say of who publishes and hosts them; null before it was ever written. */
export const legalNoticeQuery = queryOptions({
  queryKey: ['legal-notice'],
  queryFn: async (): Promise<LegalNotice | null> => {
    const { data } = await callFunction<{ data: LegalNotice | null }>('company-settings', {
      method: 'GET',
      query: { action: 'legal_notice' },
    });
    return data;
  },
});

/** Saves the changed fields of the notice (DF-34). */
export async function updateLegalNotice(changes: Changes): Promise<void> {
  await callFunction('company-settings', { query: { action: 'update_legal_notice' }, body: changes });
  await queryClient.invalidateQueries({ queryKey: legalNoticeQuery.queryKey });
  void queryClient.invalidateQueries({ queryKey: alarmsQuery.queryKey });
  void queryClient.invalidateQueries({ queryKey: systemStateQuery.queryKey });
  refresh();
}
