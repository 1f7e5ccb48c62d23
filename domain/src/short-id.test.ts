import { expect, test } from 'vitest';
import { shortId } from './short-id.ts';

test('[I-03] the short id is the first 8 characters', () => {
  expect(shortId('3f2b8c1e-1111-4222-8333-444455556666')).toBe('3f2b8c1e');
});
