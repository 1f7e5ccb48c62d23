import { isOutsideEea } from './eea.ts';
import { isNever } from './never.ts';
import type { Standing } from './standing.ts';
import type { Cents } from './money.ts';
import { ofName } from './of-name.ts';
import type { Role } from './role.ts';
import type { Tone } from './sale.ts';
import { unreachable } from './unreachable.ts';
import type { Vat } from './vat.ts';

export const paymentRequestStatuses = ['pending', 'approved', 'rejected', 'paid', 'returned'] as const;
export type PaymentRequestStatus = (typeof paymentRequestStatuses)[number];

/**
 * The legal moves per actor (S-09): the admin decides, may annul an approval until it is paid, and notes that a bank sent a transfer
 * back (PO-02); the client only creates, the commercial has no part in it.
 */
export const paymentRequestMoves: Readonly<
  Record<Role, Readonly<Record<PaymentRequestStatus, readonly PaymentRequestStatus[]>>>
> = {
  admin: {
    pending: ['approved', 'rejected'],
    approved: ['paid', 'pending'],
    rejected: [],
    paid: ['returned'],
    returned: [],
  },
  commercial: { pending: [], approved: [], rejected: [], paid: [], returned: [] },
  client: { pending: [], approved: [], rejected: [], paid: [], returned: [] },
  comptable: { pending: [], approved: [], rejected: [], paid: [], returned: [] },
};

/** True if the actor may move a request from one status to another (S-09). */
export function canMovePaymentRequest(actor: Role, from: PaymentRequestStatus, to: PaymentRequestStatus): boolean {
  return paymentRequestMoves[actor][from].includes(to);
}

/** The status on screen (S-09). */
export const paymentRequestLabels: Readonly<Record<PaymentRequestStatus, string>> = {
  pending: 'En attente',
  approved: 'Approuvée',
  rejected: 'Refusée',
  paid: 'Payée',
  returned: 'Revenue',
};

/** The button that leads to a status (AD-10). */
export const paymentRequestActionLabels: Readonly<Record<PaymentRequestStatus, string>> = {
  pending: 'Annuler l’approbation',
  approved: 'Approuver',
  rejected: 'Refuser',
  paid: 'Marquer payé',
  returned: 'Revenu de la banque',
};

/** The same button of one request among many, which says whose: « Approuver la demande de Léa Martin » (DF-84). */
export function paymentRequestActionName(to: PaymentRequestStatus, fullName: string): string {
  const ofWhom = ofName(fullName);
  switch (to) {
    case 'approved':
    case 'rejected':
      return `${paymentRequestActionLabels[to]} la demande ${ofWhom}`;
    case 'pending':
      return `${paymentRequestActionLabels[to]} de la demande ${ofWhom}`;
    case 'paid':
    case 'returned':
      return `${paymentRequestActionLabels[to]} : la demande ${ofWhom}`;
  }
}

export const paymentRequestTones: Readonly<Record<PaymentRequestStatus, Tone>> = {
  pending: 'amber',
  approved: 'blue',
  rejected: 'red',
  paid: 'green',
  returned: 'red',
};

/** Of what is paid only a transfer comes back (PO-02). */
export function mayComeBack(request: { readonly paymentMethod: string }): boolean {
  return request.paymentMethod === 'virement';
}

/** True if the request's amount is reserved: no longer available, not yet paid (V-16). */
export function isOpen(request: { readonly status: PaymentRequestStatus }): boolean {
  return request.status === 'pending' || request.status === 'approved';
}

export const paymentMethods = ['virement', 'cheque_cadeau', 'association', 'remise_societe'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

export const paymentMethodDefault: PaymentMethod = 'virement';

export const paymentMethodLabels: Readonly<Record<PaymentMethod, string>> = {
  virement: 'Virement bancaire',
  cheque_cadeau: 'Chèque cadeau',
  association: 'Don à une association',
  remise_societe: 'Remise société',
};

/** The method in French; one that is not of the four is shown as the company discount (D-10). */
export function paymentMethodLabel(method: string): string {
  return paymentMethodLabels[paymentMethodOf(method)];
}

/** The method a stored word stands for (D-10). */
export function paymentMethodOf(method: string): PaymentMethod {
  return paymentMethods.find((known) => known === method) ?? 'remise_societe';
}

/** The details each method needs to be paid (D-09). */
export type PaymentDetails =
  | {
      readonly method: 'virement';
      readonly iban: string;
      readonly beneficiaryName: string;
      readonly abroad?: AccountAbroad | undefined;
    }
  | { readonly method: 'cheque_cadeau'; readonly giftCardType: string }
  | { readonly method: 'association'; readonly associationName: string; readonly associationDetails: string }
  | { readonly method: 'remise_societe'; readonly companyAccount: string | null };

/** Said of an account outside the European Economic Area (AC-09): the BIC of its bank, the address of its holder. */
export interface AccountAbroad {
  readonly bic: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  /** Two capitals, as ISO 3166 has it. */
  readonly country: string;
}

/** The account of an earlier request of the same client, which only the server reads in clear (UI-10). */
export interface SameAccount {
  readonly method: 'virement';
  readonly sameAs: string;
  readonly beneficiaryName: string;
}

/**
 * UI-10: for each means the newest of these requests (newest first), whose details its client need not give again. Where the
 * company refused it or the bank sent it back, its details may be why: they are asked for. So are those of an account that the bank
 * refused, and a BIC that is not known yet (AC-09).
 */
export function remembered(requests: readonly PaymentRequest[]): ReadonlyMap<PaymentMethod, PaymentRequest> {
  const newest = new Map<PaymentMethod, PaymentRequest>();
  for (const request of requests.toReversed()) newest.set(paymentMethodOf(request.paymentMethod), request);
  for (const [method, request] of newest) if (!maySuit(request)) newest.delete(method);
  return newest;
}

function maySuit({ status, ibanUsableFrom, paymentDetails: details }: PaymentRequest): boolean {
  if (status === 'rejected' || status === 'returned' || isNever(ibanUsableFrom)) return false;
  return details.method !== 'virement' || details.abroad !== undefined || !isOutsideEea(details.iban);
}

/** The details as labelled lines, in reading order. */
export function paymentDetailLines(
  details: PaymentDetails,
): readonly { readonly label: string; readonly value: string }[] {
  switch (details.method) {
    case 'virement':
      return [
        { label: 'IBAN', value: details.iban },
        { label: 'Bénéficiaire', value: details.beneficiaryName },
        ...abroadLines(details.abroad),
      ];
    case 'cheque_cadeau':
      return [{ label: 'Type de chèque cadeau', value: details.giftCardType }];
    case 'association':
      return [
        { label: 'Association', value: details.associationName },
        { label: 'Coordonnées', value: details.associationDetails },
      ];
    case 'remise_societe':
      return details.companyAccount === null ? [] : [{ label: 'Compte société', value: details.companyAccount }];
    default:
      return unreachable(details);
  }
}

/** The BIC, and the address where it is in clear. */
function abroadLines(abroad: AccountAbroad | undefined) {
  if (abroad === undefined) return [];
  const { bic, street, postalCode, city, country } = abroad;
  const address = [street, `${postalCode} ${city}`.trim(), country].filter((part) => part !== '').join(', ');
  return [{ label: 'BIC', value: bic }, ...(address === '' ? [] : [{ label: 'Adresse', value: address }])];
}

/** A client's request to be paid (D-05). */
export interface PaymentRequest {
  readonly id: string;
  readonly clientId: string;
  /** Of the commission, before tax. */
  readonly amount: Cents;
  /** VAT paid on top of the amount, set when the request is made; null where there is none (PP-02). */
  readonly vat: Vat | null;
  /** As stored; show it with {@link paymentMethodLabel}. */
  readonly paymentMethod: string;
  readonly paymentDetails: PaymentDetails;
  readonly status: PaymentRequestStatus;
  readonly adminNotes: string | null;
  readonly rejectionReason: string | null;
  /** Why a request that had been approved waits again (FX-10). */
  readonly approvalAnnulledReason: string | null;
  /** Grows with each change: the admin decides on the version that was seen (FX-11). */
  readonly version: number;
  readonly createdAt: string;
  readonly approvedAt: string | null;
  readonly paidAt: string | null;
  /** Time and reason of the transfer's return by the bank (PO-02). */
  readonly returnedAt: string | null;
  readonly returnReason: string | null;
  /** Proof of the payment (PO-03): its reference, the association that received a donation, and the name of a file. */
  readonly settlement: {
    readonly reference: string | null;
    readonly association: { readonly name: string; readonly number: string | null } | null;
    readonly proofName: string | null;
  };
  /** PO-04: the instant from which its changed account may be used; null once it may. AC-09: never, where its bank refused it. */
  readonly ibanUsableFrom: string | null;
  readonly client: { readonly fullName: string; readonly email: string; readonly phone: string | null } | null;
  /** Obstacles to a decision on it (DF-40), in rows that an admin reads. */
  readonly standing?: readonly Standing[];
}

/** « La Croix-Rouge (775672272) »: who received a donation, its number where it is known. */
export function associationText({ name, number }: { readonly name: string; readonly number: string | null }): string {
  return number === null ? name : `${name} (${number})`;
}
