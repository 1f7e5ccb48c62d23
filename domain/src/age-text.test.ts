import { expect, test } from 'vitest';
import { ageText } from './age-text.ts';

const now = new Date('2026-11-28T12:00:00Z');

test.each([
  ['2026-11-28T12:00:30Z', 'à l’instant'],
  ['2026-11-28T11:59:01Z', 'à l’instant'],
  ['2026-11-28T11:59:00Z', 'il y a 1 min'],
  ['2026-11-28T11:00:01Z', 'il y a 59 min'],
  ['2026-11-28T11:00:00Z', 'il y a 1 h'],
  ['2026-11-27T12:00:01Z', 'il y a 23 h'],
  ['2026-11-27T12:00:00Z', 'il y a 1 j'],
  ['2026-03-21T12:00:00Z', 'il y a 252 j'],
])('[UI-06] %s is « %s »', (instant, text) => {
  expect(ageText(instant, now).replaceAll(/\s/gu, ' ')).toBe(text);
});
