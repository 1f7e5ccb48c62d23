import { expect, test } from 'vitest';
import { yieldOf } from './scale-yield.ts';

test('[PI-03] cost and yield of a scale are exact to the cent, and say nothing where there is nothing to compare with', () => {
  const figures = { contractsCount: 3, revenue: 100_000n, clientCommissions: 10_000n, commercialCommissions: 5_001n };
  expect(yieldOf(figures)).toEqual({
    cost: 15_001n,
    costPerContract: 5_000n,
    costShare: 1_500n,
    revenuePerEuro: 667n,
  });
  // Half a cent goes away from zero, a correction's too.
  expect(yieldOf({ ...figures, contractsCount: 2 }).costPerContract).toBe(7_501n);
  expect(
    yieldOf({ contractsCount: 2, revenue: -1n, clientCommissions: -10_000n, commercialCommissions: -5_001n }),
  ).toEqual({ cost: -15_001n, costPerContract: -7_501n, costShare: null, revenuePerEuro: null });
  expect(yieldOf({ contractsCount: 0, revenue: 0n, clientCommissions: 0n, commercialCommissions: 0n })).toEqual({
    cost: 0n,
    costPerContract: null,
    costShare: null,
    revenuePerEuro: null,
  });
});
