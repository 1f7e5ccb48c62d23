import { expect, test } from 'vitest';
import { parseForm } from './forms/parse-form.ts';
import { companyAccountForm, requestRulesForm } from './forms/company-payments.ts';
import { paymentRequestForm } from './forms/payment-request.ts';
import { acceptsRequestsOn, requestDaysText } from './request-rules.ts';

test('[PO-06] a window of days holds both its ends, and may go over the end of the month', () => {
  const days = { from: 25, to: 5 };
  expect(
    ['2026-02-28', '2026-03-05', '2026-01-25', '2026-01-06', '2026-01-24'].map((day) => acceptsRequestsOn(day, days)),
  ).toEqual([true, true, true, false, false]);
  expect(acceptsRequestsOn('2026-01-10', { from: 1, to: 10 })).toBe(true);
  expect(acceptsRequestsOn('2026-01-11', { from: 1, to: 10 })).toBe(false);
  expect(acceptsRequestsOn('2026-01-11', null)).toBe(true);
  expect(requestDaysText({ from: 1, to: 10 })).toBe('du 1er au 10 de chaque mois');
});

test('[PO-06] a request below the smallest, or by a means not offered, is refused with what is possible', () => {
  const form = paymentRequestForm(10_000n, { smallest: 2_000n, methods: ['association'] });
  const refused = parseForm(form, { amount: '19,99', payment_method: 'remise_societe', payment_details: {} });
  expect(JSON.stringify(refused)).toContain('Le montant doit être compris entre 20€ et 100,00€');
  expect(JSON.stringify(refused)).toContain('Ce moyen de paiement n’est plus proposé');
  const poor = parseForm(paymentRequestForm(1_500n, { smallest: 2_000n, methods: ['remise_societe'] }), {
    amount: '15',
    payment_method: 'remise_societe',
  });
  expect(JSON.stringify(poor)).toContain('Une demande est de 20 € au moins, et 15,00 € sont disponibles.');
});

test('[PO-06] rules are said whole: an amount within bounds, a means at least, both days or none', () => {
  const rules = { smallest_request: '5', payment_methods: ['virement'], requests_from_day: '', requests_to_day: null };
  expect(requestRulesForm.parse(rules)).toEqual({ smallest: 500n, methods: ['virement'], days: null });
  expect(requestRulesForm.parse({ ...rules, requests_from_day: 25, requests_to_day: '5' }).days).toEqual({
    from: 25,
    to: 5,
  });
  for (const wrong of [
    { smallest_request: '0,99' },
    { smallest_request: '10000,01' },
    { payment_methods: [] },
    { payment_methods: ['bitcoin'] },
    { requests_from_day: 5 },
    { requests_from_day: 29, requests_to_day: 31 },
    { requests_from_day: undefined },
  ])
    expect(requestRulesForm.safeParse({ ...rules, ...wrong }).success).toBe(false);
});

test('[PO-04] the company’s account is a SEPA account with a name a bank file has room for', () => {
  const account = { holder: ' Lumeo SARL ', iban: 'FR76 3000 6000 0112 3456 7890 189', bic: '' };
  expect(companyAccountForm.parse(account)).toEqual({
    holder: 'Lumeo SARL',
    iban: 'FR7630006000011234567890189',
    bic: null,
  });
  for (const wrong of [
    { iban: 'TN5910006035183598478831' },
    { iban: 'FR7630006000011234567890188' },
    { bic: 'AGRI' },
    { holder: '' },
    { holder: 'x'.repeat(71) },
  ])
    expect(companyAccountForm.safeParse({ ...account, ...wrong }).success).toBe(false);
});
