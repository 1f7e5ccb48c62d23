import { expect, test } from 'vitest';
import { isSepaIban, maskedIban, parseBic, parseIban } from './iban.ts';

test('[PO-04] an IBAN has its country’s length, a right key, and in France a right RIB key too', () => {
  expect(parseIban('fr76 3000 6000 0112 3456 7890 189')).toBe('FR7630006000011234567890189');
  expect(parseIban('DE89 3704 0044 0532 0130 00')).toBe('DE89370400440532013000');
  // A digit too few, a wrong key, and a right key modulo 97 over a wrong RIB key.
  for (const wrong of [
    'FR763000600001123456789018',
    'FR7730006000011234567890189',
    'FR4930006000011234567890188',
    '',
    'x',
  ])
    expect(parseIban(wrong)).toBeNull();
});

test('[PO-04] a SEPA account, a BIC and the mask of an IBAN', () => {
  expect([isSepaIban('FR7630006000011234567890189'), isSepaIban('TN5910006035183598478831')]).toEqual([true, false]);
  expect([parseBic('agri fr pp'), parseBic('AGRIFRPPXXX'), parseBic('AGRIFRP')]).toEqual([
    'AGRIFRPP',
    'AGRIFRPPXXX',
    null,
  ]);
  expect(maskedIban('FR7630006000011234567890189')).toBe('FR76 •••• •••• 0189');
});
