import { expect, test } from 'vitest';
import { parseAssociationNumber } from './association-number.ts';

test('[PO-03] an association is named by its number of the RNA or by its SIREN, whose key is checked', () => {
  expect(parseAssociationNumber('w 751 234 567')).toBe('W751234567');
  expect(parseAssociationNumber('W9C1000189')).toBe('W9C1000189');
  expect(parseAssociationNumber('775 672 272')).toBe('775672272');
  for (const wrong of ['', '775672273', '77567227', 'W75123456', 'W7512345678', 'X751234567', '000 000 00a'])
    expect([wrong, parseAssociationNumber(wrong)]).toEqual([wrong, null]);
});
