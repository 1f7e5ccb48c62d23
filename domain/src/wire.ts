import * as z from 'zod/mini';
import type { Balance } from './balance.ts';
import {
  commissionPaymentTypes,
  commissionTypes,
  type CommissionPayment,
  type CommissionRate,
  type CommissionScale,
  type CommissionSide,
  type CommissionType,
} from './commission.ts';
import { fromWire, toWire, type Cents } from './money.ts';
import {
  paymentMethodOf,
  paymentMethods,
  paymentRequestStatuses,
  type AccountAbroad,
  type PaymentDetails,
  type PaymentRequest,
} from './payment-request.ts';
import { percentFromWire, percentToWire } from './percent.ts';
import type { Profile } from './profile.ts';
import type { RequestRules } from './request-rules.ts';
import { roles } from './role.ts';
import { saleStatuses, type Sale } from './sale.ts';
import { vatFromWire } from './vat.ts';
import { standingFromWire } from './standing.ts';

// Rows as the REST layer gives them, in snake_case and euros, and the domain's words for them, in camelCase and cents.
// Columns that nobody here reads are left out: a row may carry more.

const text = z.string();
const maybeText = z.nullable(z.string());
const amount = z.union([z.number(), z.string()]);
const maybeAmount = z.nullable(amount);
const sideType = z.enum(commissionTypes);
const person = z.object({ full_name: text, email: z.optional(maybeText), phone: z.optional(maybeText) });
const maybePerson = z.optional(z.nullable(person));

/** A row of profiles (D-01). */
export const profileRow = z.object({
  id: text,
  full_name: text,
  email: text,
  phone: maybeText,
  role: z.enum(roles),
  created_at: text,
  company: maybeText,
  notes: maybeText,
  commercial_id: maybeText,
  deactivated_at: z.optional(maybeText),
  is_test: z.optional(z.boolean()),
});
export type ProfileRow = z.infer<typeof profileRow>;

export function profileToDomain(row: ProfileRow): Profile {
  return {
    id: row.id,
    fullName: row.full_name,
    email: row.email,
    phone: row.phone,
    role: row.role,
    company: row.company,
    notes: row.notes,
    commercialId: row.commercial_id,
    deactivatedAt: row.deactivated_at ?? null,
    isTest: row.is_test ?? false,
    createdAt: row.created_at,
  };
}

/** A row of commission_rates (D-03). */
export const commissionRateRow = z.object({
  id: text,
  name: text,
  description: maybeText,
  client_commission_type: sideType,
  client_commission_amount: amount,
  commercial_commission_type: sideType,
  commercial_commission_amount: amount,
  client_hold_days: z.optional(z.number()),
  from_contract_amount: z.optional(maybeAmount),
  created_at: text,
  is_default: z.boolean(),
  archived_at: maybeText,
});
export type CommissionRateRow = z.infer<typeof commissionRateRow>;

export function commissionRateToDomain(row: CommissionRateRow): CommissionRate {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    scale: {
      client: commissionSideToDomain(row.client_commission_type, row.client_commission_amount),
      commercial: commissionSideToDomain(row.commercial_commission_type, row.commercial_commission_amount),
    },
    clientHoldDays: row.client_hold_days ?? 0,
    fromContractAmount: maybeCents(row.from_contract_amount ?? null),
    isDefault: row.is_default,
    archivedAt: row.archived_at,
    createdAt: row.created_at,
  };
}

/** One side of a scale, whose single number is a percentage or euros depending on its type. */
export function commissionSideToDomain(type: CommissionType, value: number | string): CommissionSide {
  return type === 'percentage' ? { type, basisPoints: percentFromWire(value) } : { type, amount: fromWire(value) };
}

/** The number of a side as the wire carries it: « 12.5 » percent or « 50.00 » euros. */
export function commissionSideToWire(side: CommissionSide): { readonly type: CommissionType; readonly amount: string } {
  return side.type === 'percentage'
    ? { type: side.type, amount: percentToWire(side.basisPoints) }
    : { type: side.type, amount: toWire(side.amount) };
}

/**
 * A row of sales (D-02), with the people it names where the query joined them (RE-05, RE-07) or the referrer's name
 * where the commercial's list carries it (RE-12).
 */
export const saleRow = z.object({
  id: text,
  created_at: text,
  status: z.enum(saleStatuses),
  referred_contact_name: text,
  referred_contact_email: maybeText,
  referred_contact_phone: maybeText,
  personal_message: maybeText,
  contract_amount: maybeAmount,
  contract_description: maybeText,
  commercial_notes: z.optional(maybeText),
  commercial_id: maybeText,
  client_referrer_id: maybeText,
  friend_referrer_id: maybeText,
  // The column is the scale's id; a query that joins the scale under the same name gets the scale instead.
  commission_rate: z.nullable(z.union([text, z.looseObject({ id: text })])),
  ready_for_validation: z.boolean(),
  admin_validated: z.boolean(),
  rejection_reason: maybeText,
  validated_at: maybeText,
  validated_by: z.optional(maybeText),
  client_commission_amount: maybeAmount,
  commercial_commission_amount: maybeAmount,
  client_commission_type: z.nullable(sideType),
  client_commission_rate: maybeAmount,
  commercial_commission_type: z.nullable(sideType),
  commercial_commission_rate: maybeAmount,
  corrects_sale_id: maybeText,
  correction_reason: z.optional(maybeText),
  contract_left: z.optional(maybeAmount),
  version: z.number(),
  is_test: z.boolean(),
  commercial: maybePerson,
  client_referrer: maybePerson,
  friend_referrer: maybePerson,
  client_name: z.optional(maybeText),
  standing: z.optional(z.unknown()),
});
export type SaleRow = z.infer<typeof saleRow>;

export function saleToDomain(row: SaleRow): Sale {
  return {
    id: row.id,
    createdAt: row.created_at,
    status: row.status,
    readyForValidation: row.ready_for_validation,
    adminValidated: row.admin_validated,
    correctsSaleId: row.corrects_sale_id,
    contractLeft: maybeCents(row.contract_left ?? null),
    referredContactName: row.referred_contact_name,
    referredContactEmail: row.referred_contact_email,
    referredContactPhone: row.referred_contact_phone,
    personalMessage: row.personal_message,
    contractAmount: maybeCents(row.contract_amount),
    contractDescription: row.contract_description,
    commercialNotes: row.commercial_notes ?? null,
    commercialId: row.commercial_id,
    clientReferrerId: row.client_referrer_id,
    friendReferrerId: row.friend_referrer_id,
    commissionRateId: typeof row.commission_rate === 'object' ? (row.commission_rate?.id ?? null) : row.commission_rate,
    scale: saleScale(row),
    rejectionReason: row.rejection_reason,
    validatedAt: row.validated_at,
    validatedBy: row.validated_by ?? null,
    clientCommissionAmount: maybeCents(row.client_commission_amount),
    commercialCommissionAmount: maybeCents(row.commercial_commission_amount),
    correctionReason: row.correction_reason ?? null,
    version: row.version,
    isTest: row.is_test,
    commercialName: row.commercial?.full_name ?? null,
    clientReferrerName: row.client_referrer?.full_name ?? row.client_name ?? null,
    friendReferrerName: row.friend_referrer?.full_name ?? null,
    standing: standingFromWire(row.standing),
  };
}

/** A row of commission_payments (D-04), with its recipient (RE-08) and sale (RE-08, RE-09) where they were joined. */
export const commissionPaymentRow = z.object({
  id: text,
  sale_id: text,
  recipient_id: text,
  type: z.enum(commissionPaymentTypes),
  amount,
  status: z.literal('paid'),
  created_at: text,
  paid_at: maybeText,
  recipient: maybePerson,
  sale: z.optional(z.nullable(z.object({ referred_contact_name: text }))),
});
export type CommissionPaymentRow = z.infer<typeof commissionPaymentRow>;

export function commissionPaymentToDomain(row: CommissionPaymentRow): CommissionPayment {
  return {
    id: row.id,
    saleId: row.sale_id,
    recipientId: row.recipient_id,
    type: row.type,
    amount: fromWire(row.amount),
    status: row.status,
    createdAt: row.created_at,
    paidAt: row.paid_at,
    recipientName: row.recipient?.full_name ?? null,
    saleContactName: row.sale?.referred_contact_name ?? null,
  };
}

/** A row of payment_requests (D-05), with its client where the query joined them (RE-10). */
export const paymentRequestRow = z.object({
  id: text,
  client_id: text,
  amount,
  vat_rate: z.optional(maybeAmount),
  vat_amount: z.optional(maybeAmount),
  payment_method: text,
  payment_details: z.nullable(z.record(z.string(), z.unknown())),
  status: z.enum(paymentRequestStatuses),
  admin_notes: maybeText,
  rejection_reason: maybeText,
  approval_annulled_reason: maybeText,
  version: z.number(),
  created_at: text,
  approved_at: maybeText,
  paid_at: maybeText,
  returned_at: maybeText,
  return_reason: maybeText,
  settlement_reference: z.optional(maybeText),
  association_name: z.optional(maybeText),
  association_number: z.optional(maybeText),
  proof: z.optional(z.nullable(z.object({ name: text }))),
  iban: z.optional(z.nullable(z.object({ usable_from: text }))),
  client: maybePerson,
  standing: z.optional(z.unknown()),
});
export type PaymentRequestRow = z.infer<typeof paymentRequestRow>;

export function paymentRequestToDomain(row: PaymentRequestRow): PaymentRequest {
  return {
    id: row.id,
    clientId: row.client_id,
    amount: fromWire(row.amount),
    vat: vatFromWire(row.vat_rate, row.vat_amount),
    paymentMethod: row.payment_method,
    paymentDetails: paymentDetailsToDomain(row.payment_method, row.payment_details ?? {}),
    status: row.status,
    adminNotes: row.admin_notes,
    rejectionReason: row.rejection_reason,
    approvalAnnulledReason: row.approval_annulled_reason,
    version: row.version,
    createdAt: row.created_at,
    approvedAt: row.approved_at,
    paidAt: row.paid_at,
    returnedAt: row.returned_at,
    returnReason: row.return_reason,
    settlement: {
      reference: row.settlement_reference ?? null,
      association: row.association_name ? { name: row.association_name, number: row.association_number ?? null } : null,
      proofName: row.proof?.name ?? null,
    },
    ibanUsableFrom: row.iban && new Date(row.iban.usable_from) > new Date() ? row.iban.usable_from : null,
    client: row.client
      ? { fullName: row.client.full_name, email: row.client.email ?? '', phone: row.client.phone ?? null }
      : null,
    standing: standingFromWire(row.standing),
  };
}

/** The stored details, the IBAN masked or clear as the reader may see it; an unknown method is a company discount (D-09, D-10). */
export function paymentDetailsToDomain(method: string, details: Readonly<Record<string, unknown>>): PaymentDetails {
  const field = (name: string): string => {
    const value = details[name];
    return typeof value === 'string' ? value : '';
  };
  const known = paymentMethodOf(method);
  switch (known) {
    case 'virement':
      return {
        method: known,
        iban: field('iban'),
        beneficiaryName: field('beneficiary_name'),
        abroad: abroadFromWire(details) ?? undefined,
      };
    case 'cheque_cadeau':
      return { method: known, giftCardType: field('gift_card_type') };
    case 'association':
      return {
        method: known,
        associationName: field('association_name'),
        associationDetails: field('association_details'),
      };
    case 'remise_societe':
      return { method: known, companyAccount: field('company_account') || null };
  }
}

/** Details of an account outside the European Economic Area (AC-09), the address empty where it is sealed; null without a BIC. */
export function abroadFromWire(details: Readonly<Record<string, unknown>>): AccountAbroad | null {
  const field = (name: string) => (typeof details[name] === 'string' ? details[name] : '');
  const bic = field('bic');
  if (bic === '') return null;
  const [street, postalCode] = [field('street'), field('postal_code')];
  return { bic, street, postalCode, city: field('city'), country: field('country') };
}

/** The same in the wire's words (AC-09); nothing of an account within the European Economic Area. */
export function abroadToWire(abroad: AccountAbroad | undefined): Readonly<Record<string, string>> {
  return abroad === undefined
    ? {}
    : {
        bic: abroad.bic,
        street: abroad.street,
        postal_code: abroad.postalCode,
        city: abroad.city,
        country: abroad.country,
      };
}

/** The details in the wire's words (D-09). */
export function paymentDetailsToWire(details: PaymentDetails): Readonly<Record<string, string | null>> {
  switch (details.method) {
    case 'virement':
      return { iban: details.iban, beneficiary_name: details.beneficiaryName, ...abroadToWire(details.abroad) };
    case 'cheque_cadeau':
      return { gift_card_type: details.giftCardType };
    case 'association':
      return { association_name: details.associationName, association_details: details.associationDetails };
    case 'remise_societe':
      return { company_account: details.companyAccount };
  }
}

/** The company as the interface shows it (D-06). */
export interface CompanySettings {
  readonly companyName: string;
  readonly logoUrl: string | null;
}

/** The name shown where none is loaded (H-01). */
export const companyNameDefault = 'Mon Entreprise';

/** The row of company_settings (D-06). */
export const companySettingsRow = z.object({ company_name: text, logo_url: maybeText });
export type CompanySettingsRow = z.infer<typeof companySettingsRow>;

export function companySettingsToDomain(row: CompanySettingsRow): CompanySettings {
  return { companyName: row.company_name, logoUrl: row.logo_url };
}

/** Limits on payment requests, in the columns of company_settings (PO-06). */
export interface RequestRulesRow {
  readonly smallest_request: number | string;
  readonly payment_methods: readonly string[];
  readonly requests_from_day: number | null;
  readonly requests_to_day: number | null;
}

export function requestRulesToDomain(row: RequestRulesRow): RequestRules {
  const { requests_from_day: from, requests_to_day: to } = row;
  return {
    smallest: fromWire(row.smallest_request),
    methods: paymentMethods.filter((method) => row.payment_methods.includes(method)),
    days: from === null || to === null ? null : { from, to },
  };
}

/** A row of balances. */
export const balanceRow = z.object({
  profile_id: text,
  earned: amount,
  reversed: amount,
  held: amount,
  reserved: amount,
  paid: amount,
});
export type BalanceRow = z.infer<typeof balanceRow>;

export function balanceToDomain(row: BalanceRow): Balance {
  return {
    earned: fromWire(row.earned),
    reversed: fromWire(row.reversed),
    held: fromWire(row.held),
    reserved: fromWire(row.reserved),
    paid: fromWire(row.paid),
  };
}

function saleScale(row: SaleRow): CommissionScale | null {
  const { client_commission_type: clientType, client_commission_rate: clientRate } = row;
  const { commercial_commission_type: commercialType, commercial_commission_rate: commercialRate } = row;
  if (clientType === null || clientRate === null || commercialType === null || commercialRate === null) return null;
  return {
    client: commissionSideToDomain(clientType, clientRate),
    commercial: commissionSideToDomain(commercialType, commercialRate),
  };
}

function maybeCents(value: number | string | null): Cents | null {
  return value === null ? null : fromWire(value);
}
