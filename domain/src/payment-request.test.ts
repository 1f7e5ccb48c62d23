import { expect, test } from 'vitest';
import {
  canMovePaymentRequest,
  isOpen,
  paymentDetailLines,
  paymentMethodDefault,
  paymentMethodLabel,
  paymentMethodLabels,
  paymentMethods,
  paymentRequestActionLabels,
  paymentRequestActionName,
  paymentRequestLabels,
  paymentRequestStatuses,
  remembered,
  type PaymentRequest,
} from './payment-request.ts';
import { roles } from './role.ts';
import { paymentDetailsToDomain } from './wire.ts';

test('[S-09] [FX-10] [PO-02] pending → approved or rejected, approved → paid or pending again, paid → returned, by the admin alone', () => {
  const legal: string[] = [];
  for (const actor of roles) {
    for (const from of paymentRequestStatuses) {
      for (const to of paymentRequestStatuses) {
        if (canMovePaymentRequest(actor, from, to)) legal.push(`${actor}: ${from} → ${to}`);
      }
    }
  }
  expect(legal).toEqual([
    'admin: pending → approved',
    'admin: pending → rejected',
    // [FX-10] until the money has left.
    'admin: approved → pending',
    'admin: approved → paid',
    'admin: paid → returned',
  ]);
});

test('[S-09] labels and buttons', () => {
  expect(paymentRequestLabels).toEqual({
    pending: 'En attente',
    approved: 'Approuvée',
    rejected: 'Refusée',
    paid: 'Payée',
    returned: 'Revenue',
  });
  expect(paymentRequestActionLabels).toEqual({
    pending: 'Annuler l’approbation',
    approved: 'Approuver',
    rejected: 'Refuser',
    paid: 'Marquer payé',
    returned: 'Revenu de la banque',
  });
});

test('[V-16] a pending or approved request is set aside', () => {
  expect(paymentRequestStatuses.filter((status) => isOpen({ status }))).toEqual(['pending', 'approved']);
});

test('[D-10] an unknown means of payment is the company discount', () => {
  expect(paymentMethods.map(paymentMethodLabel)).toEqual(Object.values(paymentMethodLabels));
  expect(paymentMethodLabel('virement')).toBe('Virement bancaire');
  expect(paymentMethodLabel('crypto')).toBe('Remise société');
  expect(paymentMethodLabel('toString')).toBe('Remise société');
});

test('[V-15] the transfer is the default', () => {
  expect(paymentMethodDefault).toBe('virement');
});

test('[D-09] each means shows its details', () => {
  expect(paymentDetailLines({ method: 'virement', iban: 'FR76', beneficiaryName: 'Ana' })).toEqual([
    { label: 'IBAN', value: 'FR76' },
    { label: 'Bénéficiaire', value: 'Ana' },
  ]);
  expect(paymentDetailLines({ method: 'cheque_cadeau', giftCardType: 'Livres' })).toHaveLength(1);
  expect(
    paymentDetailLines({ method: 'association', associationName: 'Les Restos', associationDetails: 'Paris' }),
  ).toHaveLength(2);
  expect(paymentDetailLines({ method: 'remise_societe', companyAccount: null })).toEqual([]);
  expect(paymentDetailLines({ method: 'remise_societe', companyAccount: 'C12' })).toHaveLength(1);
});

test('[DF-84] the button of one request among many says whose, in French', () => {
  expect(paymentRequestStatuses.map((to) => paymentRequestActionName(to, 'Hélène Aubert'))).toEqual([
    'Annuler l’approbation de la demande d’Hélène Aubert',
    'Approuver la demande d’Hélène Aubert',
    'Refuser la demande d’Hélène Aubert',
    'Marquer payé : la demande d’Hélène Aubert',
    'Revenu de la banque : la demande d’Hélène Aubert',
  ]);
});

test('[UI-10] of each means the newest request is remembered, unless it was refused or came back', () => {
  const asked = (id: string, paymentMethod: string, status: PaymentRequest['status']) =>
    ({
      id,
      paymentMethod,
      status,
      ibanUsableFrom: null,
      paymentDetails: { method: 'remise_societe' },
    }) as PaymentRequest;
  const known = remembered([
    asked('a', 'virement', 'pending'),
    asked('b', 'virement', 'paid'),
    asked('c', 'cheque_cadeau', 'rejected'),
    asked('d', 'cheque_cadeau', 'paid'),
    asked('e', 'association', 'paid'),
  ]);
  expect([...known].map(([method, { id }]) => `${method} ${id}`).toSorted((x, y) => x.localeCompare(y))).toEqual([
    'association e',
    'virement a',
  ]);
  expect(remembered([asked('a', 'virement', 'returned'), asked('b', 'virement', 'paid')]).size).toBe(0);
});

test('[AC-09] the account of a request that its bank refused is not remembered, nor one outside the European Economic Area without a BIC', () => {
  const asked = (iban: string, ibanUsableFrom: string | null = null, bic?: string) =>
    ({
      id: 'a',
      paymentMethod: 'virement',
      status: 'pending',
      ibanUsableFrom,
      paymentDetails: paymentDetailsToDomain('virement', { iban, beneficiary_name: 'Ana', bic }),
    }) as PaymentRequest;
  expect(remembered([asked('FR76 •••• •••• 0189', '2026-11-25T11:43:00Z')]).size).toBe(1);
  expect(remembered([asked('FR76 •••• •••• 0189', '9999-12-31T12:00:00+00:00')]).size).toBe(0);
  expect(remembered([asked('CH93 •••• •••• 2957', null, 'UBSWCHZH80A')]).size).toBe(1);
  expect(remembered([asked('CH93 •••• •••• 2957')]).size).toBe(0);
});

test('[AC-09] the BIC is read beside the IBAN; the address where it is in clear', () => {
  const details = { iban: 'CH93', beneficiary_name: 'Ana', bic: 'UBSWCHZH80A' };
  const lines = (more: object) =>
    paymentDetailLines(paymentDetailsToDomain('virement', { ...details, ...more })).slice(2);
  expect(lines({})).toEqual([{ label: 'BIC', value: 'UBSWCHZH80A' }]);
  expect(lines({ street: '12 rue du Rhône', postal_code: '1204', city: 'Genève', country: 'CH' })).toEqual([
    { label: 'BIC', value: 'UBSWCHZH80A' },
    { label: 'Adresse', value: '12 rue du Rhône, 1204 Genève, CH' },
  ]);
});
