import type { Das2Identity, Das2Sums } from '@parrain/domain/das2';
import { fromWire } from '@parrain/domain/money';
import type { PayeeStatus } from '@parrain/domain/payee';
import type { Role } from '@parrain/domain/role';
import { queryOptions } from '@tanstack/react-query';
import { downloadExport } from '../company/export-list.ts';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { queryClient } from '../transport/query-client.ts';
import type { Changes } from '../transport/use-edit.ts';
import { readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';
import { regularKey } from './regular-count.ts';

/** Somebody who was paid in a year, as the company's DAS2 needs them (PP-04). */
export interface Das2Payee extends Das2Sums, Das2Identity {
  id: string;
  fullName: string;
  role: Role;
}

const pageSize = 12;
/** Read anew once somebody’s status is said. */
export const das2Key = ['payment_requests', 'das2'];

/** One page of everybody who was paid in a year, the largest sum first and who is employed last. */
export function das2Query(year: number, page: PageMark) {
  return queryOptions({
    queryKey: [...das2Key, year, page],
    queryFn: async (): Promise<Page<Das2Payee>> => {
      const client = await supabase();
      return readPage(
        (options) => client.rpc('das2_payees', { p_year: year }, options),
        {
          mark: page,
          pageSize,
          order: [{ column: 'is_employee' }, { column: 'counted', desc: true }, { column: 'id' }],
        },
        toDomain,
      );
    },
    placeholderData: previousPage,
    ...live,
  });
}

/** Sums that one person was paid in a year; null for nothing. */
export function das2PayeeQuery(year: number, payeeId: string) {
  return queryOptions({
    queryKey: [...das2Key, year, 'payee', payeeId],
    queryFn: async (): Promise<Das2Payee | null> => {
      const client = await supabase();
      const [row] = rowsOf(await client.rpc('das2_payees', { p_year: year, p_payee_id: payeeId })) as unknown[];
      return row === undefined ? null : toDomain(row);
    },
    ...live,
  });
}

/** Payments in kind that count towards the declared sums; the contracts in twelve months that make a particulier regular (AC-10). */
export interface Das2Settings {
  countsGiftCards: boolean;
  countsDiscounts: boolean;
  regularFrom: number;
}

export const das2SettingsQuery = queryOptions({
  queryKey: [...das2Key, 'settings'],
  queryFn: async (): Promise<Das2Settings> => {
    const { data } = await callFunction<{ data: SettingsRow }>('accounting', {
      method: 'GET',
      query: { action: 'das2' },
    });
    return {
      countsGiftCards: data.counts_gift_cards,
      countsDiscounts: data.counts_discounts,
      regularFrom: data.regular_from,
    };
  },
});

export async function updateDas2Settings(changes: Changes): Promise<void> {
  await callFunction('accounting', { query: { action: 'update_das2' }, body: changes });
  await queryClient.invalidateQueries({ queryKey: regularKey });
  await queryClient.invalidateQueries({ queryKey: das2Key });
}

/** The file of a year, for the accountant. */
export function downloadDas2(year: number, signal: AbortSignal): Promise<File> {
  return downloadExport(`das2/${year}.csv`, { onProgress: () => undefined, signal });
}

function toDomain(found: unknown): Das2Payee {
  const row = found as Row;
  return {
    id: row.id,
    fullName: row.full_name,
    role: row.role,
    status: row.status,
    lastName: row.last_name,
    country: row.country,
    siren: row.siren,
    siret: row.siret,
    paid: fromWire(row.paid),
    counted: fromWire(row.counted),
    repaid: fromWire(row.repaid),
    repaidLeft: fromWire(row.repaid_left),
    isEmployee: row.is_employee,
  };
}

interface SettingsRow {
  counts_gift_cards: boolean;
  counts_discounts: boolean;
  regular_from: number;
}

interface Row {
  id: string;
  full_name: string;
  role: Role;
  status: PayeeStatus | null;
  last_name: string | null;
  country: string | null;
  siren: string | null;
  siret: string | null;
  paid: number | string;
  counted: number | string;
  repaid: number | string;
  repaid_left: number | string;
  is_employee: boolean;
}
