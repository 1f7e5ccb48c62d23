import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';

/** A client's available amount, and their open requests. */
export interface ClientBalance {
  available: Cents;
  reserved: Cents;
}

export function clientBalanceQuery(clientId: string) {
  return queryOptions({
    queryKey: ['client-balance', clientId],
    queryFn: async (): Promise<ClientBalance> => {
      const client = await supabase();
      const [row] = rowsOf(
        await client
          .from('balances')
          .select('earned,reversed,held,reserved,paid')
          .eq('profile_id', clientId)
          .overrideTypes<Row[], { merge: false }>(),
      );
      if (!row) return { available: 0n, reserved: 0n };
      const gone = fromWire(row.reversed) + fromWire(row.held) + fromWire(row.reserved) + fromWire(row.paid);
      const left = fromWire(row.earned) - gone;
      return { available: left > 0n ? left : 0n, reserved: fromWire(row.reserved) };
    },
  });
}

interface Row {
  earned: number;
  reversed: number;
  held: number;
  reserved: number;
  paid: number;
}
