import { expect, test } from 'vitest';
import { inTerms } from './read-page.ts';

test('[DF-38] a search asks for each of its words, in whichever order', () => {
  expect(inTerms('Kerguelen  Bastien')).toBe('and(terms.like."%kerguelen%",terms.like."%bastien%")');
  expect(inTerms(' Kerguelen\u200b ')).toBe('terms.like."%kerguelen%"');
  expect(inTerms('a, "b" 100% c*')).toBe(
    String.raw`and(terms.like."%a,%",terms.like."%\"b\"%",terms.like."%100\\%%",terms.like."%c_%")`,
  );
  expect(inTerms('')).toBe('terms.like."%%"');
});

test('[DF-36] a search for a telephone number asks for its one form too', () => {
  expect(inTerms('0698765432')).toBe('terms.like."%0698765432%"');
  expect(inTerms('+33 6 98 76')).toBe(
    'and(terms.like."%+33%",terms.like."%6%",terms.like."%98%",terms.like."%76%"),terms.like."%069876%"',
  );
  expect(inTerms('33698765432')).toBe('terms.like."%33698765432%",terms.like."%0698765432%"');
});
