import { expect, test } from 'vitest';
import { axisEuros } from './axis-euros.ts';

test.each([
  [0n, '0 €'],
  [50_000n, '500 €'],
  [150_000n, '1,5 k€'],
  [15_000_000n, '150 k€'],
  [120_000_000n, '1,2 M€'],
])('[I-02] %d cents on an axis are « %s »', (cents, text) => {
  expect(axisEuros(cents).replaceAll('\u00A0', ' ')).toBe(text);
});
