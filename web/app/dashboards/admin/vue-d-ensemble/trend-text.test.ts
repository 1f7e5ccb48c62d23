import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import { amountTrendText, countTrendText } from './trend-text.ts';

const plain = (text: string) => text.replaceAll(/[\u00A0\u202F]/gu, ' ');

test.each([
  [12, 9, '12 ce mois-ci, 3 de plus que le mois d’avant à la même date'],
  [9, 12, '9 ce mois-ci, 3 de moins que le mois d’avant à la même date'],
  [4, 4, '4 ce mois-ci, autant que le mois d’avant à la même date'],
  [4, 0, '4 ce mois-ci'],
  [0, 2, '0 ce mois-ci, 2 de moins que le mois d’avant à la même date'],
  [-1, 0, '−1 ce mois-ci'],
])('[UI-08] %i contracts beside %i of a month before: « %s »', (thisMonth, monthBefore, text) => {
  expect(plain(countTrendText({ thisMonth, monthBefore }, i18n.t))).toBe(text);
});

test.each([
  [112_000n, 100_000n, '1 120,00 € ce mois-ci, + 12 % par rapport au mois dernier à la même date'],
  [91_500n, 100_000n, '915,00 € ce mois-ci, − 9 % par rapport au mois dernier à la même date'],
  [100_499n, 100_000n, '1 004,99 € ce mois-ci, 0 % par rapport au mois dernier à la même date'],
  [0n, 100_000n, '0,00 € ce mois-ci, − 100 % par rapport au mois dernier à la même date'],
  // Of nothing, and of months where more was taken back than brought in, a percentage would say nothing.
  [5_000n, 0n, '50,00 € ce mois-ci'],
  [5_000n, -100n, '50,00 € ce mois-ci'],
  [-5_000n, 10_000n, '−50,00 € ce mois-ci'],
])('[UI-08] %i cents beside %i of a month before: « %s »', (thisMonth, monthBefore, text) => {
  expect(plain(amountTrendText({ thisMonth, monthBefore }, i18n.t))).toBe(text);
});
