import { formatEuros } from '@parrain/domain/money';
import { saleBadge, type SaleAudience } from '@parrain/domain/sale';
import type { NetworkNode } from '#api/people/network';
import { countText } from '../count-text.ts';
import type { TreeRow } from './tree-rows.ts';

/** The name of a row: a person, the branch of nobody, or an account that is gone. */
export function rowName(row: TreeRow, rootName: string): string {
  if (row.node === null) return rootName;
  if (row.node.name !== null) return row.node.name;
  return row.node.kind === 'commercial' ? 'Sans commercial' : 'Autre client';
}

const kindWords: Readonly<Record<NetworkNode['kind'], string>> = {
  commercial: 'commercial',
  client: 'client',
  referral: 'filleul',
};

/** « Commercial », « Filleul »… ; the root has none. */
export function kindWord(row: TreeRow): string | null {
  return row.node === null ? null : kindWords[row.node.kind];
}

/** A referral's status in the words of who looks, or « Désactivé »; null where there is nothing to say. */
export function statusWord(row: TreeRow, audience: SaleAudience): string | null {
  const { node } = row;
  if (node === null) return null;
  if (node.sale !== null) return saleBadge(node.sale, audience).label;
  return node.isActive || node.name === null ? null : 'Désactivé';
}

/** The counts of a branch: « 12 clients · 40 parrainages · 8 contrats validés ». */
export function countWords(row: TreeRow): string {
  const { node, totals } = row;
  if (totals === null || node?.kind === 'referral') return '';
  return [
    ...(typeof node?.clients === 'number' ? [countText(node.clients, 'client', 'clients')] : []),
    countText(totals.referrals, 'parrainage', 'parrainages'),
    countText(totals.contracts, 'contrat validé', 'contrats validés'),
  ].join(' · ');
}

/** All that a row says after its name, for whoever does not see it: « , client, 3 parrainages ». */
export function spokenAfterName(row: TreeRow, audience: SaleAudience): string {
  const { totals } = row;
  return [
    kindWord(row),
    statusWord(row, audience),
    countWords(row).replaceAll(' · ', ', '),
    totals === null ? null : `chiffre d’affaires ${formatEuros(totals.revenue)}`,
    totals === null ? null : `commissions ${formatEuros(totals.commissions)}`,
  ]
    .filter((part) => part !== null && part !== '')
    .map((part) => `, ${part}`)
    .join('');
}
