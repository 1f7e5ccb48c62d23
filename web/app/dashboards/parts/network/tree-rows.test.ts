import { expect, test } from 'vitest';
import type { NetworkNode } from '#api/people/network';
import { flatten, keyOf, moveOf, openBranches, pathTo, rootKey, type NetworkRoot } from './tree-rows.ts';

const node = (kind: NetworkNode['kind'], id: string | null, name: string | null, cents = 0n): NetworkNode => ({
  kind,
  id,
  name,
  detail: null,
  isActive: true,
  clients: null,
  referrals: kind === 'referral' ? 1 : 2,
  contracts: 1,
  revenue: cents,
  commissions: cents / 10n,
  sale: null,
});

const root: NetworkRoot = { name: 'Lumeo', branch: { level: 'company' } };
const key = (...nodes: readonly NetworkNode[]) => nodes.reduce((parent, one) => keyOf(parent, one), rootKey);
const [nora, nobody, lea, zoe] = [
  node('commercial', 'n', 'Nora', 123_456n),
  node('commercial', null, null, 5n),
  node('client', 'l', 'Léa', 123_456n),
  node('referral', 'z', 'Zoé', 123_456n),
];
const read = new Map<string, readonly NetworkNode[]>([
  [rootKey, [nora, nobody]],
  [key(nora), [lea]],
  [key(nora, lea), [zoe]],
]);
const rowsOf = (of: string) => read.get(of);
const open = new Set([rootKey, key(nora), key(nora, lea), key(nobody)]);
const rows = flatten(root, open, rowsOf);
const names = (found = rows) => found.map((row) => row.node?.name ?? (row.node === null ? 'Lumeo' : 'Sans'));

test('[NW-01] the open rows stand in their order, each with its place, and the root is the sum of its branches', () => {
  expect(rows.map(({ level, position, setSize, isOpen }) => [level, position, setSize, isOpen])).toEqual([
    [1, 1, 1, true],
    [2, 1, 2, true],
    [3, 1, 1, true],
    [4, 1, 1, false],
    [2, 2, 2, true],
  ]);
  expect(names()).toEqual(['Lumeo', 'Nora', 'Léa', 'Zoé', 'Sans']);
  expect(rows[0]?.totals).toEqual({ referrals: 4, contracts: 2, revenue: 123_461n, commissions: 12_345n });
  expect([...openBranches(root, open, rowsOf).values()]).toEqual([
    { level: 'company' },
    { level: 'commercial', commercialId: 'n' },
    { level: 'client', commercialId: 'n', referrerId: 'l' },
    { level: 'commercial', commercialId: null },
  ]);
  // A branch inside one that is closed is not read.
  expect(openBranches(root, new Set([rootKey, key(nora, lea)]), rowsOf).size).toBe(1);
});

test.each([
  ['ArrowDown', rootKey, { kind: 'focus', key: key(nora) }],
  ['ArrowUp', rootKey, { kind: 'focus', key: rootKey }],
  ['End', rootKey, { kind: 'focus', key: key(nobody) }],
  ['Home', key(nobody), { kind: 'focus', key: rootKey }],
  ['ArrowRight', key(nora), { kind: 'focus', key: key(nora, lea) }],
  ['ArrowRight', key(nora, lea, zoe), { kind: 'none' }],
  ['ArrowLeft', key(nora), { kind: 'close', keys: [key(nora)] }],
  ['ArrowLeft', key(nora, lea, zoe), { kind: 'focus', key: key(nora, lea) }],
  ['Enter', key(nora), { kind: 'close', keys: [key(nora)] }],
  ['*', key(nora), { kind: 'open', keys: [key(nora), key(nobody)] }],
  ['z', rootKey, { kind: 'focus', key: key(nora, lea, zoe) }],
  ['l', key(nora, lea), { kind: 'focus', key: rootKey }],
  ['x', rootKey, { kind: 'none' }],
] as const)('[NW-01] « %s » on %s', (pressed, focused, move) => {
  const typed = /^[a-z]$/u.test(pressed) ? pressed : '';
  expect(
    moveOf(pressed, rows, focused, typed, (row) =>
      row.node === null ? 'lumeo' : (row.node.name ?? 'sans').toLowerCase(),
    ),
  ).toEqual(move);
});

test('[NW-01] a search opens the way to whoever it found, from each root', () => {
  const found = { kind: 'referral', id: 'z', name: 'Zoé', detail: null, commercialId: 'n', referrerId: 'l' } as const;
  expect(pathTo(root, found)).toEqual([rootKey, key(nora), key(nora, lea), key(nora, lea, zoe)]);
  expect(pathTo(root, { ...found, referrerId: null })).toEqual([rootKey, key(nora), key(nora, zoe)]);
  expect(pathTo(root, { ...found, kind: 'client', id: 'l' })).toEqual([rootKey, key(nora), key(nora, lea)]);
  expect(pathTo(root, { ...found, kind: 'commercial', id: 'n' })).toEqual([rootKey, key(nora)]);
  const own: NetworkRoot = { name: 'Léa', branch: { level: 'own' } };
  expect(pathTo(own, found)).toEqual([rootKey, key(zoe)]);
  const branch: NetworkRoot = { name: 'Nora', branch: { level: 'commercial', commercialId: 'n' } };
  expect(pathTo(branch, found)).toEqual([rootKey, key(lea), key(lea, zoe)]);
});
