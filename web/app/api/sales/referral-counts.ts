import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** Number of a commercial's referrals in each of the lists that they choose among (UI-06). */
export interface ReferralCounts {
  today: number;
  callBack: number;
  late: number;
  all: number;
}

/** The counts of the signed-in commercial, read by the database from their open referrals. */
export function referralCountsQuery(commercialId: string) {
  return queryOptions({ queryKey: ['figures', 'referrals', commercialId], queryFn: readReferralCounts, ...live });
}

async function readReferralCounts(): Promise<ReferralCounts> {
  const client = await supabase();
  const row = rowsOf(
    await client.rpc('referral_counts').single<{ today: number; call_back: number; late: number; total: number }>(),
  );
  return { today: row.today, callBack: row.call_back, late: row.late, all: row.total };
}
