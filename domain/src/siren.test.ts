import { expect, test } from 'vitest';

import { parseRna, parseSiren, parseVatNumber, sirenText } from './siren.ts';

test('[PP-01] a SIREN is nine digits whose last one is Luhn’s key, with any spaces', () => {
  expect(parseSiren(' 732 829 320 ')).toBe('732829320');
  expect(parseSiren('552.100.554')).toBe('552100554');
  for (const typed of ['732829321', '73282932', '7328293200', '000000000', '73282932O', '']) {
    expect(parseSiren(typed)).toBeNull();
  }
  expect(sirenText('732829320')).toBe('732\u00a0829\u00a0320');
});

test('[PP-01] a key catches any one digit typed wrong, and any two neighbours changed over but 0 and 9', () => {
  const siren = '732829320';
  for (let place = 0; place < 9; place += 1) {
    for (let digit = 0; digit < 10; digit += 1) {
      const typed = siren.slice(0, place) + String(digit) + siren.slice(place + 1);
      expect(parseSiren(typed)).toBe(typed === siren ? siren : null);
    }
  }
  expect(parseSiren('372829320')).toBeNull();
});

test('[PP-01] a VAT number is that of its SIREN: its key is computed, one with a letter is taken by its form', () => {
  expect(parseVatNumber('fr 44 732 829 320', '732829320')).toBe('FR44732829320');
  expect(parseVatNumber('FR0A732829320', '732829320')).toBe('FR0A732829320');
  for (const typed of ['FR45732829320', 'FR44552100554', 'DE44732829320', 'FR4473282932', 'FRIO732829320', '']) {
    expect(parseVatNumber(typed, '732829320')).toBeNull();
  }
});

test('[PP-01] an association without a SIREN has its number in the national register', () => {
  expect(parseRna('w751 000 001')).toBe('W751000001');
  expect(parseRna('W2A1000123')).toBe('W2A1000123');
  for (const typed of ['751000001', 'W75100001', 'W7510000011', 'WA51000001', '']) expect(parseRna(typed)).toBeNull();
});
