import { expect, test } from 'vitest';

import { vatFromWire, vatOf, vatRateOn, vatSentence, withVat } from './vat.ts';

test('[PP-02] VAT is of the day and to the cent, half away from zero, and is paid beside its sum', () => {
  expect(vatRateOn('2026-11-23')).toBe(2_000n);
  expect(vatRateOn('2013-12-31')).toBeNull();
  expect([3n, 13n, 12_345n].map((cents) => vatOf(cents, 2_000n).amount)).toEqual([1n, 3n, 2_469n]);
  expect(vatOf(10n, 2_500n).amount).toBe(3n);
  const vat = vatFromWire('20.00', '24.69');
  expect(vat).toEqual(vatOf(12_345n, 2_000n));
  expect(withVat({ amount: 12_345n, vat })).toBe(14_814n);
  expect(withVat({ amount: 12_345n, vat: vatFromWire(null, null) })).toBe(12_345n);
  expect(vat && vatSentence(12_345n, vat)).toBe('+ 24,69\u00a0€ de TVA (20\u00a0%), 148,14\u00a0€ en tout');
});
