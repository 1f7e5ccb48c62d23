import { expect, test } from 'vitest';
import fc from 'fast-check';

import { isTooDeep, JSON_DEPTH_MAX } from './request-body.ts';

const levels = (count: number): string => `${'{"a":['.repeat(count / 2)}1${']}'.repeat(count / 2)}`;

test('[DF-26] a JSON text is read to sixty-four levels', () => {
  expect(isTooDeep(levels(JSON_DEPTH_MAX))).toBe(false);
  expect(isTooDeep(levels(JSON_DEPTH_MAX + 2))).toBe(true);
  expect(isTooDeep('['.repeat(200_000))).toBe(true);
});

test('[DF-26] brackets in texts are no levels', () => {
  expect(isTooDeep(JSON.stringify(['['.repeat(100), '\\"{'.repeat(100), '\\']), 2)).toBe(false);
  expect(isTooDeep(JSON.stringify({ '["\\': [[1]] }), 2)).toBe(true);
});

test('[DF-26] any value: as deep as it is', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const depth = depthOf(value);
      expect(isTooDeep(JSON.stringify(value), depth)).toBe(false);
      if (depth > 0) expect(isTooDeep(JSON.stringify(value), depth - 1)).toBe(true);
    }),
  );
});
