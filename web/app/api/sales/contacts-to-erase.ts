import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { live } from '../transport/live.ts';
import { refresh } from '../transport/refresh.ts';

/** A contact without contract that is about to be forgotten. */
export interface ContactToErase {
  saleId: string;
  name: string;
  referrerName: string | null;
  lastHeardAt: string;
  /** A day of France: « 2026-12-23 ». */
  eraseOn: string;
}

/** CS-04: the first of those to be forgotten, the first to go first, and how many there are. */
export const contactsToEraseQuery = queryOptions({
  queryKey: ['sales', 'contacts-to-erase'],
  queryFn: async (): Promise<{ total: number; contacts: readonly ContactToErase[] }> => {
    const { data } = await callFunction<{ data: Row[] }>('sales-management', { body: { action: 'contacts_to_erase' } });
    return {
      total: data[0]?.total ?? 0,
      contacts: data.map((row) => ({
        saleId: row.sale_id,
        name: row.contact_name,
        referrerName: row.referrer_name,
        lastHeardAt: row.last_heard_at,
        eraseOn: row.erase_on,
      })),
    };
  },
  ...live,
});

/** CS-04: the admin keeps one as long again, and says why. */
export async function keepContact(saleId: string, reason: string): Promise<void> {
  await callFunction('sales-management', { body: { action: 'keep_contact', sale_id: saleId, reason } });
  refresh();
}

interface Row {
  sale_id: string;
  contact_name: string;
  referrer_name: string | null;
  last_heard_at: string;
  erase_on: string;
  total: number;
}
