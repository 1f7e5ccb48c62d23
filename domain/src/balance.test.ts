import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  adminFigures,
  availableBalance,
  clientFigures,
  commercialFigures,
  debt,
  referralFigures,
  revenueOf,
  signedContractsCount,
} from './balance.ts';
import type { Sale } from './sale.ts';

function sale(facts: Partial<Sale> = {}) {
  return {
    id: '',
    status: 'pending',
    readyForValidation: false,
    adminValidated: false,
    correctsSaleId: null,
    contractAmount: null,
    clientCommissionAmount: null,
    commercialCommissionAmount: null,
    ...facts,
  } as const;
}

const amounts = { contractAmount: 123_456n, clientCommissionAmount: 12_346n, commercialCommissionAmount: 5_000n };
const invited = sale();
const awaitingFinal = sale({ ...amounts, readyForValidation: true });
const awaitingAdmin = sale({ ...amounts, status: 'validated', readyForValidation: true });
const validated = sale({
  ...amounts,
  id: 'validated',
  status: 'validated',
  readyForValidation: true,
  adminValidated: true,
});
const rejected = sale({ ...amounts, status: 'rejected' });
const correction = sale({
  status: 'validated',
  readyForValidation: true,
  adminValidated: true,
  correctsSaleId: 'x',
  contractAmount: -123_456n,
  clientCommissionAmount: -12_346n,
  commercialCommissionAmount: -5_000n,
});
const every = [invited, awaitingFinal, awaitingAdmin, validated, rejected];

const euros = fc.bigInt({ min: 0n, max: 10n ** 9n });
const balances = fc.record({ earned: euros, reversed: euros, held: euros, reserved: euros, paid: euros });

describe('the balance', () => {
  test('[M-08] available = earned − paid − open requests', () => {
    expect(availableBalance({ earned: 12_346n, reversed: 0n, held: 0n, reserved: 0n, paid: 10_000n })).toBe(2_346n);
    expect(availableBalance({ earned: 12_346n, reversed: 0n, held: 0n, reserved: 10_000n, paid: 0n })).toBe(2_346n);
  });

  test('[M-08] the available balance is never negative, and never stands beside a debt', () => {
    fc.assert(
      fc.property(balances, (balance) => {
        const available = availableBalance(balance);
        expect(available >= 0n).toBe(true);
        expect(debt(balance) >= 0n).toBe(true);
        if (debt(balance) > 0n) expect(available).toBe(0n);
        if (available > 0n) {
          expect(available + balance.paid + balance.reserved + balance.held + balance.reversed).toBe(balance.earned);
        }
      }),
    );
  });

  test('[LG-03] what is held is neither available nor there to pay a debt', () => {
    expect(availableBalance({ earned: 12_346n, reversed: 0n, held: 10_000n, reserved: 0n, paid: 0n })).toBe(2_346n);
    expect(debt({ earned: 20_000n, reversed: 10_000n, held: 10_000n, reserved: 0n, paid: 10_000n })).toBe(10_000n);
  });

  test('[S-11] a validation cancelled after its payment leaves a debt', () => {
    expect(debt({ earned: 12_346n, reversed: 12_346n, held: 0n, reserved: 0n, paid: 10_000n })).toBe(10_000n);
    expect(debt({ earned: 12_346n, reversed: 0n, held: 0n, reserved: 0n, paid: 10_000n })).toBe(0n);
  });
});

describe('figures', () => {
  test('[D-07] per client: referrals, signed contracts, and revenue of validated sales', () => {
    expect(referralFigures(every)).toEqual({ referralsCount: 5, signedContractsCount: 2, revenue: 246_912n });
    expect(referralFigures([])).toEqual({ referralsCount: 0, signedContractsCount: 0, revenue: 0n });
  });

  test('[M-04] total revenue (« CA total ») is that of the sales that the admin validated', () => {
    expect(adminFigures(every, [], []).totalRevenue).toBe(123_456n);
    expect(adminFigures(every, [], []).validatedSalesCount).toBe(1);
  });

  test('[M-05] [FX-68] paid commissions (admin): the sum of the payments of validated sales, and of them alone', () => {
    const payments = [
      { status: 'paid', amount: 12_346n, saleId: 'validated' },
      { status: 'paid', amount: 5_000n, saleId: 'validated' },
      { status: 'paid', amount: 100n, saleId: '' },
    ] as const;
    expect(adminFigures(every, payments, []).paidCommissions).toBe(17_346n);
  });

  test('[M-06] [FX-68] pending commissions (admin): validated commissions less paid requests, below zero too', () => {
    const requests = [
      { status: 'paid', amount: 10_000n } as const,
      { status: 'approved', amount: 2_000n } as const,
      { status: 'rejected', amount: 300n } as const,
    ];
    expect(adminFigures(every, [], requests).pendingCommissions).toBe(7_346n);
    expect(adminFigures([], [], requests).pendingCommissions).toBe(-10_000n);
  });

  test('[M-07] the client: total of validated sales, the share that the admin validated, and the rest, which waits', () => {
    expect(clientFigures(every, [])).toMatchObject({
      friendsInvitedCount: 5,
      signedContractsCount: 2,
      totalCommissions: 24_692n,
      validatedCommissions: 12_346n,
      pendingCommissions: 12_346n,
      available: 12_346n,
    });
  });

  test('[M-08] the client: 100 € requested, then paid, out of 123,46 € leave 23,46 €', () => {
    for (const status of ['pending', 'approved', 'paid'] as const) {
      expect(clientFigures([validated], [{ status, amount: 10_000n }]).available).toBe(2_346n);
    }
    expect(clientFigures([validated], [{ status: 'rejected', amount: 10_000n }]).available).toBe(12_346n);
    expect(clientFigures([validated], [{ status: 'approved', amount: 10_000n }])).toMatchObject({
      openRequestsAmount: 10_000n,
      paidRequestsAmount: 0n,
    });
  });

  test('[M-09] [FX-64] commercial: earned once the admin has validated, pending once signed, a forecast once transmitted', () => {
    expect(commercialFigures(every)).toEqual({
      signedContractsCount: 1,
      revenue: 123_456n,
      earnedCommissions: 5_000n,
      pendingCommissions: 5_000n,
      forecastCommissions: 5_000n,
      transmittedContractsCount: 1,
    });
    expect(commercialFigures([awaitingFinal, awaitingFinal])).toMatchObject({
      pendingCommissions: 0n,
      forecastCommissions: 10_000n,
      transmittedContractsCount: 2,
    });
  });

  test('[M-10] a correction takes every total back to zero', () => {
    const cancelled = [validated, correction];
    expect(signedContractsCount(cancelled)).toBe(0);
    expect(revenueOf(cancelled)).toBe(0n);
    expect(adminFigures(cancelled, [], [])).toEqual({
      validatedSalesCount: 0,
      totalRevenue: 0n,
      pendingCommissions: 0n,
      paidCommissions: 0n,
    });
    expect(commercialFigures(cancelled).earnedCommissions).toBe(0n);
    expect(clientFigures(cancelled, [{ status: 'paid', amount: 10_000n }])).toMatchObject({
      friendsInvitedCount: 1,
      totalCommissions: 0n,
      available: 0n,
      debt: 10_000n,
    });
  });
});
