import { divided, type Cents } from './money.ts';
import type { BasisPoints } from './percent.ts';

/** Revenue and commissions of a scale's contracts, net of corrections (PI-03). */
export interface ScaleFigures {
  readonly contractsCount: number;
  readonly revenue: Cents;
  readonly clientCommissions: Cents;
  readonly commercialCommissions: Cents;
}

/** Cost and yield of a scale, from its figures; null where there is nothing to compare with. */
export interface ScaleYield {
  readonly cost: Cents;
  readonly costPerContract: Cents | null;
  /** Commissions out of revenue. */
  readonly costShare: BasisPoints | null;
  /** Revenue for one euro of commission. */
  readonly revenuePerEuro: Cents | null;
}

/** PI-03: each to the cent or the hundredth of a percent, rounded half away from zero. */
export function yieldOf({
  contractsCount,
  revenue,
  clientCommissions,
  commercialCommissions,
}: ScaleFigures): ScaleYield {
  const cost = clientCommissions + commercialCommissions;
  const isComparable = revenue > 0n && cost >= 0n;
  return {
    cost,
    costPerContract: contractsCount > 0 ? divided(cost, BigInt(contractsCount)) : null,
    costShare: isComparable ? divided(cost * 10_000n, revenue) : null,
    revenuePerEuro: isComparable && cost > 0n ? divided(revenue * 100n, cost) : null,
  };
}
