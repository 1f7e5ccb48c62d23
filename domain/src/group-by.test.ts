import { expect, test } from 'vitest';
import { groupBy } from './group-by.ts';

test('[DF-92] rows are grouped without what the oldest supported browsers lack, in the order that they came in', () => {
  const rows = ['Ève', 'Alix', 'Élie', 'Ana'];
  expect([...groupBy(rows, (name) => name.normalize('NFD').charAt(0))]).toEqual([
    ['E', ['Ève', 'Élie']],
    ['A', ['Alix', 'Ana']],
  ]);
  expect(groupBy([], String).size).toBe(0);
});
