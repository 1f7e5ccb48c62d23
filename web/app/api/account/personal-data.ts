import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';
import { saleColumns } from '../sales/sale-columns.ts';
import { readStoredViews } from './list-views.ts';
import { readPhones } from './phones.ts';
import type { SignedInProfile } from '../transport/session-store.ts';

/** One's own data in the product, as the wire carries it: for the file that one keeps. */
export interface PersonalData extends AccountData {
  exported_at: string;
  profile: unknown;
  balance: unknown;
  sales: readonly unknown[];
  commission_payments: readonly unknown[];
  payment_requests: readonly unknown[];
  ledger_entries: readonly unknown[];
  account_closure_requests: readonly unknown[];
  notices: readonly unknown[];
  notice_preferences: readonly unknown[];
  phones: readonly unknown[];
  list_views: readonly unknown[];
}

/** One's own data in the authentication service, without secrets. */
interface AccountData {
  account: unknown;
  identities: readonly unknown[];
  sessions: readonly unknown[];
  second_factors: readonly unknown[];
  passkeys: readonly unknown[];
  account_events: readonly unknown[];
}

/** CO-11, CL-09: everything of mine, read page after page; row level security decides what is mine. */
export async function readPersonalData(profile: SignedInProfile): Promise<PersonalData> {
  const client = await supabase();
  const { data: account } = await callFunction<{ data: AccountData }>('own-account', {
    method: 'GET',
    query: { action: 'personal_data' },
  });
  const isCommercial = profile.role === 'commercial';
  const columns = isCommercial ? `${saleColumns},commercial_notes` : saleColumns;
  const mine = isCommercial ? 'commercial_id' : 'friend_referrer_id';
  return {
    exported_at: new Date().toISOString(),
    ...account,
    profile: rowsOf(await client.from('profiles').select('*').eq('id', profile.id).single()),
    balance: rowsOf(await client.from('balances').select('*').eq('profile_id', profile.id)),
    sales: await readAll((from, to) =>
      client.from('sales').select(columns).eq(mine, profile.id).order('created_at').order('id').range(from, to),
    ),
    commission_payments: await readAll((from, to) =>
      client
        .from('commission_payments')
        .select('*')
        .eq('recipient_id', profile.id)
        .order('created_at')
        .order('id')
        .range(from, to),
    ),
    payment_requests: await readAll((from, to) =>
      client
        .from('payment_requests')
        .select('*')
        .eq('client_id', profile.id)
        .order('created_at')
        .order('id')
        .range(from, to),
    ),
    ledger_entries: await readAll((from, to) =>
      client.from('ledger_entries').select('*').eq('payee_id', profile.id).order('id').range(from, to),
    ),
    notices: await readAll((from, to) =>
      client.from('notices').select('kind,created_at,read_at').order('created_at').order('id').range(from, to),
    ),
    notice_preferences: rowsOf(await client.from('notice_preferences').select('topic,delivery,on_phone,updated_at')),
    phones: (await readPhones()).devices,
    list_views: await readStoredViews(),
    account_closure_requests: rowsOf(
      await client.from('account_closure_requests').select('*').eq('profile_id', profile.id).order('requested_at'),
    ),
  };
}

const pageSize = 500;

async function readAll(
  query: (from: number, to: number) => PromiseLike<Parameters<typeof rowsOf<unknown[]>>[0]>,
): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (;;) {
    const page = rowsOf(await query(rows.length, rows.length + pageSize - 1));
    rows.push(...page);
    if (page.length < pageSize) return rows;
  }
}
