import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clientCommissionRecipient,
  commissionAmount,
  commissionPaymentsOf,
  commissionsOf,
  commissionsOfSale,
  correctionOf,
  exceedsContract,
  explainCommission,
  formatCommissionSide,
  proposedScale,
  scaleReached,
  type CommissionRate,
  type CommissionSide,
} from './commission.ts';

const tenPercent: CommissionSide = { type: 'percentage', basisPoints: 1_000n };
const fiftyEuros: CommissionSide = { type: 'fixed', amount: 5_000n };
const scale = { client: tenPercent, commercial: fiftyEuros };

test('[M-01] 10 % of 1 234,56 € is 123,46 €, and a fixed 50 € is 50 €', () => {
  expect(commissionsOf(123_456n, scale)).toEqual({ client: 12_346n, commercial: 5_000n });
});

test('[M-01] [S-11] a correction takes back exactly what the sale had given', () => {
  const side = fc.oneof(
    fc.record({ type: fc.constant('percentage' as const), basisPoints: fc.bigInt({ min: 1n, max: 10_000n }) }),
    fc.record({ type: fc.constant('fixed' as const), amount: fc.bigInt({ min: 1n, max: 999_999_999n }) }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 999_999_999n }), side, (amount, one) => {
      expect(commissionAmount(-amount, one)).toBe(-commissionAmount(amount, one));
    }),
  );
});

test('[LG-04] corrections of a contract add up to its commissions, whatever each rounds to', () => {
  const side = fc.oneof(
    fc.record({ type: fc.constant('percentage' as const), basisPoints: fc.bigInt({ min: 1n, max: 10_000n }) }),
    fc.record({ type: fc.constant('fixed' as const), amount: fc.bigInt({ min: 1n, max: 999_999_999n }) }),
  );
  const lefts = fc.uniqueArray(fc.bigInt({ min: 1n, max: 999_999_999n }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(lefts, side, side, (amounts, client, commercial) => {
      const steps = [...amounts.toSorted((one, other) => (one > other ? -1 : 1)), 0n];
      const [first = 0n] = steps;
      const sale = { contractAmount: first, friendReferrerId: 'ami', clientReferrerId: null };
      let left = commissionsOfSale(sale, { client, commercial });
      for (const [index, after] of steps.slice(1).entries()) {
        const change = { before: steps[index] ?? 0n, after };
        const ends = correctionOf(sale, change, { client, commercial });
        left = {
          client: left.client - ends.before.client + ends.after.client,
          commercial: left.commercial - ends.before.commercial + ends.after.commercial,
        };
        expect(left).toEqual(commissionsOf(after, { client, commercial }));
      }
      expect(left).toEqual({ client: 0n, commercial: 0n });
      const alone = { ...sale, friendReferrerId: null };
      const ends = correctionOf(alone, { before: first, after: 0n }, { client, commercial });
      expect(ends.before.client - ends.after.client).toBe(0n);
    }),
  );
});

describe('the recipient of the client’s commission', () => {
  test.each([
    { friendReferrerId: 'ami', clientReferrerId: 'client', expected: 'ami' },
    { friendReferrerId: 'ami', clientReferrerId: null, expected: 'ami' },
    { friendReferrerId: null, clientReferrerId: 'client', expected: 'client' },
    { friendReferrerId: null, clientReferrerId: null, expected: null },
  ])('[M-02] friend $friendReferrerId, client $clientReferrerId: $expected', ({ expected, ...sale }) => {
    expect(clientCommissionRecipient(sale)).toBe(expected);
    const commissions = commissionsOfSale({ ...sale, contractAmount: 123_456n }, scale);
    expect(commissions).toEqual({ client: expected === null ? 0n : 12_346n, commercial: 5_000n });
    expect(commissionPaymentsOf({ ...sale, commercialId: 'vendeur' }, commissions)).toEqual([
      ...(expected === null ? [] : [{ type: 'client', recipientId: expected, amount: 12_346n }]),
      { type: 'commercial', recipientId: 'vendeur', amount: 5_000n },
    ]);
  });
});

test('[FX-62] it is known when both commissions together are more than the contract', () => {
  expect(exceedsContract(6_000n, { client: 1_000n, commercial: 5_000n })).toBe(false);
  expect(exceedsContract(5_999n, { client: 1_000n, commercial: 5_000n })).toBe(true);
  expect(exceedsContract(-6_000n, { client: -1_000n, commercial: -5_000n })).toBe(false);
  expect(exceedsContract(-5_999n, { client: -1_000n, commercial: -5_000n })).toBe(true);
});

test('[M-01] « Pourquoi ? » shows the calculation', () => {
  expect(explainCommission(123_456n, tenPercent)).toBe('10\u00a0% de 1\u202f234,56\u00a0€ = 123,46\u00a0€');
  expect(explainCommission(123_456n, fiftyEuros)).toBe('Montant fixe\u00a0: 50,00\u00a0€');
  expect(formatCommissionSide(tenPercent)).toBe('10\u00a0%');
  expect(formatCommissionSide(fiftyEuros)).toBe('50,00\u00a0€');
});

test('[AD-12] a contract is proposed the highest threshold that it reaches, else the default scale', () => {
  const rate = (id: string, fromContractAmount: bigint | null, isDefault = false): CommissionRate => ({
    id,
    name: id,
    description: null,
    scale,
    clientHoldDays: 0,
    fromContractAmount,
    isDefault,
    archivedAt: null,
    createdAt: '2026-01-01T00:00:00Z',
  });
  const scales = [rate('standard', null, true), rate('newer', null), rate('large', 1_500_000n), rate('mid', 500_000n)];
  const idFor = (amount: bigint, forecast: string | null = null) => proposedScale(scales, amount, forecast)?.id;
  expect([499_999n, 500_000n, 1_499_999n, 1_500_000n].map((amount) => idFor(amount, 'newer'))).toEqual([
    'standard',
    'mid',
    'mid',
    'large',
  ]);
  expect(scaleReached(scales, 499_999n)).toBeUndefined();
  expect(proposedScale([], 1n, null)).toBeUndefined();
});
