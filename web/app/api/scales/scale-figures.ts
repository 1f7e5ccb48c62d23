import type { ScaleFigures } from '@parrain/domain/scale-yield';
import { fromWire } from '@parrain/domain/money';
import { addMonths, type Months } from '@parrain/domain/period';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** Validated contracts of a month under one scale. */
export interface ScaleMonth extends ScaleFigures {
  /** Its first day: « 2026-11-01 ». */
  month: string;
}

/** PI-03: every scale's figures for a period, by the scale's id; one that served no contract has none. */
export function scaleFiguresQuery({ fromMonth, toMonth }: Months) {
  return queryOptions({
    queryKey: ['figures', 'scales', fromMonth, toMonth],
    queryFn: async (): Promise<ReadonlyMap<string, ScaleFigures>> => {
      const client = await supabase();
      const rows = rowsOf<(FiguresRow & { id: string })[]>(
        await client.rpc('scale_figures', { p_from: fromMonth, p_to: toMonth }),
      );
      return new Map(rows.map((row) => [row.id, figuresOf(row)]));
    },
    ...live,
  });
}

/** PI-03: one scale by month, from a year before the period to its end. Only months with a validation are given. */
export function scaleByMonthQuery(id: string, { fromMonth, toMonth }: Months) {
  return queryOptions({
    queryKey: ['figures', 'scale', id, fromMonth, toMonth],
    queryFn: async (): Promise<readonly ScaleMonth[]> => {
      const client = await supabase();
      const rows = rowsOf<(FiguresRow & { month: string })[]>(
        await client.rpc('scale_by_month', { p_id: id, p_from: addMonths(fromMonth, -12), p_to: toMonth }),
      );
      return rows.map((row) => ({ month: row.month, ...figuresOf(row) }));
    },
    // From period to period the drawing stays; another scale's would lie.
    placeholderData: (before, query) => (query?.queryKey[2] === id ? before : undefined),
    ...live,
  });
}

/** The query by which a scale's months are exported, the newest first (EX-01). */
export function scaleMonthsExportQuery(id: string, { fromMonth, toMonth }: Months): string {
  return new URLSearchParams([
    ['commission_rate', `eq.${id}`],
    ['month', `gte.${fromMonth}`],
    ['month', `lt.${toMonth}`],
    ['order', 'month.desc,commercial_id'],
  ]).toString();
}

interface FiguresRow {
  contracts: number;
  revenue: number | string;
  client_commissions: number | string;
  commercial_commissions: number | string;
}

function figuresOf(row: FiguresRow): ScaleFigures {
  return {
    contractsCount: row.contracts,
    revenue: fromWire(row.revenue),
    clientCommissions: fromWire(row.client_commissions),
    commercialCommissions: fromWire(row.commercial_commissions),
  };
}
