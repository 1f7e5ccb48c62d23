import { createHash } from 'node:crypto';

import type { History } from './migrate.ts';

// The 46 migrations of before were written anew, by concern, while nothing was released. An installation that they made is
// recognised and told how to come over; a backup of one that had them all is restored.

/** A file that every former installation has, and none of today's. */
const SIGN = '0002-accounts.sql';
const LAST = '0083-a-forecast-before-the-contract.sql';
/** SHA-256 of the names and checksums of all of them, as {@link digestOf} writes them. */
const DIGEST = '4a422143a9fcf9ca65f78b650ad316d4d6223e5d13f9b1da75b2f7c7b3943e66';
/** Those up to this one make the schema that the former ones made. */
const EQUIVALENT = '0090-rights.sql';

/** Whether the former migrations made this schema, all of them or those that there were. */
export function isFormer(history: History): boolean {
  return history.some(({ name }) => name === SIGN);
}

/**
 * How many of today's migrations make the schema that a former history made.
 * @returns null where that history stopped before the last one: no files of today make it.
 */
export function countEquivalent(history: History, own: History): number | null {
  return digestOf(history) === DIGEST ? own.findIndex(({ name }) => name === EQUIVALENT) + 1 : null;
}

const digestOf = (history: History): string =>
  createHash('sha256')
    .update(history.map(({ name, checksum }) => `${name} ${checksum}\n`).join(''))
    .digest('hex');

export const COME_OVER =
  "Cette base vient d'une version dont les migrations ont été réécrites depuis : sauvegardez-la avec cette version-là " +
  "(npm run backup), puis restaurez la sauvegarde avec celle-ci dans une base neuve (npm run restore). Rien n'a été changé.";

export const TOO_OLD =
  "La sauvegarde vient d'une version trop ancienne pour celle-ci : démarrez une fois son installation avec la dernière version qui " +
  `a la migration ${LAST}, et refaites la sauvegarde avec elle.`;
