import type { Cents } from './money.ts';

/** An amount in ten-thousandths of a cent: a share of a contract is exact in it, before it is rounded. */
export type ExactAmount = bigint;

/** Cents in exact terms. */
export function exactly(cents: Cents): ExactAmount {
  return cents * 10_000n;
}
