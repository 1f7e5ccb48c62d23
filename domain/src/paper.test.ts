import { expect, test } from 'vitest';

import { isTakingBack, paperKindOf } from './paper.ts';

test('[PP-02] a series says what its papers are, of test data too', () => {
  const kinds = ['R', 'TR', 'AR', 'TAR', 'F552100554', 'TF552100554', 'A552100554', 'TA552100554', 'RT', 'TRT'].map(
    paperKindOf,
  );
  expect(kinds).toEqual([
    'receipt',
    'receipt',
    'annulment',
    'annulment',
    'invoice',
    'invoice',
    'credit',
    'credit',
    'quarter',
    'quarter',
  ]);
  expect(kinds.filter(isTakingBack)).toHaveLength(4);
  expect(() => paperKindOf('X')).toThrow('X');
});
