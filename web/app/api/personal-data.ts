import { supabase } from './client.ts';
import { rowsOf } from './read.ts';
import { saleColumns } from './sale-columns.ts';
import type { SignedInProfile } from './session.ts';

/** What the product holds of me and lets me read, as the wire carries it: for the file that I keep. */
export interface PersonalData {
  exported_at: string;
  account: unknown;
  profile: unknown;
  balance: unknown;
  sales: readonly unknown[];
  commission_payments: readonly unknown[];
  payment_requests: readonly unknown[];
}

/** CO-11, CL-09: everything of mine, read page after page; row level security decides what is mine. */
export async function readPersonalData(profile: SignedInProfile): Promise<PersonalData> {
  const client = await supabase();
  const account = (await client.auth.getUser()).data.user;
  const isCommercial = profile.role === 'commercial';
  const columns = isCommercial ? `${saleColumns},commercial_notes` : saleColumns;
  const mine = isCommercial ? 'commercial_id' : 'friend_referrer_id';
  return {
    exported_at: new Date().toISOString(),
    account: account && {
      id: account.id,
      email: account.email,
      phone: account.phone,
      created_at: account.created_at,
      last_sign_in_at: account.last_sign_in_at,
      email_confirmed_at: account.email_confirmed_at,
    },
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
