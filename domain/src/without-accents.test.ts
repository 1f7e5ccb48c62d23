import { expect, test } from 'vitest';
import { withoutAccents } from './without-accents.ts';

test('[NV-03] accents go, written in one character or in two; every other letter stays', () => {
  expect(withoutAccents('Éloïse Lefèvre, çà et là')).toBe('Eloise Lefevre, ca et la');
  expect(withoutAccents('Éloïse'.normalize('NFD'))).toBe('Eloise');
  expect(withoutAccents('Œuvre ß 12 €')).toBe('Œuvre ß 12 €');
});
