import type { CommissionPayment } from './commission.ts';
import { sum, type Cents } from './money.ts';
import { isOpen, type PaymentRequest } from './payment-request.ts';
import { isEarned, saleState, type Sale } from './sale.ts';

/** A payee's ledger totals, all positive, `reversed` included. */
export interface Balance {
  readonly earned: Cents;
  readonly reversed: Cents;
  /** Kept for some days by the scale, not yet available (LG-03). */
  readonly held: Cents;
  /** Held by open requests, pending or approved (V-16). */
  readonly reserved: Cents;
  readonly paid: Cents;
}

/** Amount left to request: earned − reversed − held − reserved − paid, never below zero (M-08, V-16, LG-03). */
export function availableBalance({ earned, reversed, held, reserved, paid }: Balance): Cents {
  return atLeastZero(earned - reversed - held - reserved - paid);
}

/** Overpayment: paid beyond what is still earned and not held once a validation was cancelled. Above zero, no request is accepted (S-11). */
export function debt({ earned, reversed, held, paid }: Balance): Cents {
  return atLeastZero(paid + held + reversed - earned);
}

type SummedSale = Pick<
  Sale,
  | 'status'
  | 'readyForValidation'
  | 'adminValidated'
  | 'correctsSaleId'
  | 'contractLeft'
  | 'contractAmount'
  | 'clientCommissionAmount'
  | 'commercialCommissionAmount'
>;

/** Contracts signed among sales: validated ones, each cancelled one taken back by its correction; one in part takes none (D-07, S-11, LG-04). */
export function signedContractsCount(sales: readonly SummedSale[]): number {
  return sales
    .filter((sale) => sale.status === 'validated')
    .reduce(
      (count, sale) => count + (sale.correctsSaleId === null ? 1 : (sale.contractLeft ?? null) === null ? -1 : 0),
      0,
    );
}

/** Revenue of sales: the sum of contract amounts of the validated ones (D-07). */
export function revenueOf(sales: readonly SummedSale[]): Cents {
  return sum(sales.filter((sale) => sale.status === 'validated').map((sale) => sale.contractAmount ?? 0n));
}

/** A client's referrals summed up (D-07): count, signed contracts, revenue. */
export function referralFigures(referrals: readonly SummedSale[]): {
  readonly referralsCount: number;
  readonly signedContractsCount: number;
  readonly revenue: Cents;
} {
  return {
    referralsCount: referrals.filter((sale) => sale.correctsSaleId === null).length,
    signedContractsCount: signedContractsCount(referrals),
    revenue: revenueOf(referrals),
  };
}

/** The figures of the client's cards (CL-02, CL-06, CL-07). */
export interface ClientFigures {
  readonly friendsInvitedCount: number;
  readonly signedContractsCount: number;
  /** Sum of the client's commissions on validated sales (M-07). */
  readonly totalCommissions: Cents;
  /** The part of it the admin has validated (M-07, S-08). */
  readonly validatedCommissions: Cents;
  /** The rest of it: signed according to the commercial, not yet validated by the admin (M-07, S-08). */
  readonly pendingCommissions: Cents;
  readonly available: Cents;
  readonly debt: Cents;
  readonly openRequestsAmount: Cents;
  readonly paidRequestsAmount: Cents;
}

/** The client's figures, from the sales whose commission is theirs and from their requests (M-07, M-08, CL-10). */
export function clientFigures(
  sales: readonly SummedSale[],
  requests: readonly Pick<PaymentRequest, 'status' | 'amount'>[],
): ClientFigures {
  const ofClient = (some: readonly SummedSale[]) => sum(some.map((sale) => sale.clientCommissionAmount ?? 0n));
  const validatedCommissions = ofClient(sales.filter(isEarned));
  const reserved = sum(requests.filter(isOpen).map((request) => request.amount));
  const paid = paidRequestsOf(requests);
  const balance = { earned: validatedCommissions, reversed: 0n, held: 0n, reserved, paid };
  return {
    friendsInvitedCount: sales.filter((sale) => sale.correctsSaleId === null).length,
    signedContractsCount: signedContractsCount(sales),
    totalCommissions: ofClient(sales.filter((sale) => sale.status === 'validated')),
    validatedCommissions,
    pendingCommissions: ofClient(sales.filter((sale) => sale.status === 'validated' && !isEarned(sale))),
    available: availableBalance(balance),
    debt: debt(balance),
    openRequestsAmount: reserved,
    paidRequestsAmount: paid,
  };
}

/** The figures of the commercial's cards (CO-08). */
export interface CommercialFigures {
  readonly signedContractsCount: number;
  readonly revenue: Cents;
  readonly earnedCommissions: Cents;
  /** Of contracts signed according to the commercial, not yet validated by the admin (M-09, S-08). */
  readonly pendingCommissions: Cents;
  /** Of contracts transmitted for validation (CO-10): a forecast, in no other figure. */
  readonly forecastCommissions: Cents;
  readonly transmittedContractsCount: number;
}

/** The commercial's figures, from their sales (M-09, S-08). */
export function commercialFigures(sales: readonly SummedSale[]): CommercialFigures {
  const ofCommercial = (some: readonly SummedSale[]) => sum(some.map((sale) => sale.commercialCommissionAmount ?? 0n));
  const earned = sales.filter(isEarned);
  const transmitted = sales.filter((sale) => saleState(sale) === 'awaiting_final_validation');
  return {
    signedContractsCount: signedContractsCount(earned),
    revenue: revenueOf(earned),
    earnedCommissions: ofCommercial(earned),
    pendingCommissions: ofCommercial(sales.filter((sale) => saleState(sale) === 'awaiting_admin_validation')),
    forecastCommissions: ofCommercial(transmitted),
    transmittedContractsCount: transmitted.length,
  };
}

/** The figures of the admin's overview that are counted in sales and euros (AD-03). */
export interface AdminFigures {
  readonly validatedSalesCount: number;
  readonly totalRevenue: Cents;
  readonly pendingCommissions: Cents;
  readonly paidCommissions: Cents;
}

/**
 * The admin's figures, from every sale, commission payment and payment request (M-04, M-05, M-06). The pending amount is a plain
 * difference: negative where more was paid than the validated sales still give (S-11).
 */
export function adminFigures(
  sales: readonly (SummedSale & Pick<Sale, 'id'>)[],
  payments: readonly Pick<CommissionPayment, 'status' | 'amount' | 'saleId'>[],
  requests: readonly Pick<PaymentRequest, 'status' | 'amount'>[],
): AdminFigures {
  const earned = sales.filter(isEarned);
  const commissions = sum(
    earned.map((sale) => (sale.clientCommissionAmount ?? 0n) + (sale.commercialCommissionAmount ?? 0n)),
  );
  const validated = new Set(earned.map((sale) => sale.id));
  return {
    validatedSalesCount: signedContractsCount(earned),
    totalRevenue: revenueOf(earned),
    pendingCommissions: commissions - paidRequestsOf(requests),
    paidCommissions: sum(
      payments
        .filter((payment) => payment.status === 'paid' && validated.has(payment.saleId))
        .map((payment) => payment.amount),
    ),
  };
}

function paidRequestsOf(requests: readonly Pick<PaymentRequest, 'status' | 'amount'>[]): Cents {
  return sum(requests.filter((request) => request.status === 'paid').map((request) => request.amount));
}

function atLeastZero(cents: Cents): Cents {
  return cents > 0n ? cents : 0n;
}
