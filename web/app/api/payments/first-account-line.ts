import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** The instant of the first line of a payee's account, or of everybody's; null where there is none yet. */
export function firstAccountLineQuery(payeeId: string | null) {
  return queryOptions({
    queryKey: ['figures', 'first-account-line', payeeId],
    queryFn: async (): Promise<Date | null> => {
      const client = await supabase();
      const lines = client.from('ledger_entries').select('at');
      const [first] = rowsOf<readonly { at: string }[]>(
        await (payeeId === null ? lines : lines.eq('payee_id', payeeId)).order('at').limit(1),
      );
      return first === undefined ? null : new Date(first.at);
    },
    ...live,
  });
}
