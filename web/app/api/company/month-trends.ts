import { fromWire, type Cents } from '@parrain/domain/money';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';

/** A figure since the month began, and in as many days of the month before. */
export interface Trend<Value> {
  thisMonth: Value;
  monthBefore: Value;
}

export interface MonthTrends {
  contracts: Trend<number>;
  clients: Trend<number>;
  revenue: Trend<Cents>;
}

/** UI-08: beside the cards of the overview. A trend of the month is not asked for anew at each change. */
export const monthTrendsQuery = queryOptions({
  queryKey: ['month-trends'],
  staleTime: 10 * 60_000,
  queryFn: async (): Promise<MonthTrends> => {
    const client = await supabase();
    const rows = rowsOf<Row[]>(await client.rpc('month_trends'));
    const of = <Value>(what: Row['what'], read: (value: number | string) => Value): Trend<Value> => {
      const row = rows.find((one) => one.what === what);
      return { thisMonth: read(row?.this_month ?? 0), monthBefore: read(row?.month_before ?? 0) };
    };
    return {
      contracts: of('contracts', Number),
      clients: of('clients', Number),
      revenue: of('revenue', fromWire),
    };
  },
});

interface Row {
  what: keyof MonthTrends;
  this_month: number | string;
  month_before: number | string;
}
