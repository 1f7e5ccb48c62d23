import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPercent, parsePercent, percentFromWire, percentToWire } from './percent.ts';

test.each([
  ['10', 1_000n],
  ['12,5', 1_250n],
  ['12.5', 1_250n],
  ['10.00', 1_000n],
  ['33.33', 3_333n],
  ['0,01', 1n],
  ['100', 10_000n],
  [2.9, 290n],
  [100, 10_000n],
])('[V-17] %s is a percentage', (input, expected) => {
  expect(parsePercent(input)).toBe(expected);
});

test.each([
  '',
  '0',
  '0.00',
  '-1',
  '-0',
  '100.01',
  '1000',
  '12,345',
  '1e1',
  'NaN',
  '10 %',
  0,
  -1,
  100.01,
  Number.NaN,
  1e-7,
])('[V-17] %s is none', (input) => {
  expect(parsePercent(input)).toBeNull();
  expect(() => percentFromWire(input)).toThrow('Not a percentage');
});

test.each([
  [1_000n, '10\u00a0%'],
  [1_250n, '12,5\u00a0%'],
  [3_333n, '33,33\u00a0%'],
  [1n, '0,01\u00a0%'],
  [1_005n, '10,05\u00a0%'],
  [10_000n, '100\u00a0%'],
])('[I-02] %s basis points are written %s', (basisPoints, expected) => {
  expect(formatPercent(basisPoints)).toBe(expected);
});

test('[V-17] every percentage passes the wire without loss', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10_000n }), (basisPoints) => {
      expect(percentFromWire(percentToWire(basisPoints))).toBe(basisPoints);
      expect(percentFromWire(Number(percentToWire(basisPoints)))).toBe(basisPoints);
    }),
  );
});
