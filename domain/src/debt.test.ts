import { expect, test } from 'vitest';
import { debtOf } from './debt.ts';

test('[AC-05] what is owed is what was paid beyond what was earned; a request that waits is no debt', () => {
  expect(debtOf({ available: -10_000n, reserved: 0n })).toBe(10_000n);
  expect(debtOf({ available: -10_000n, reserved: 12_346n })).toBe(0n);
  expect(debtOf({ available: -10_000n, reserved: 4_000n })).toBe(6_000n);
  expect(debtOf({ available: 500n, reserved: 0n })).toBe(0n);
});
