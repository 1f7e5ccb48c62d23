import { formatEuros, percentOf, type Cents } from './money.ts';
import { formatPercent, type BasisPoints } from './percent.ts';
import { unreachable } from './unreachable.ts';

/** The two ways of computing a side of a scale (section 9). */
export const commissionTypes = ['percentage', 'fixed'] as const;
export type CommissionType = (typeof commissionTypes)[number];

export const commissionTypeLabels: Readonly<Record<CommissionType, string>> = {
  percentage: 'Pourcentage',
  fixed: 'Montant fixe',
};

/** One side of a scale: a share of the contract, or a fixed amount. */
export type CommissionSide =
  | { readonly type: 'percentage'; readonly basisPoints: BasisPoints }
  | { readonly type: 'fixed'; readonly amount: Cents };

/** A barème: what the client and the commercial earn on a sale. */
export interface CommissionScale {
  readonly client: CommissionSide;
  readonly commercial: CommissionSide;
}

/** A scale as it is kept (D-03). Once a sale has used it, it is replaced or archived, never edited (S-12). */
export interface CommissionRate {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly scale: CommissionScale;
  /** Days for which a client's commission is kept before it can be asked for (LG-03). */
  readonly clientHoldDays: number;
  /** Contracts from this amount on are proposed this scale by themselves; null where the admin chooses it by hand (SC-03). */
  readonly fromContractAmount: Cents | null;
  readonly isDefault: boolean;
  readonly archivedAt: string | null;
  readonly createdAt: string;
}

/** The commissions of one sale. */
export interface Commissions {
  readonly client: Cents;
  readonly commercial: Cents;
}

export const commissionPaymentTypes = ['client', 'commercial'] as const;
export type CommissionPaymentType = (typeof commissionPaymentTypes)[number];

/** A commission credited to someone (D-04); created with status paid at validation (M-03). */
export interface CommissionPayment {
  readonly id: string;
  readonly saleId: string;
  readonly recipientId: string;
  readonly type: CommissionPaymentType;
  readonly amount: Cents;
  readonly status: 'paid';
  readonly createdAt: string;
  readonly paidAt: string | null;
  readonly recipientName: string | null;
  readonly saleContactName: string | null;
}

/**
 * Percentage: contract × rate / 100 rounded to the cent, half away from zero; fixed: the amount itself (M-01).
 * A negative contract is a correction: its commission is the exact opposite of the one it takes back (S-11).
 */
export function commissionAmount(contractAmount: Cents, side: CommissionSide): Cents {
  switch (side.type) {
    case 'percentage':
      return percentOf(contractAmount, side.basisPoints);
    case 'fixed':
      return contractAmount < 0n ? -side.amount : contractAmount === 0n ? 0n : side.amount;
    default:
      return unreachable(side);
  }
}

/** Both commissions of a contract under a scale (M-01). */
export function commissionsOf(contractAmount: Cents, scale: CommissionScale): Commissions {
  return {
    client: commissionAmount(contractAmount, scale.client),
    commercial: commissionAmount(contractAmount, scale.commercial),
  };
}

/** True if both commissions exceed the contract: allowed after one more confirmation (FX-62). */
export function exceedsContract(contractAmount: Cents, commissions: Commissions): boolean {
  const total = commissions.client + commissions.commercial;
  return contractAmount < 0n ? total < contractAmount : total > contractAmount;
}

/** Recipient of the client's commission: the friend referrer, else the client referrer, else none (M-02). */
export function clientCommissionRecipient(sale: {
  readonly friendReferrerId: string | null;
  readonly clientReferrerId: string | null;
}): string | null {
  return sale.friendReferrerId ?? sale.clientReferrerId;
}

/** Both commissions of a sale exactly as validation records them (AD-12): nothing for a client where nobody referred (M-02). */
export function commissionsOfSale(
  sale: {
    readonly contractAmount: Cents;
    readonly friendReferrerId: string | null;
    readonly clientReferrerId: string | null;
  },
  scale: CommissionScale,
): Commissions {
  const commissions = commissionsOf(sale.contractAmount, scale);
  return clientCommissionRecipient(sale) === null ? { ...commissions, client: 0n } : commissions;
}

/** The two ends of a correction: what was left of a contract, and what it leaves. Nothing, where it is taken back in whole. */
export interface ContractChange {
  readonly before: Cents;
  readonly after: Cents;
}

/**
 * The commissions of a contract before a correction and after it, under the scale as the sale recorded it (UI-11, S-12). Corrections of
 * one contract add up to its commission, whatever each of them rounds to (LG-04).
 */
export function correctionOf(
  sale: { readonly friendReferrerId: string | null; readonly clientReferrerId: string | null },
  { before, after }: ContractChange,
  scale: CommissionScale,
): { readonly before: Commissions; readonly after: Commissions } {
  return {
    before: commissionsOfSale({ ...sale, contractAmount: before }, scale),
    after: commissionsOfSale({ ...sale, contractAmount: after }, scale),
  };
}

/** The scale whose threshold a contract reaches, the highest of them; undefined where it reaches none (SC-03). */
export function scaleReached<S extends CommissionRate>(scales: readonly S[], contractAmount: Cents): S | undefined {
  let reached: S | undefined;
  for (const scale of scales) {
    if (scale.fromContractAmount === null || scale.fromContractAmount > contractAmount) continue;
    if (reached === undefined || scale.fromContractAmount > (reached.fromContractAmount ?? 0n)) reached = scale;
  }
  return reached;
}

/**
 * The scale that a contract is proposed: the one whose threshold it reaches, else the default one, else the one of its forecast, else
 * the oldest. `scales` are those in force, the default one first, then the newest (SC-03, AD-12).
 */
export function proposedScale<S extends CommissionRate>(
  scales: readonly S[],
  contractAmount: Cents,
  forecastId: string | null,
): S | undefined {
  return (
    scaleReached(scales, contractAmount) ??
    scales.find((scale) => scale.isDefault) ??
    scales.find((scale) => scale.id === forecastId) ??
    scales.at(-1)
  );
}

/** The payments that the validation of a sale creates: one per side that has a recipient (M-02, M-03). */
export function commissionPaymentsOf(
  sale: {
    readonly friendReferrerId: string | null;
    readonly clientReferrerId: string | null;
    readonly commercialId: string;
  },
  commissions: Commissions,
): readonly { readonly type: CommissionPaymentType; readonly recipientId: string; readonly amount: Cents }[] {
  const clientId = clientCommissionRecipient(sale);
  const commercial = { type: 'commercial', recipientId: sale.commercialId, amount: commissions.commercial } as const;
  if (clientId === null) return [commercial];
  return [{ type: 'client', recipientId: clientId, amount: commissions.client }, commercial];
}

/** The answer to « Pourquoi ? »: « 10 % de 1 234,56 € = 123,46 € », or « Montant fixe : 50,00 € ». */
export function explainCommission(contractAmount: Cents, side: CommissionSide): string {
  const amount = formatEuros(commissionAmount(contractAmount, side));
  switch (side.type) {
    case 'percentage':
      return `${formatPercent(side.basisPoints)} de ${formatEuros(contractAmount)} = ${amount}`;
    case 'fixed':
      return `Montant fixe\u00a0: ${amount}`;
    default:
      return unreachable(side);
  }
}

/** One side in a few characters: « 10 % » or « 50,00 € ». */
export function formatCommissionSide(side: CommissionSide): string {
  switch (side.type) {
    case 'percentage':
      return formatPercent(side.basisPoints);
    case 'fixed':
      return formatEuros(side.amount);
    default:
      return unreachable(side);
  }
}
