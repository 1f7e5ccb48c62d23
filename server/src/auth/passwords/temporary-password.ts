import { randomInt } from 'node:crypto';

/** Nothing here is taken for something else when it is read aloud or copied by hand: no 0 O, 1 l I. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 20;

/** How long a temporary password may wait for its first sign-in. */
export const TEMPORARY_PASSWORD_HOURS = 72;

/** A password for somebody else, good for one sign-in (V-19): 20 random characters, more than 115 bits. */
export function generateTemporaryPassword(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}
