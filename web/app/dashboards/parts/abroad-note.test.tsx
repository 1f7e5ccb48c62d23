import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import type { Payee } from '#api/payments/papers';
import { i18n } from '../../i18n.ts';
import AbroadNote from './abroad-note.tsx';

const payee: Payee = {
  role: 'client',
  isAsked: true,
  details: null,
  mandate: null,
  offeredMandate: null,
  mayInvoice: false,
  companySiren: null,
  reverseChargeObstacle: null,
  companyVatNumber: 'FR44732829320',
};
const said = (country: string, status: 'societe' | 'particulier', isOwn: boolean, company: Partial<Payee> = {}) =>
  renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <AbroadNote country={country} status={status} isOwn={isOwn} payee={{ ...payee, ...company }} />
    </I18nextProvider>,
  ).replaceAll(/<[^>]*>/gu, '');

test('[AC-08] the form and the record say why a business abroad cannot be paid, before anything is asked for', () => {
  const without = { reverseChargeObstacle: 'no_vat_number', companyVatNumber: null } as const;
  for (const isOwn of [true, false]) {
    expect(said('BE', 'societe', isOwn, without)).toContain('article 286 ter du CGI');
    expect(said('CH', 'societe', isOwn, without)).toContain('numéro de TVA');
  }
  // A person, and whoever is in Monaco or in France, waits for no number.
  expect(said('ES', 'particulier', true, without)).not.toContain('286 ter');
  expect(said('MC', 'societe', true, without)).not.toContain('286 ter');
  expect(said('FR', 'societe', true, without)).toBe('');
});

test('[AC-08] the form and the record say what a business abroad invoices and what is to be checked', () => {
  expect(said('BE', 'societe', true)).toContain('FR44732829320');
  expect(said('BE', 'societe', false)).toContain('article 283-2 du CGI');
  expect(said('BE', 'societe', true, { isAsked: false })).toBe('');
});
