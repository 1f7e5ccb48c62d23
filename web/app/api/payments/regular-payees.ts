import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { previousPage, readPage, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';
import { refresh } from '../transport/refresh.ts';
import { regularKey } from './regular-count.ts';

/** A particulier who has become regular: their contracts and payments of the last twelve months (AC-10). */
export interface RegularPayee {
  id: string;
  fullName: string;
  contracts: number;
  payments: number;
  paid: Cents;
  /** Time at which an admin dealt with it this year. */
  dealtAt: string | null;
}

/** One page of those whom no admin has dealt with, the most contracts first. */
export function regularPayeesQuery(page: PageMark) {
  return queryOptions({
    queryKey: [...regularKey, page],
    queryFn: async (): Promise<Page<RegularPayee>> => {
      const client = await supabase();
      return readPage(
        (options) => client.rpc('regular_payees', {}, options).is('dealt_at', null),
        { mark: page, pageSize: 6, order: [{ column: 'contracts', desc: true }, { column: 'id' }] },
        toDomain,
      );
    },
    placeholderData: previousPage,
    ...live,
  });
}

/** One person, dealt with or not; null for whoever is not regular. */
export function regularPayeeQuery(payeeId: string) {
  return queryOptions({
    queryKey: [...regularKey, 'payee', payeeId],
    queryFn: async (): Promise<RegularPayee | null> => {
      const client = await supabase();
      const [row] = rowsOf(await client.rpc('regular_payees', { p_payee_id: payeeId })) as unknown[];
      return row === undefined ? null : toDomain(row);
    },
    ...live,
  });
}

/** Nothing more is said of them until the year ends or their status changes. */
export async function dealWithRegularity(payeeId: string): Promise<void> {
  await callFunction('accounting', { body: { action: 'deal_with_regularity', payee_id: payeeId } });
  refresh();
}

function toDomain(found: unknown): RegularPayee {
  const row = found as Row;
  return {
    id: row.id,
    fullName: row.full_name,
    contracts: row.contracts,
    payments: row.payments,
    paid: fromWire(row.paid),
    dealtAt: row.dealt_at,
  };
}

interface Row {
  id: string;
  full_name: string;
  contracts: number;
  payments: number;
  paid: number | string;
  dealt_at: string | null;
}
