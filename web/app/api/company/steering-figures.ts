import { fromWire, type Cents } from '@parrain/domain/money';
import { addMonths, type Months } from '@parrain/domain/period';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';

/** Validated contracts of a month, corrections taken off (M-04, M-05). */
export interface MonthFigures {
  /** Its first day: « 2026-11-01 ». */
  month: string;
  contractsCount: number;
  revenue: Cents;
  commissions: Cents;
}

/** PI-01: by month, from a year before the period to its end. Only months with a validation are given. */
export function salesByMonthQuery({ fromMonth, toMonth }: Months) {
  return queryOptions({
    queryKey: ['figures', 'months', fromMonth, toMonth],
    queryFn: async (): Promise<readonly MonthFigures[]> => {
      const client = await supabase();
      const rows = rowsOf<MonthRow[]>(
        await client.rpc('sales_by_month', { p_from: addMonths(fromMonth, -12), p_to: toMonth }),
      );
      return rows.map((row) => ({
        month: row.month,
        contractsCount: row.contracts,
        revenue: fromWire(row.revenue),
        commissions: fromWire(row.client_commissions) + fromWire(row.commercial_commissions),
      }));
    },
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** Someone among the first of a period. */
export interface Ranked {
  id: string;
  fullName: string;
  contractsCount: number;
  revenue: Cents;
}

/** The five who brought most revenue; `countedAt` is the night at which they were ranked, null where it is now. */
export interface Ranking {
  people: readonly Ranked[];
  countedAt: string | null;
}

/** PI-01: the best commercials or referrers of a period. */
export function rankingQuery(of: 'best_commercials' | 'best_referrers', { fromMonth, toMonth }: Months) {
  return queryOptions({
    queryKey: ['figures', of, fromMonth, toMonth],
    queryFn: async (): Promise<Ranking> => {
      const client = await supabase();
      const rows = rowsOf<RankedRow[]>(await client.rpc(of, { p_from: fromMonth, p_to: toMonth }));
      return {
        people: rows.map((row) => ({
          id: row.id,
          fullName: row.full_name,
          contractsCount: row.contracts,
          revenue: fromWire(row.revenue),
        })),
        countedAt: rows[0]?.counted_at ?? null,
      };
    },
    placeholderData: keepPreviousData,
    ...live,
  });
}

/** Progress of the referrals made in a period; each step holds those that went further. */
export interface Funnel {
  steps: readonly { id: FunnelStep; count: number; delay: StepDelay | null }[];
  refusedCount: number;
  cancelledCount: number;
  /** From the invitation to the validation; null where nothing was validated. */
  medianDays: number | null;
  countedAt: string | null;
}

/**
 * Time to a step from the one where each referral was before: a skipped step is not counted, what lies beyond a step back is counted
 * anew. Null where unknown: of older and imported referrals the journal may not say it.
 */
export interface StepDelay {
  medianDays: number;
  /** Of how many referrals it is known. */
  count: number;
}

export type FunnelStep = 'invited' | 'contacted' | 'negotiated' | 'signed' | 'validated';

/** PI-01: from the invitation to the validated contract. */
export function funnelQuery({ fromMonth, toMonth }: Months) {
  return queryOptions({
    queryKey: ['figures', 'funnel', fromMonth, toMonth],
    queryFn: async (): Promise<Funnel> => {
      const client = await supabase();
      const months = { p_from: fromMonth, p_to: toMonth };
      const [states, delays] = await Promise.all([
        client.rpc('referral_funnel', months),
        client.rpc('referral_delays', months),
      ]);
      return funnelOf(rowsOf<StateRow[]>(states), rowsOf<DelayRow[]>(delays));
    },
    placeholderData: keepPreviousData,
    ...live,
  });
}

function funnelOf(rows: readonly StateRow[], delays: readonly DelayRow[]): Funnel {
  const of = (state: string) => rows.find((row) => row.state === state)?.referrals ?? 0;
  const validated = of('validated');
  const signed = validated + of('cancelled') + of('awaiting_admin_validation') + of('awaiting_final_validation');
  const negotiated = signed + of('in_negotiation');
  const contacted = negotiated + of('contacted');
  const step = (id: FunnelStep, count: number) => {
    const delay = delays.find((row) => row.step === id);
    return { id, count, delay: delay ? { medianDays: delay.median_days, count: delay.referrals } : null };
  };
  return {
    steps: [
      // A refused referral is counted where it began: of older ones nobody knows how far they had gone.
      step('invited', contacted + of('pending') + of('rejected')),
      step('contacted', contacted),
      step('negotiated', negotiated),
      step('signed', signed),
      step('validated', validated),
    ],
    refusedCount: of('rejected'),
    cancelledCount: of('cancelled'),
    medianDays: rows.find((row) => row.state === 'validated')?.median_days ?? null,
    countedAt: rows[0]?.counted_at ?? null,
  };
}

/** A part of what the company owes, before VAT; `overpaid`, what payees owe back, is below zero. */
export interface DuePart {
  id: 'to_pay' | 'to_decide' | 'in_batch' | 'months_due' | 'available' | 'month_open' | 'held' | 'checked' | 'overpaid';
  /** Number of requests, months, commissions or accounts; null where it is a sum of balances. */
  count: number | null;
  amount: Cents;
}

/** UI-08: all that the company owes, in parts that add up to it to the cent: one statement of the database gave them. */
export interface Due {
  parts: readonly DuePart[];
  /** Of disputes: within the parts, and in no card of AD-03 (LG-06). So it is of debts that were waived or repaid (AC-05). */
  adjusted: Cents;
  waived: Cents;
  repaid: Cents;
  /** The commissions of the contracts to validate: they may come to it. */
  forecast: { count: number; amount: Cents };
}

export const dueQuery = queryOptions({
  queryKey: ['figures', 'due'],
  queryFn: async (): Promise<Due> => {
    const client = await supabase();
    const rows = rowsOf<DueRow[]>(await client.rpc('due_soon'));
    const of = (step: DueRow['step']) => rows.find((row) => row.step === step);
    return {
      parts: rows.flatMap(({ step, number, amount }) =>
        step === 'adjusted' || step === 'forecast' ? [] : [{ id: step, count: number, amount: fromWire(amount) }],
      ),
      adjusted: fromWire(of('adjusted')?.amount ?? 0) - fromWire(of('adjusted')?.waived ?? 0),
      waived: fromWire(of('adjusted')?.waived ?? 0),
      repaid: fromWire(of('adjusted')?.repaid ?? 0),
      forecast: { count: of('forecast')?.number ?? 0, amount: fromWire(of('forecast')?.amount ?? 0) },
    };
  },
  ...live,
});

interface MonthRow {
  month: string;
  contracts: number;
  revenue: number | string;
  client_commissions: number | string;
  commercial_commissions: number | string;
}

interface RankedRow {
  id: string;
  full_name: string;
  contracts: number;
  revenue: number | string;
  counted_at?: string | null;
}

interface StateRow {
  state: string;
  referrals: number;
  median_days: number | null;
  counted_at: string | null;
}

interface DelayRow {
  step: FunnelStep;
  referrals: number;
  median_days: number;
}

interface DueRow {
  step: DuePart['id'] | 'adjusted' | 'forecast';
  number: number | null;
  amount: number | string;
  /** Of the step `adjusted` alone, as `waived`, which its amount counts. */
  repaid: number | string | null;
  waived: number | string | null;
}
