import { expect, test } from 'vitest';
import { plainLetters, withoutAccents } from './without-accents.ts';

test('[NV-03] accents go, written in one character or in two; every other letter stays', () => {
  expect(withoutAccents('Éloïse Lefèvre, çà et là')).toBe('Eloise Lefevre, ca et la');
  expect(withoutAccents('Éloïse'.normalize('NFD'))).toBe('Eloise');
  expect(withoutAccents('Œuvre ß 12 €')).toBe('Œuvre ß 12 €');
});

test('[NV-03] plain letters are those that the database searches by', () => {
  expect(plainLetters('Œuvre d’Éloïse CHERCHÉ Læticia')).toBe("oeuvre d'eloise cherche laeticia");
});
