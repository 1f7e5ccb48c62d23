import { expect, test } from 'vitest';
import { csvOf } from './download.ts';
import { shareOf } from './share.ts';
import { ticks } from './ticks.ts';

test('[PI-01] an axis has few, round lines and reaches its greatest value', () => {
  expect(ticks(0n)).toEqual([0n]);
  expect(ticks(1n)).toEqual([0n, 1n]);
  expect(ticks(22_400_000n)).toEqual([0n, 10_000_000n, 20_000_000n, 30_000_000n]);
  for (const max of [7n, 99n, 100n, 101n, 999_999n, 123_456_789_012n]) {
    const lines = ticks(max);
    expect(lines.at(-1)).toBeGreaterThanOrEqual(max);
    expect(lines.at(-2)).toBeLessThan(max);
    expect(lines.length).toBeLessThanOrEqual(6);
  }
});

test('[PI-01] a length is its share of the whole, never below zero', () => {
  expect([shareOf(1n, 4n), shareOf(-1n, 4n), shareOf(3n, 0n)]).toEqual([0.25, 0, 0]);
});

test('[PI-01] a CSV opens in French Excel, and holds no formula', () => {
  expect(
    csvOf(
      ['Nom', 'Montant'],
      [
        ['=1+1', { number: '-12,50' }],
        ['Jean; « dit » "Jo"', { number: '3' }],
      ],
    ),
  ).toBe('\ufeffNom;Montant\r\n\'=1+1;-12,50\r\n"Jean; « dit » ""Jo""";3\r\n');
});
