import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { createSemaphore } from '#platform/concurrency';

import { rateLimited } from '../protocol/errors.ts';
import { argon2Tag, matches, parseHash } from './password-formats.ts';
import type { Argon2Hash } from './password-formats.ts';

const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARALLELISM = 1;
const SALT_LENGTH = 16;
const TAG_LENGTH = 32;
/** One core is left for everything else. Above so many waiting hashes the next is refused for the moment. */
const withHashSlot = createSemaphore({
  slots: Math.max(1, availableParallelism() - 1),
  waitingMax: 100,
  refusal: () => rateLimited(5),
});

/** A hash in the PHC format, argon2id. */
export async function hashPassword(password: string): Promise<string> {
  const hash = blank(randomBytes(SALT_LENGTH));
  const tag = await withHashSlot(() => argon2Tag(normalized(password), hash));
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${base64(hash.salt)}$${base64(tag)}`;
}

/**
 * Verifies a password against a hash, ours or imported. Defence against a timing attack: without a hash it takes the same
 * time and is false.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const known = (hash === null ? null : parseHash(hash)) ?? DUMMY_HASH;
  return withHashSlot(async () => {
    if ((await matches(normalized(password), known)) && known !== DUMMY_HASH) return true;
    // Imported hashes are of the password as typed, not normalized.
    const isOtherwise = password !== normalized(password) && (await matches(password, known));
    return isOtherwise && known !== DUMMY_HASH;
  });
}

/** True for an imported hash, or one with other parameters than today's. */
export function needsRehash(hash: string): boolean {
  const parsed = parseHash(hash);
  return (
    parsed?.format !== 'argon2id' ||
    parsed.memory !== MEMORY_KIB ||
    parsed.passes !== PASSES ||
    parsed.parallelism !== PARALLELISM ||
    parsed.tag.length !== TAG_LENGTH
  );
}

/** True for an imported hash that can be verified here, within the cost that a request may have. */
export function isKnownHash(hash: string): boolean {
  return parseHash(hash) !== null;
}

/** Today's parameters. */
function blank(salt: Buffer): Argon2Hash {
  return {
    format: 'argon2id',
    memory: MEMORY_KIB,
    passes: PASSES,
    parallelism: PARALLELISM,
    salt,
    tag: Buffer.alloc(TAG_LENGTH),
  };
}

const DUMMY_HASH = blank(Buffer.alloc(SALT_LENGTH));

/** Unicode normalization: another keyboard may type the same characters as other code points. */
function normalized(password: string): string {
  return password.normalize('NFKC');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/u, '');
}
