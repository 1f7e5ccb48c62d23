import fc from 'fast-check';
import { expect, test } from 'vitest';
import { controlBalances, controlDifference, controlFlows, ledgerActs, type ControlMove } from './ledger.ts';

const move = (act: ControlMove['act'], detail: string | null, before: bigint, now: bigint): ControlMove => ({
  act,
  detail,
  ledgerBefore: before,
  listsBefore: before,
  ledger: now,
  lists: now,
});

const amounts = (lines: readonly { id: string; ledger: bigint }[]) =>
  Object.fromEntries(lines.filter(({ ledger }) => ledger !== 0n).map(({ id, ledger }) => [id, ledger]));

test('[LG-02] the lines of a period are what its acts moved, the balances all that moved up to its end', () => {
  const moves = [
    move('validation', 'client', 10_000n, 2_000n),
    move('validation', 'commercial', 5_000n, 0n),
    move('correction', 'client', 0n, 1_000n),
    move('request', null, 4_000n, 3_000n),
    move('refusal', null, 1_000n, 500n),
    move('settlement', 'association', 0n, 2_500n),
  ];
  expect(amounts(controlFlows(moves))).toEqual({
    'earned-client': 2_000n,
    'reversed-client': 1_000n,
    asked: 3_000n,
    refused: 500n,
    'paid-association': 2_500n,
  });
  expect(amounts(controlBalances(moves))).toEqual({ available: 10_500n, reserved: 3_000n, paid: 2_500n });
  expect(controlDifference(moves)).toBe(0n);
  // LG-03: what is held is earned, and not yet available.
  const kept = [
    ...moves,
    move('validation_held', 'client', 700n, 300n),
    move('release', null, 0n, 400n),
    move('correction_held', 'client', 0n, 100n),
  ];
  expect(amounts(controlFlows(kept))).toMatchObject({
    'earned-client': 2_300n,
    'reversed-client': 1_100n,
    released: 400n,
  });
  expect(amounts(controlBalances(kept))).toEqual({ held: 500n, available: 10_900n, reserved: 3_000n, paid: 2_500n });
  // PO-02: what the bank sent back is available again, and not paid.
  const returned = [...moves, move('settlement', 'virement', 0n, 500n), move('return', 'virement', 0n, 500n)];
  expect(amounts(controlFlows(returned))).toMatchObject({ 'paid-virement': 500n, returned: 500n });
  expect(amounts(controlBalances(returned))).toEqual({ available: 11_000n, reserved: 2_500n, paid: 2_500n });
  // LG-06: what disputes gave and took is available, on lines of its own.
  const adjusted = [...moves, move('adjustment', null, 300n, 200n), move('deduction', null, 0n, 50n)];
  expect(amounts(controlFlows(adjusted))).toMatchObject({ 'adjusted-up': 200n, 'adjusted-down': 50n });
  expect(amounts(controlBalances(adjusted))).toMatchObject({ available: 10_950n });
  // PO-05: what commercials are paid leaves what is available at once.
  const payroll = [...moves, move('payroll', 'paie', 1_000n, 500n)];
  expect(amounts(controlFlows(payroll))).toMatchObject({ 'paid-paie': 500n });
  // An agent's month leaves by transfer, as requests do.
  const byTransfer = [...moves, move('payroll', 'virement', 1_000n, 500n)];
  expect(amounts(controlFlows(byTransfer))).toMatchObject({ 'paid-virement': 500n });
  expect(amounts(controlBalances(payroll))).toMatchObject({ available: 9_000n, paid: 4_000n });
  // An empty company still has its lines.
  expect(controlFlows([]).length).toBeGreaterThan(5);
  expect(controlDifference([])).toBe(0n);
});

test('[LG-02] two differences of opposite signs do not hide each other', () => {
  const some = fc.bigInt({ min: 0n, max: 10n ** 12n });
  fc.assert(
    fc.property(fc.constantFrom(...ledgerActs), some, some, some, (act, one, other, least) => {
      const off = (ledger: bigint, lists: bigint): ControlMove => ({
        ...move(act, 'client', 0n, 0n),
        ledger,
        lists,
      });
      expect(controlDifference([off(one + least, one), off(other, other + least)])).toBe(2n * least);
    }),
  );
});
