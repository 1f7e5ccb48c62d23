import { expect, test } from 'vitest';
import { payeeForm } from './forms/payee.ts';
import { invoicedMonthForm, payeeInvoiceForm } from './forms/payee-invoice.ts';
import { payeeIsCompany } from './messages.ts';
import { noticePlace } from './notice-place.ts';
import { noticeWords } from './notice.ts';
import { expectedInvoice, invoiceVatWrong, type InvoiceTerms } from './payee-invoice.ts';
import { isWholePdf } from './payment-proof.ts';
import { pdfCases } from './testing/pdf-cases.ts';

const terms: InvoiceTerms = {
  of: 'request',
  amount: 75_003n,
  chargesVat: true,
  from: '2026-03-02',
  today: '2026-11-30',
};
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

test('[AC-04] the invoice of a commercial’s month names its month, and its wrong sum speaks of the month', () => {
  expect(issues({ amount: '750' }, { ...terms, of: 'month' })).toContainEqual([
    'amount',
    'Le montant hors taxe doit être celui de votre mois : 750,03\u00a0€.',
  ]);
  expect(invoicedMonthForm.safeParse({ month: '2026-10-01' }).data).toEqual({ month: '2026-10-01' });
  for (const month of ['2026-10-02', '2026-10', '2026-13-01', '', null])
    expect(invoicedMonthForm.safeParse({ month }).success).toBe(false);
});

test('[AC-04] what is told of a month’s invoice says its month, and leads to where it is dealt with', () => {
  const facts = {
    kind: 'invoice_received',
    role: 'admin',
    saleId: null,
    requestId: null,
    month: '2026-10-01',
    contactName: null,
    personName: 'Paul Martin',
    amount: 12_004n,
    reason: null,
  } as const;
  expect(noticeWords(facts)).toEqual({
    title: 'Facture reçue : Paul Martin',
    text: 'Vérifiez-la dans « Commissions des commerciaux », octobre 2026, puis acceptez-la ou refusez-la.',
  });
  expect(noticePlace(facts)).toEqual({ section: 'commissions-des-commerciaux', detail: { mois: '2026-10' } });
  const told = (kind: 'invoice_refused' | 'invoice_lapsed') => noticeWords({ ...facts, kind, role: 'commercial' }).text;
  expect(told('invoice_refused')).toContain('« Mon compte »');
  expect(told('invoice_lapsed')).toBe(
    'La somme due pour octobre 2026 a changé. Envoyez-en une autre dans « Mon compte ».',
  );
  expect(noticePlace({ ...facts, kind: 'invoice_lapsed', role: 'commercial' }).section).toBe('mon-compte');
});

test.for(pdfCases)(
  '[AC-04] a PDF is whole where a reader opens it, and a few bytes that say to be one are none: %#',
  ([file, isWhole]) => {
    expect(isWholePdf(Uint8Array.from(file, (sign) => sign.codePointAt(0) ?? 0))).toBe(isWhole);
  },
);

test('[AC-04, PP-01] nobody is a payee under the company’s own SIREN', () => {
  const form = {
    status: 'societe',
    legal_name: 'Bois SARL',
    street: '1 rue',
    postal_code: '35000',
    city: 'Rennes',
    siren: '732 829 320',
  };
  const said = (companySiren: string | null) =>
    payeeForm('commercial', { asksMentions: false, companySiren })
      .safeParse(form)
      .error?.issues.map(({ message }) => message);
  expect(said('732829320')).toEqual([payeeIsCompany]);
  expect(said('552100554')).toBeUndefined();
  expect(said(null)).toBeUndefined();
});
