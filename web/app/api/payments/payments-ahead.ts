import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** One's own request that has not arrived. */
export interface PaymentAhead {
  requestId: string;
  amount: Cents;
  isApproved: boolean;
  /** The day of its transfer, « 2026-12-03 », once its batch is released; it may be past. */
  leavesOn: string | null;
}

/** UI-02: a client's open requests, the soonest transfer first, fifty at most. */
export function paymentsAheadQuery(clientId: string) {
  return queryOptions({
    queryKey: ['payment_requests', 'ahead', clientId],
    queryFn: async (): Promise<readonly PaymentAhead[]> => {
      const client = await supabase();
      const rows = rowsOf<Row[]>(await client.rpc('client_payments_ahead'));
      return rows.map((row) => ({
        requestId: row.request_id,
        amount: fromWire(row.amount),
        isApproved: row.status === 'approved',
        leavesOn: row.leaves_on,
      }));
    },
    ...live,
  });
}

interface Row {
  request_id: string;
  amount: number | string;
  status: 'pending' | 'approved';
  leaves_on: string | null;
}
