import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

import { AuthError } from './errors.ts';

const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARALLELISM = 1;
const SALT_LENGTH = 16;
const TAG_LENGTH = 32;
/** Whoever comes when so many already wait is asked to come back: the rest of the server stays quick. */
const WAITING_MAX = 100;

const argon2Hash = promisify(argon2);

/** A hash in the PHC format, argon2id. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_LENGTH);
  const tag = await compute(password, {
    memory: MEMORY_KIB,
    passes: PASSES,
    parallelism: PARALLELISM,
    salt,
    length: TAG_LENGTH,
  });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${base64(salt)}$${base64(tag)}`;
}

/** Whether the password is the hash's. Without a hash it takes the same time and says no. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const parsed = hash === null ? null : parsePhc(hash);
  if (parsed === null) {
    await compute(password, {
      memory: MEMORY_KIB,
      passes: PASSES,
      parallelism: PARALLELISM,
      salt: NO_SALT,
      length: TAG_LENGTH,
    });
    return false;
  }
  const tag = await compute(password, { ...parsed, length: parsed.tag.length });
  return timingSafeEqual(tag, parsed.tag);
}

/** Whether the hash was made with other parameters than today's. */
export function needsRehash(hash: string): boolean {
  const parsed = parsePhc(hash);
  return (
    parsed === null ||
    parsed.memory !== MEMORY_KIB ||
    parsed.passes !== PASSES ||
    parsed.parallelism !== PARALLELISM ||
    parsed.tag.length !== TAG_LENGTH
  );
}

/** Whether a hash that comes from elsewhere can be verified here, within bounds that a request may cost. */
export function isKnownHash(hash: string): boolean {
  return parsePhc(hash) !== null;
}

const NO_SALT = Buffer.alloc(SALT_LENGTH);
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{16,86})$/u;
const MEMORY_KIB_MAX = 262_144;
const PASSES_MAX = 20;
const PARALLELISM_MAX = 16;

type Phc = {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
};

function parsePhc(hash: string): Phc | null {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) return null;
  const parsed = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  const isBounded =
    parsed.memory <= MEMORY_KIB_MAX &&
    parsed.passes >= 1 &&
    parsed.passes <= PASSES_MAX &&
    parsed.parallelism >= 1 &&
    parsed.parallelism <= PARALLELISM_MAX &&
    parsed.memory >= 8 * parsed.parallelism;
  return isBounded ? parsed : null;
}

type Parameters = Omit<Phc, 'tag'> & { readonly length: number };

async function compute(password: string, parameters: Parameters): Promise<Buffer> {
  await takeTurn();
  try {
    return await argon2Hash('argon2id', {
      // The same characters typed on another keyboard may be other code points.
      message: password.normalize('NFKC'),
      nonce: parameters.salt,
      parallelism: parameters.parallelism,
      tagLength: parameters.length,
      memory: parameters.memory,
      passes: parameters.passes,
    });
  } finally {
    endTurn();
  }
}

/** One core is left for everything else. */
const CONCURRENCY = Math.max(1, availableParallelism() - 1);
let running = 0;
const waiting: (() => void)[] = [];

async function takeTurn(): Promise<void> {
  if (running < CONCURRENCY) {
    running += 1;
    return;
  }
  if (waiting.length >= WAITING_MAX) {
    throw new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', { retryAfterSeconds: 5 });
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** The turn goes to whoever waits, without being given back in between. */
function endTurn(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/u, '');
}
