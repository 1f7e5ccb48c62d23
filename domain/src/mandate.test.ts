import { expect, test } from 'vitest';

import { mandateText, mandateVersionOf } from './mandate.ts';

const address = { street: '12 rue des Lilas', postalCode: '35000', city: 'Rennes' };
const payee = { legalName: 'Noé Petit', address, siren: '552100554', vatNumber: null };
const company = { legalName: 'Lumeo Habitat SARL', address, siren: '732829320' };

test('[PP-05] the mandate names both parties, says what may be written, how it is contested and how it ends', () => {
  const text = mandateText(payee, company);
  expect(text).toMatch(
    /^Entre Noé Petit, SIREN 552\u00a0100\u00a0554, 12 rue des Lilas, 35000 Rennes, ci-après le mandant, et Lumeo Habitat SARL, SIREN 732\u00a0829\u00a0320,/u,
  );
  for (const said of ['289, I-2', '« Autofacturation »', 'contester', '293 B', 'seul responsable', 'révoque']) {
    expect(text).toContain(said);
  }
  expect(text.split('\n\n')).toHaveLength(7);
});

test('[PP-05] who charges VAT gives another mandate: commissions are before tax, and the tax is paid beside them', () => {
  const taxed = { ...payee, vatNumber: 'FR96552100554' };
  const text = mandateText(taxed, company);
  for (const said of ['FR96552100554', 'hors taxes', 'verse en plus la TVA']) expect(text).toContain(said);
  expect(text).not.toContain('293 B');
  expect(text.split('\n\n')).toHaveLength(7);
  expect(mandateVersionOf(taxed)).not.toBe(mandateVersionOf(payee));
});

test('[AC-01] a piece is dated on the day on which its payment is recorded, says that of the payment, and is never back-dated', () => {
  const text = mandateText(payee, company);
  expect(text).toContain(
    'datée, du jour où le mandataire enregistre le paiement qu’elle constate : elle n’est jamais antidatée. Elle indique le jour de ce paiement',
  );
  expect(text).not.toContain('établie le jour du paiement');
  // Who accepted the words from before keeps them: another text has another name.
  expect([mandateVersionOf(payee), mandateVersionOf({ ...payee, vatNumber: 'FR96552100554' })]).toEqual([
    '2026-12',
    '2026-12 TVA',
  ]);
});
