import { expect, test } from 'vitest';
import { payeeInvoiceForm } from './forms/payee-invoice.ts';
import { expectedInvoice, invoiceVatWrong } from './payee-invoice.ts';

const terms = { amount: 75_003n, chargesVat: true, from: '2026-03-02', today: '2026-11-30' };
const whole = { number: 'F-1', day: '2026-11-30', amount: '750,03', vat: '150,01', total: '900,04' };
const issues = (given: object, of = terms) =>
  (payeeInvoiceForm(of).safeParse({ ...whole, ...given }).error?.issues ?? []).map(({ path, message }) => [
    path.join('.'),
    message,
  ]);

test('[AC-04] an invoice has the amount of its request, the VAT of its day to the cent where its payee charges it, and their sum', () => {
  expect(expectedInvoice(terms, '2026-11-30')).toEqual({ amount: 75_003n, vat: 15_001n, total: 90_004n });
  expect(expectedInvoice({ ...terms, chargesVat: false }, '2026-11-30')).toEqual({
    amount: 75_003n,
    vat: 0n,
    total: 75_003n,
  });
  // Half a cent is rounded away from zero.
  expect(expectedInvoice({ amount: 103n, chargesVat: true }, '2026-11-30').vat).toBe(21n);
  expect(issues({})).toEqual([]);
  expect(issues({ day: '2026-03-02' })).toEqual([]);
  expect(payeeInvoiceForm(terms).parse({ ...whole, number: ' F-1 ' })).toEqual({
    number: 'F-1',
    day: '2026-11-30',
    amount: 75_003n,
    vat: 15_001n,
    total: 90_004n,
  });
});

test('[AC-04] each field that is wrong is named, all of them at once', () => {
  expect(
    issues({ number: '', day: '2026-12-01', amount: '750', vat: '150', total: '900' })
      .map(([field]) => field)
      .toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
  ).toEqual(['amount', 'day', 'number', 'total', 'vat']);
  expect(issues({ number: 'F'.repeat(41) }).map(([field]) => field)).toEqual(['number']);
  expect(issues({ day: '2026-03-01' })).toEqual([
    ['day', 'La facture ne peut pas dater d’avant votre première commission, le lundi 2 mars 2026.'],
  ]);
  expect(issues({ vat: '' })).toEqual([['vat', 'Indiquez ce montant, comme sur la facture.']]);
  expect(issues({}, { ...terms, chargesVat: false })).toEqual([
    ['vat', invoiceVatWrong(0n)],
    ['total', 'Le total doit être de 750,03\u00a0€ : le montant hors taxe et la TVA.'],
  ]);
});
