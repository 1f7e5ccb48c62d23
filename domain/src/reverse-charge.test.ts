import { expect, test } from 'vitest';

import { failureMessage } from './failure.ts';
import { isReverseCharged, payeeStatusHint, payeeStatusLabel } from './payee.ts';
import { abroadSentence, reverseChargeRefusal } from './reverse-charge.ts';

const said = (status: 'particulier' | 'societe' | 'agent', country: string, isOwn: boolean) =>
  abroadSentence({ status, country }, { isOwn, isAsked: true, companyVatNumber: 'FR44732829320', day: '2026-11-30' });

test('[AC-08] a business abroad is reverse charged; of France, of Monaco, and a person are not', () => {
  const reversed = (status: 'particulier' | 'societe' | 'agent', country: string) =>
    isReverseCharged({ status, country });
  expect([reversed('societe', 'BE'), reversed('agent', 'CH')]).toEqual([true, true]);
  expect([reversed('societe', 'FR'), reversed('societe', 'MC'), reversed('particulier', 'ES')]).toEqual([
    false,
    false,
    false,
  ]);
});

test('[AC-08] a payee abroad is told what to invoice, an admin the law and what to check', () => {
  expect(said('societe', 'FR', true)).toBeNull();
  expect(said('societe', 'BE', true)).toContain(
    '« Autoliquidation », votre numéro et le numéro de TVA de l’entreprise, FR44732829320',
  );
  expect(said('societe', 'BE', false)).toContain('autoliquidation, article 283-2 du CGI');
  expect(said('agent', 'CH', false)).toContain('à vérifier avec votre expert-comptable');
  expect(said('particulier', 'ES', false)).toContain('article 182 B');
  expect(said('societe', 'MC', true)).toContain('la TVA est celle de la France');
  expect(said('societe', 'MC', true)).toContain('L’autofacturation n’est proposée qu’en France.');
  // Where no paper is made nothing is posted: what is left to say is the admin's.
  const off = { isAsked: false, companyVatNumber: null, day: '2026-11-30' };
  expect(abroadSentence({ status: 'societe', country: 'BE' }, { isOwn: true, ...off })).toBeNull();
  expect(abroadSentence({ status: 'societe', country: 'BE' }, { isOwn: false, ...off })).toContain('182 B');
});

test('[AC-08] a refusal says why and what to do, to whoever reads it', () => {
  for (const isOwn of [true, false]) {
    expect(reverseChargeRefusal('no_vat_number', isOwn)).toContain('article 286 ter du CGI');
    expect(reverseChargeRefusal('overseas', isOwn)).toContain('outre-mer');
  }
  expect(failureMessage('payee_abroad', { payees: 'Bob', reason: 'no_vat_number' })).toBe(
    'Hors de France, l’entreprise doit demander un numéro de TVA (article 286 ter du CGI) pour payer Bob.',
  );
  expect(failureMessage('payee_abroad', { payees: 'Bob', reason: 'overseas' })).toContain('expert-comptable');
});

test('[AC-08] a business abroad is called so, and has no mandate in its hint', () => {
  expect([payeeStatusLabel('societe', 'BE'), payeeStatusLabel('societe', 'FR')]).toEqual(['Entreprise', 'Société']);
  expect(payeeStatusHint('societe', 'BE')).toContain('sans TVA française');
  expect(payeeStatusHint('societe', 'MC')).not.toContain('sans TVA');
  expect(payeeStatusHint('societe', 'FR')).toContain('mandat');
});
