import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** Commission on hold, and the instant at which it becomes available (LG-03). */
export interface Hold {
  id: string;
  amount: Cents;
  until: string;
  /** FD-01: kept beyond its day, as long as the company checks. */
  isUnderCheck: boolean;
}

/** The next commissions that become available, the soonest first. */
const holdsMax = 50;

export function ownHoldsQuery(clientId: string) {
  return queryOptions({
    queryKey: ['figures', 'holds', clientId],
    queryFn: async (): Promise<readonly Hold[]> => {
      const client = await supabase();
      const rows = rowsOf(
        await client
          .from('commission_holds')
          .select('commission_id,amount,until,is_under_check')
          .eq('payee_id', clientId)
          .is('ended_at', null)
          .or(`is_under_check.is.true,until.gt.${new Date().toISOString()}`)
          .order('until')
          .order('commission_id')
          .limit(holdsMax)
          .overrideTypes<Row[], { merge: false }>(),
      );
      return rows.map((row) => ({
        id: row.commission_id,
        amount: fromWire(row.amount),
        until: row.until,
        isUnderCheck: row.is_under_check,
      }));
    },
    ...live,
  });
}

interface Row {
  commission_id: string;
  amount: number | string;
  until: string;
  is_under_check: boolean;
}
