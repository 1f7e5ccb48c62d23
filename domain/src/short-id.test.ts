import { expect, test } from 'vitest';
import { shortId } from './short-id.ts';

test('[I-03] l’identifiant court est fait des 8 premiers caractères', () => {
  expect(shortId('3f2b8c1e-1111-4222-8333-444455556666')).toBe('3f2b8c1e');
});
