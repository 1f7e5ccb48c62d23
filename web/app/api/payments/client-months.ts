import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** Amount credited to the client in a month, less what was taken back. */
export interface ClientMonth {
  /** Its first day: « 2026-11-01 ». */
  month: string;
  earned: Cents;
}

/** PI-02: the client's own months that have a commission, the oldest first. */
export function clientMonthsQuery(clientId: string) {
  return queryOptions({
    queryKey: ['figures', 'client-months', clientId],
    queryFn: async (): Promise<readonly ClientMonth[]> => {
      const client = await supabase();
      const rows = rowsOf<Row[]>(await client.rpc('client_months'));
      return rows.map(({ month, earned }) => ({ month, earned: fromWire(earned) }));
    },
    ...live,
  });
}

interface Row {
  month: string;
  earned: number | string;
}
