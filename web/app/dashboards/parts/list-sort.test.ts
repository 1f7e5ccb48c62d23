import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isDescending, sortSettings } from './list-sort.ts';

test.for([
  // The four ways in which views and addresses were written before, in the list that wrote them so.
  ['croissant', 'desc', false],
  [undefined, 'desc', true],
  ['asc', 'desc', false],
  ['desc', 'desc', true],
  ['desc', 'asc', true],
  [undefined, 'asc', false],
  ['n’importe quoi', 'desc', true],
  ['n’importe quoi', 'asc', false],
] as const)('[DF-63] « sens=%s » of a list that goes %s by itself', ([sens, own, isDown]) => {
  expect(isDescending(sens, own)).toBe(isDown);
});

test('[DF-63] a direction is said where it is not the list’s own, and read back as it was said', () => {
  expect(sortSettings({ id: 'amount', desc: true })).toEqual({ tri: 'amount', sens: undefined });
  expect(sortSettings({ id: 'amount', desc: false })).toEqual({ tri: 'amount', sens: 'asc' });
  expect(sortSettings({ id: 'amount', desc: true }, 'asc')).toEqual({ tri: 'amount', sens: 'desc' });
  for (const own of ['asc', 'desc'] as const) {
    for (const desc of [true, false]) expect(isDescending(sortSettings({ id: 'x', desc }, own).sens, own)).toBe(desc);
  }
});

test('[DF-63] no section reads or writes a direction in words of its own', () => {
  const folder = path.join(import.meta.dirname, '..');
  const own = globSync('**/*.{ts,tsx}', { cwd: folder }).filter((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8').replaceAll("isDescending(list.get('sens')", '');
    return !file.includes('list-sort') && /get\('sens'\)|croissant'|sens: [a-z.]+ \?/u.test(text);
  });
  expect(own).toEqual([]);
});
