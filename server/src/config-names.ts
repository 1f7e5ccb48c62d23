import { distance } from 'fastest-levenshtein';

import { BYTE_ORDER_MARK, SETTINGS } from './config.ts';
import type { Environment } from './config.ts';

/** Prefixes that belong to this program alone. */
const PREFIXES = ['PARRAIN_', 'SMTP_', 'OIDC_', 'SAML_', 'CAPTCHA_', 'MFA_'];

/**
 * A sentence for each variable that is none of ours and was probably meant as one: it would be ignored in silence. Most of
 * an environment is somebody else's, so that only a near name, or one that begins as only ours do, is told.
 */
export function misspeltSettings(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([given, value]) => {
    const name = given.replace(BYTE_ORDER_MARK, '').replace(/_FILE$/u, '');
    if (SETTINGS.includes(name) || value === undefined || isAnothers(given, value)) return [];
    const near = nearestTo(name);
    if (near === null && !PREFIXES.some((prefix) => name.startsWith(prefix))) return [];
    const hint = near === null ? '' : ` Vouliez-vous dire ${near}${given.endsWith('_FILE') ? '_FILE' : ''} ?`;
    return [`La variable ${given} n'est pas un réglage de Parrain : elle est ignorée.${hint}`];
  });
}

/**
 * Kubernetes describes each of its services so (SMTP_SERVICE_HOST, SMTP_PORT=tcp://…), whatever it is called; our tests tell
 * each other where their database is.
 */
function isAnothers(name: string, value: string): boolean {
  return /_SERVICE_(?:HOST|PORT)|_PORT_\d+_|^PARRAIN_TEST_/u.test(name) || /^(?:tcp|udp):\/\//u.test(value);
}

/** The setting whose name is so near that no other was meant; null where there is none. */
function nearestTo(name: string): string | null {
  const plain = plainly(name);
  const [nearest] = SETTINGS.map((setting) => ({ setting, edits: editsBetween(plain, plainly(setting)) }))
    .filter(({ setting, edits }) => edits <= editsAllowed(setting))
    .sort((a, b) => a.edits - b.edits);
  return nearest?.setting ?? null;
}

/** Short names are near to many words: one letter in five, and two that changed places in any. */
function editsAllowed(setting: string): number {
  return Math.max(SWAP, Math.min(2, Math.floor(setting.length / 5)));
}

function plainly(name: string): string {
  return name.toUpperCase().replaceAll(/[-_.]/gu, '');
}

/** Two letters that changed places are less than a mistake: seldom does that give another word. */
const SWAP = 0.5;

function editsBetween(a: string, b: string): number {
  const isSwapped =
    a.length === b.length &&
    Array.from(a, (_letter, index) => index).some(
      (index) => a.slice(0, index) + (a[index + 1] ?? '') + (a[index] ?? '') + a.slice(index + 2) === b,
    );
  return a !== b && isSwapped ? SWAP : distance(a, b);
}
