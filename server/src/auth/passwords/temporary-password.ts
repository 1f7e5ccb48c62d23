import { randomInt } from 'node:crypto';

/** No characters that look or sound alike, read aloud or copied by hand: no 0 O, 1 l I. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 20;

/** The time that a temporary password waits for its first sign-in. */
export const TEMPORARY_PASSWORD_HOURS = 72;

/** A password for another person, good for one sign-in (V-19): 20 random characters, more than 115 bits. */
export function generateTemporaryPassword(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}
