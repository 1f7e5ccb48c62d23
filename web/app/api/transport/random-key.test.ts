import { expect, onTestFinished, test, vi } from 'vitest';
import { randomKey } from './random-key.ts';

test('[DF-94] a key is a random UUID where the page is not secure too', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  onTestFinished(() => void vi.unstubAllGlobals());
  const keys = Array.from({ length: 50 }, randomKey);
  for (const key of keys) expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
  expect(new Set(keys).size).toBe(keys.length);
});
