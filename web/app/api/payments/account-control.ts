import type { ControlMove } from '@parrain/domain/ledger';
import { fromWire } from '@parrain/domain/money';
import type { Months } from '@parrain/domain/period';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** LG-02: what each act moved in a period and before it, from the ledger and from the lists. */
export function accountControlQuery({ fromMonth, toMonth }: Months) {
  return queryOptions({
    queryKey: ['figures', 'account-control', fromMonth, toMonth],
    queryFn: async (): Promise<readonly ControlMove[]> => {
      const client = await supabase();
      const rows = rowsOf<Row[]>(await client.rpc('account_control', { p_from: fromMonth, p_to: toMonth }));
      return rows.map((row) => ({
        act: row.act,
        detail: row.detail,
        ledgerBefore: fromWire(row.ledger_before),
        listsBefore: fromWire(row.lists_before),
        ledger: fromWire(row.ledger),
        lists: fromWire(row.lists),
      }));
    },
    placeholderData: keepPreviousData,
    ...live,
  });
}

interface Row {
  act: ControlMove['act'];
  detail: string | null;
  ledger_before: number | string;
  lists_before: number | string;
  ledger: number | string;
  lists: number | string;
}
