import { expect, test } from 'vitest';
import { availableBalance, debt } from './balance.ts';
import { correctedBalance } from './corrected-balance.ts';

test('[UI-11] a correction goes to what is kept of its commission as long as anything is, else to what is available or a debt', () => {
  const balance = { earned: 10_000n, reversed: 500n, held: 4000n, reserved: 100n, paid: 200n };
  expect(correctedBalance(balance, 1000n, 4000n)).toEqual({ ...balance, earned: 11_000n, held: 5000n });
  expect(correctedBalance(balance, -1000n, 4000n)).toEqual({ ...balance, reversed: 1500n, held: 3000n });
  expect(correctedBalance(balance, -1000n, 0n)).toEqual({ ...balance, reversed: 1500n });
  expect(correctedBalance(balance, 0n, 4000n)).toEqual(balance);
  const paid = { earned: 10_000n, reversed: 0n, held: 0n, reserved: 0n, paid: 10_000n };
  expect([debt(correctedBalance(paid, -2500n, 0n)), availableBalance(correctedBalance(paid, 2500n, 0n))]).toEqual([
    2500n,
    2500n,
  ]);
});
