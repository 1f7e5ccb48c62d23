import { paymentMethodLabel, paymentMethods, type PaymentMethod } from './payment-request.ts';

/** Acts by which money leaves the company or comes back: those that the ledger posts to and from « Payé » (PO-02, PO-05). */
export const paymentActs = ['settlement', 'payroll', 'return'] as const;
export type PaymentAct = (typeof paymentActs)[number];

export const paymentActLabels: Readonly<Record<PaymentAct, string>> = {
  settlement: 'Demande payée',
  payroll: 'Commissions payées',
  return: 'Virement revenu',
};

export function isPaymentAct(word: string): word is PaymentAct {
  return paymentActs.some((known) => known === word);
}

/** The means of a payment, or the commercials' months, which are paid outside of the requests. */
export const paidBys = [...paymentMethods, 'paie'] as const;
export type PaidBy = PaymentMethod | 'paie';

export function paidByLabel(word: string): string {
  return word === 'paie' ? 'Commissions du mois' : paymentMethodLabel(word);
}
