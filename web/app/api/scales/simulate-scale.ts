import type { CommissionPaymentType } from '@parrain/domain/commission';
import { commissionScalePayload, type CommissionScaleInput } from '@parrain/domain/forms/commission-scale';
import type { SimulationTotals } from '@parrain/domain/forms/scale-version';
import { fromWire, type Cents } from '@parrain/domain/money';
import type { NothingGiven, SimulatedTotals } from '@parrain/domain/scale-simulation';
import { callFunction } from '../transport/call-function.ts';

/** Amounts that a scale gave, and would have given. */
export interface Compared {
  readonly given: Cents;
  readonly wouldGive: Cents;
}

/** A draft on the contracts of the last twelve months (SC-05). */
export interface ScaleSimulation {
  readonly totals: SimulatedTotals;
  /** All twelve, the oldest first; each by its first day. */
  readonly months: readonly (Compared & { readonly month: string; readonly contracts: number })[];
  readonly payees: Readonly<Record<'gain' | 'lose' | 'same', number>>;
  readonly gained: Cents;
  readonly lost: Cents;
  /** Those who would gain most, then those who would lose most. */
  readonly most: readonly (Compared & Payee & { readonly contracts: number })[];
  readonly nothing: readonly NothingGiven[];
  /** Contracts that would change most. */
  readonly largest: readonly (Compared & Payee & { readonly saleId: string; readonly contract: Cents })[];
}

interface Payee {
  readonly side: CommissionPaymentType;
  readonly name: string;
}

/** SC-05: tries a draft on the last twelve months. Nothing is written. */
export async function simulateScale(
  input: CommissionScaleInput,
  { scaleId, firstDay }: { scaleId: string; firstDay: string | null },
): Promise<ScaleSimulation> {
  const { data } = await callFunction<{ data: Answer }>('commission-management', {
    query: { action: 'simulate_scale_version' },
    body: { ...commissionScalePayload(input), commission_rate_id: scaleId, first_day: firstDay },
  });
  const { totals, months, payees, most, nothing, largest } = data;
  return {
    totals: totalsOf(totals),
    months: months.map((row) => ({
      month: row.month,
      contracts: row.contracts,
      given: fromWire(row.client) + fromWire(row.commercial),
      wouldGive: fromWire(row.would_client) + fromWire(row.would_commercial),
    })),
    payees,
    gained: fromWire(payees.gained),
    lost: fromWire(payees.lost),
    most: most.map(({ side, name, contracts, ...row }) => ({ side, name, contracts, ...compared(row) })),
    nothing: nothing.map((row) => ({ ...row, given: fromWire(row.given) })),
    largest: largest.map(({ sale_id: saleId, side, name, contract, ...row }) => ({
      saleId,
      side,
      name,
      contract: fromWire(contract),
      ...compared(row),
    })),
  };
}

/** Totals as the database keeps them, in cents. */
export function totalsOf({ contracts, before, after }: SimulationTotals): SimulatedTotals {
  return { contracts, before: BigInt(before), after: BigInt(after) };
}

/** Totals as a publication says that they were seen. */
export function totalsToSend({ contracts, before, after }: SimulatedTotals): SimulationTotals {
  return { contracts, before: Number.parseInt(String(before), 10), after: Number.parseInt(String(after), 10) };
}

function compared(row: ComparedRow): Compared {
  return { given: fromWire(row.given), wouldGive: fromWire(row.would_give) };
}

type Wire = number | string;
interface ComparedRow {
  given: Wire;
  would_give: Wire;
}
interface Answer {
  totals: SimulationTotals;
  months: (Record<'client' | 'would_client' | 'commercial' | 'would_commercial', Wire> & {
    month: string;
    contracts: number;
  })[];
  payees: Record<'gain' | 'lose' | 'same', number> & Record<'gained' | 'lost', Wire>;
  most: (ComparedRow & Payee & { contracts: number })[];
  nothing: (Omit<NothingGiven, 'given'> & { given: Wire })[];
  largest: (ComparedRow & Payee & { sale_id: string; contract: Wire })[];
}
