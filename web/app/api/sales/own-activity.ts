import { fromWire, type Cents } from '@parrain/domain/money';
import { addMonths } from '@parrain/domain/period';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** A commercial's own validated contracts of a month, corrections taken off. */
export interface OwnMonth {
  contractsCount: number;
  revenue: Cents;
  commissions: Cents;
}

/** PI-02: the commercial's month, « 2026-11-01 », and the one before. */
export function ownMonthsQuery(commercialId: string, month: string) {
  return queryOptions({
    queryKey: ['figures', 'own-months', commercialId, month],
    queryFn: async (): Promise<{ current: OwnMonth; before: OwnMonth }> => {
      const client = await supabase();
      const before = addMonths(month, -1);
      const rows = rowsOf<MonthRow[]>(
        await client.rpc('sales_by_month', { p_from: before, p_to: addMonths(month, 1) }),
      );
      const of = (wanted: string): OwnMonth => {
        const row = rows.find((found) => found.month === wanted);
        return {
          contractsCount: row?.contracts ?? 0,
          revenue: fromWire(row?.revenue ?? 0),
          commissions: fromWire(row?.commercial_commissions ?? 0),
        };
      };
      return { current: of(month), before: of(before) };
    },
    ...live,
  });
}

/** Number of open referrals that are at least so many days old, and younger than the next age. */
export interface OpenByAge {
  fromDays: number;
  count: number;
}

/** PI-02: the commercial's open referrals by age, the youngest first. */
export function openByAgeQuery(commercialId: string) {
  return queryOptions({
    queryKey: ['figures', 'open-by-age', commercialId],
    queryFn: async (): Promise<readonly OpenByAge[]> => {
      const client = await supabase();
      const rows = rowsOf<AgeRow[]>(await client.rpc('open_referrals_by_age'));
      return rows.map((row) => ({ fromDays: row.from_days, count: row.referrals }));
    },
    ...live,
  });
}

interface MonthRow {
  month: string;
  contracts: number;
  revenue: number | string;
  commercial_commissions: number | string;
}

interface AgeRow {
  from_days: number;
  referrals: number;
}
