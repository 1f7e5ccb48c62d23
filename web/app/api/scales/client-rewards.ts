import type { CommissionType } from '@parrain/domain/commission';
import { fromWire } from '@parrain/domain/money';
import type { Reward } from '@parrain/domain/reward';
import { commissionSideToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';

/** UI-02: what a friend's signed contract gives the client who asks, by the scales in force. */
export const clientRewardsQuery = queryOptions({
  queryKey: ['commission_rates', 'client-rewards'],
  queryFn: async (): Promise<readonly Reward[]> => {
    const client = await supabase();
    const rows = rowsOf<Row[]>(await client.rpc('client_rewards'));
    return rows.map(({ from_contract_amount: from, type, amount }) => ({
      from: from === null ? null : fromWire(from),
      gain: commissionSideToDomain(type, amount),
    }));
  },
});

interface Row {
  from_contract_amount: number | string | null;
  type: CommissionType;
  amount: number | string;
}
