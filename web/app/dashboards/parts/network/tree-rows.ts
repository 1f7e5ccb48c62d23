import { sum } from '@parrain/domain/money';
import type { NetworkBranch, NetworkFind, NetworkNode, NetworkTotals } from '#api/people/network';

/** The company or the person that the tree starts with. */
export interface NetworkRoot {
  name: string;
  branch: NetworkBranch;
}

/** A row of the tree: what a screen reader is told of its place, and what it shows. */
export interface TreeRow {
  key: string;
  parentKey: string | null;
  level: number;
  position: number;
  setSize: number;
  /** Null for the root. */
  node: NetworkNode | null;
  /** Branch that opens under it; null for a leaf. */
  branch: NetworkBranch | null;
  /** Of the root: null until its branch is there. */
  totals: NetworkTotals | null;
  isOpen: boolean;
}

export const rootKey = 'racine';

/** The key of a node under its parent; the branch of nobody has one too. */
export function keyOf(parentKey: string, node: Pick<NetworkNode, 'kind' | 'id'>): string {
  return `${parentKey}/${node.kind}:${node.id ?? ''}`;
}

/** Branch that opens under a node of `parent`'s branch; null under a referral. */
function branchUnder(parent: NetworkBranch, node: NetworkNode): NetworkBranch | null {
  if (node.kind === 'commercial') return { level: 'commercial', commercialId: node.id };
  if (node.kind !== 'client' || node.id === null || parent.level !== 'commercial') return null;
  return { level: 'client', commercialId: parent.commercialId, referrerId: node.id };
}

/** The branches that are open, by their keys: those that have to be read. */
export function openBranches(
  root: NetworkRoot,
  open: ReadonlySet<string>,
  rowsOf: (key: string) => readonly NetworkNode[] | undefined,
): ReadonlyMap<string, NetworkBranch> {
  const found = new Map<string, NetworkBranch>();
  const walk = (key: string, branch: NetworkBranch) => {
    found.set(key, branch);
    for (const node of rowsOf(key) ?? []) {
      const inner = branchUnder(branch, node);
      const innerKey = keyOf(key, node);
      if (inner !== null && open.has(innerKey)) walk(innerKey, inner);
    }
  };
  // The root's own totals are the sums of its branch.
  walk(rootKey, root.branch);
  return found;
}

/** The rows on screen, from top to bottom. */
export function flatten(
  root: NetworkRoot,
  open: ReadonlySet<string>,
  rowsOf: (key: string) => readonly NetworkNode[] | undefined,
): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (key: string, branch: NetworkBranch, level: number) => {
    const nodes = rowsOf(key) ?? [];
    for (const [index, node] of nodes.entries()) {
      const innerKey = keyOf(key, node);
      const inner = branchUnder(branch, node);
      const isOpen = inner !== null && open.has(innerKey);
      rows.push({
        key: innerKey,
        parentKey: key,
        level,
        position: index + 1,
        setSize: nodes.length,
        node,
        branch: inner,
        totals: node,
        isOpen,
      });
      if (isOpen) add(innerKey, inner, level + 1);
    }
  };
  const first = rowsOf(rootKey);
  const isOpen = open.has(rootKey);
  rows.push({
    key: rootKey,
    parentKey: null,
    level: 1,
    position: 1,
    setSize: 1,
    node: null,
    branch: root.branch,
    totals: first === undefined ? null : totalsOf(first),
    isOpen,
  });
  if (isOpen) add(rootKey, root.branch, 2);
  return rows;
}

function totalsOf(nodes: readonly NetworkNode[]): NetworkTotals {
  const count = (of: 'referrals' | 'contracts') => nodes.reduce((total, node) => total + node[of], 0);
  return {
    referrals: count('referrals'),
    contracts: count('contracts'),
    revenue: sum(nodes.map((node) => node.revenue)),
    commissions: sum(nodes.map((node) => node.commissions)),
  };
}

/** The keys from the root down to somebody found, each opened on the way to the last. */
export function pathTo(root: NetworkRoot, { kind, id, commercialId, referrerId }: NetworkFind): readonly string[] {
  const path = [rootKey];
  const step = (node: Pick<NetworkNode, 'kind' | 'id'>) => path.push(keyOf(path.at(-1) ?? rootKey, node));
  if (root.branch.level === 'company') step({ kind: 'commercial', id: commercialId });
  if (kind === 'commercial') return path;
  if (root.branch.level !== 'own' && referrerId !== null) step({ kind: 'client', id: referrerId });
  if (kind === 'referral') step({ kind, id });
  return path;
}

export type TreeMove =
  | { kind: 'focus'; key: string }
  | { kind: 'open' | 'close'; keys: readonly string[] }
  | { kind: 'none' };

const none: TreeMove = { kind: 'none' };

/**
 * Effect of a key in a tree, as the authoring practices of WAI-ARIA have it: arrows, Home and End, Enter and space, « * » for all branches
 * beside, and letters for the next row whose name begins with what was typed.
 */
export function moveOf(
  key: string,
  rows: readonly TreeRow[],
  focused: string,
  typed: string,
  nameOf: (row: TreeRow) => string,
): TreeMove {
  const at = Math.max(
    0,
    rows.findIndex((row) => row.key === focused),
  );
  const row = rows[at];
  if (row === undefined) return none;
  const to = (place: number): TreeMove => {
    const there = rows[Math.max(0, Math.min(rows.length - 1, place))];
    return there === undefined ? none : { kind: 'focus', key: there.key };
  };
  switch (key) {
    case 'ArrowDown':
      return to(at + 1);
    case 'ArrowUp':
      return to(at - 1);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      if (row.branch === null) return none;
      if (!row.isOpen) return { kind: 'open', keys: [row.key] };
      return rows[at + 1]?.parentKey === row.key ? to(at + 1) : none;
    case 'ArrowLeft':
      if (row.isOpen) return { kind: 'close', keys: [row.key] };
      return row.parentKey === null ? none : { kind: 'focus', key: row.parentKey };
    case 'Enter':
    case ' ':
      if (row.branch === null) return none;
      return { kind: row.isOpen ? 'close' : 'open', keys: [row.key] };
    case '*': {
      const beside = rows.filter((other) => other.parentKey === row.parentKey && other.branch !== null);
      return { kind: 'open', keys: beside.map((other) => other.key) };
    }
    default: {
      if (typed === '') return none;
      const begins = (other: TreeRow) => nameOf(other).toLocaleLowerCase('fr-FR').startsWith(typed);
      // One letter goes on to the next row; more letters may still name this one.
      const start = typed.length === 1 ? at + 1 : at;
      const next = [...rows.slice(start), ...rows.slice(0, start)].find(begins);
      return next === undefined ? none : { kind: 'focus', key: next.key };
    }
  }
}
