import { formatEuros, fromWire, type Cents } from './money.ts';
import type { Tone } from './sale.ts';
import { vatFromWire, vatOf, vatRateOn, withVat, type Vat } from './vat.ts';

// AC-04: the invoice of a payee who gave no mandate, for a transfer that a client asked for or for a commercial's month.

export const payeeInvoiceStatuses = ['sent', 'accepted', 'refused', 'lapsed'] as const;
export type PayeeInvoiceStatus = (typeof payeeInvoiceStatuses)[number];

export const payeeInvoiceLabels: Readonly<Record<PayeeInvoiceStatus, string>> = {
  sent: 'À vérifier',
  accepted: 'Acceptée',
  refused: 'Refusée',
  lapsed: 'Sans suite',
};

export const payeeInvoiceTones: Readonly<Record<PayeeInvoiceStatus, Tone>> = {
  sent: 'amber',
  accepted: 'green',
  refused: 'red',
  lapsed: 'neutral',
};

export const payeeInvoiceNumberLengthMax = 40;

export interface PayeeInvoice {
  readonly id: string;
  /** Null of a month's. */
  readonly requestId: string | null;
  /** The first day of a commercial's month, « 2026-10-01 »; null of a request's. */
  readonly month: string | null;
  readonly number: string;
  /** A day, « 2026-11-23 ». */
  readonly invoicedOn: string;
  /** Before tax. */
  readonly amount: Cents;
  readonly vat: Vat | null;
  readonly status: PayeeInvoiceStatus;
  readonly refusalReason: string | null;
}

/** Row of payee_invoices. */
export interface PayeeInvoiceRow {
  readonly id: string;
  readonly request_id: string | null;
  readonly month: string | null;
  readonly number: string;
  readonly invoiced_on: string;
  readonly amount: number | string;
  readonly vat_rate: number | string | null;
  readonly vat_amount: number | string | null;
  readonly status: PayeeInvoiceStatus;
  readonly refusal_reason: string | null;
}

export function payeeInvoiceToDomain(row: PayeeInvoiceRow): PayeeInvoice {
  return {
    id: row.id,
    requestId: row.request_id,
    month: row.month,
    number: row.number,
    invoicedOn: row.invoiced_on,
    amount: fromWire(row.amount),
    vat: vatFromWire(row.vat_rate, row.vat_amount),
    status: row.status,
    refusalReason: row.refusal_reason,
  };
}

/** States of the invoice of a month that is to be paid: awaited of who writes their own and has sent none. */
export type MonthInvoice = 'awaited' | Exclude<PayeeInvoiceStatus, 'lapsed'>;

export const monthInvoiceLabels: Readonly<Record<MonthInvoice, string>> = {
  awaited: 'Facture attendue',
  sent: 'Facture à vérifier',
  accepted: 'Facture acceptée',
  refused: 'Facture refusée',
};

/** Thing that an invoice is for: a transfer that a client asked for, or a commercial's month. */
export type Invoiced = 'request' | 'month';

/** Terms that the invoice of a request or of a month has to meet. */
export interface InvoiceTerms {
  readonly of: Invoiced;
  /** Of the request or the month, before tax. */
  readonly amount: Cents;
  readonly chargesVat: boolean;
  /** Day of the payee's first commission, and today: a service is invoiced between the two. */
  readonly from: string;
  readonly today: string;
}

/** Amounts that an invoice of this day has to have. */
export function expectedInvoice(
  { amount, chargesVat }: Pick<InvoiceTerms, 'amount' | 'chargesVat'>,
  day: string,
): { readonly amount: Cents; readonly vat: Cents; readonly total: Cents } {
  const rate = chargesVat ? vatRateOn(day) : null;
  const vat = rate === null ? null : vatOf(amount, rate);
  return { amount, vat: vat?.amount ?? 0n, total: withVat({ amount, vat }) };
}

export const invoiceSent = 'Facture envoyée : l’entreprise la vérifie avant de vous payer';
export const invoiceAccepted = 'Facture acceptée, le bénéficiaire est prévenu';
export const invoiceRefused = 'Facture refusée, le bénéficiaire est prévenu';
export const invoiceNotSelected = 'Indiquez la facture.';
export const invoiceMonthRequired = 'Indiquez le mois de la facture.';
export const invoiceNumberRequired = 'Indiquez le numéro de la facture.';
export const invoiceDayRequired = 'Indiquez le jour de la facture.';
export const invoiceAmountRequired = 'Indiquez ce montant, comme sur la facture.';
export const invoiceFileRequired = 'Joignez la facture en PDF, de 5 Mo au plus.';
export const invoiceFileDamaged = 'Ce PDF est vide ou abîmé : enregistrez-le de nouveau, puis joignez-le.';
export const invoiceDayAhead = 'La facture ne peut pas être datée d’un jour à venir.';

export function invoiceDayTooEarly(firstDay: string): string {
  return `La facture ne peut pas dater d’avant votre première commission, le ${firstDay}.`;
}

export function invoiceAmountWrong(expected: Cents, of: Invoiced): string {
  return `Le montant hors taxe doit être celui de ${of === 'month' ? 'votre mois' : 'votre demande'} : ${formatEuros(expected)}.`;
}

export function invoiceVatWrong(expected: Cents): string {
  return expected === 0n
    ? 'Vous avez déclaré ne pas facturer la TVA : elle doit être de 0,00 €, ou corrigez vos informations légales.'
    : `La TVA sur cette somme est de ${formatEuros(expected)}.`;
}

export function invoiceTotalWrong(expected: Cents): string {
  return `Le total doit être de ${formatEuros(expected)} : le montant hors taxe et la TVA.`;
}
