import { argon2, createCipheriv, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

import { verifyBcrypt } from './bcrypt.ts';

/** A hash of a password that can be verified here: one of ours, or one that came with an imported account. */
export type KnownHash = Argon2Hash | BcryptHash | FirebaseHash;

export type Argon2Hash = {
  readonly format: 'argon2i' | 'argon2id';
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
};

type BcryptHash = { readonly format: 'bcrypt'; readonly text: string };

/** Firebase's own scrypt: the derived key encrypts the project's key, and the result is the hash. */
type FirebaseHash = {
  readonly format: 'firebase';
  readonly memoryExponent: number;
  readonly rounds: number;
  readonly parallelism: number;
  readonly separator: Buffer;
  readonly signerKey: Buffer;
  readonly salt: Buffer;
  readonly tag: Buffer;
};

/** Reads a hash; null where its format is unknown, or where verifying it would cost more than a request may. */
export function parseHash(hash: string): KnownHash | null {
  if (hash.startsWith('$argon2')) return parseArgon2(hash);
  if (hash.startsWith('$fbscrypt')) return parseFirebase(hash);
  return parseBcrypt(hash);
}

/** Verifies a password against a hash, in constant time. */
export async function matches(password: string, hash: KnownHash): Promise<boolean> {
  switch (hash.format) {
    case 'bcrypt':
      return verifyBcrypt(password, hash.text);
    case 'firebase':
      return timingSafeEqual(await firebaseTag(password, hash), hash.tag);
    default:
      return timingSafeEqual(await argon2Tag(password, hash), hash.tag);
  }
}

const argon2Hash = promisify(argon2);

export async function argon2Tag(password: string, hash: Argon2Hash): Promise<Buffer> {
  return argon2Hash(hash.format, {
    message: password,
    nonce: hash.salt,
    parallelism: hash.parallelism,
    tagLength: hash.tag.length,
    memory: hash.memory,
    passes: hash.passes,
  });
}

const ARGON2 = /^\$(argon2id?)\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{16,86})$/u;
const ARGON2_MEMORY_KIB_MAX = 262_144;
/** Memory times passes: the limit is about two seconds of one core. */
const ARGON2_WORK_MAX = 2_097_152;
const ARGON2_PARALLELISM_MAX = 16;

function parseArgon2(hash: string): Argon2Hash | null {
  const [, format, memory, passes, parallelism, salt, tag] = ARGON2.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) return null;
  const parsed: Argon2Hash = {
    format: format === 'argon2i' ? 'argon2i' : 'argon2id',
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  const isBounded =
    parsed.passes >= 1 &&
    parsed.parallelism >= 1 &&
    parsed.parallelism <= ARGON2_PARALLELISM_MAX &&
    parsed.memory >= 8 * parsed.parallelism &&
    parsed.memory <= ARGON2_MEMORY_KIB_MAX &&
    parsed.memory * parsed.passes <= ARGON2_WORK_MAX;
  return isBounded ? parsed : null;
}

/** $2x$ names hashes of a flawed implementation, which others would accept for the wrong password. */
const BCRYPT = /^\$2[aby]\$(\d{2})\$[\w./]{53}$/u;
const BCRYPT_COST_MIN = 4;
/** About a second and a half. */
const BCRYPT_COST_MAX = 14;

function parseBcrypt(hash: string): BcryptHash | null {
  const [text, cost] = BCRYPT.exec(hash) ?? [];
  if (text === undefined || Number(cost) < BCRYPT_COST_MIN || Number(cost) > BCRYPT_COST_MAX) return null;
  return { format: 'bcrypt', text };
}

const BASE64 = '([A-Za-z\\d+/]{1,200}={0,2})';
const FIREBASE = new RegExp(
  `^\\$fbscrypt\\$v=1,n=(\\d{1,2}),r=(\\d{1,2}),p=(\\d)(?:,ss=${BASE64})?,sk=${BASE64}\\$${BASE64}\\$${BASE64}$`,
  'u',
);
const SCRYPT_BYTES_MAX = 64 * 2 ** 20;

function parseFirebase(hash: string): FirebaseHash | null {
  const [, exponent, rounds, parallelism, separator, signerKey, salt, tag] = FIREBASE.exec(hash) ?? [];
  if (signerKey === undefined || salt === undefined || tag === undefined) return null;
  const parsed: FirebaseHash = {
    format: 'firebase',
    memoryExponent: Number(exponent),
    rounds: Number(rounds),
    parallelism: Number(parallelism),
    separator: Buffer.from(separator ?? '', 'base64'),
    signerKey: Buffer.from(signerKey, 'base64'),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  const isBounded =
    parsed.memoryExponent >= 1 &&
    parsed.rounds >= 1 &&
    parsed.parallelism >= 1 &&
    scryptBytes(parsed) * parsed.parallelism <= SCRYPT_BYTES_MAX &&
    // A counter cipher: the output is as long as the input.
    parsed.tag.length === parsed.signerKey.length &&
    parsed.tag.length >= 16;
  return isBounded ? parsed : null;
}

function scryptBytes({ memoryExponent, rounds }: FirebaseHash): number {
  return 128 * 2 ** memoryExponent * rounds;
}

async function firebaseTag(password: string, hash: FirebaseHash): Promise<Buffer> {
  const key = await new Promise<Buffer>((resolve, reject) => {
    scrypt(
      password,
      Buffer.concat([hash.salt, hash.separator]),
      32,
      { N: 2 ** hash.memoryExponent, r: hash.rounds, p: hash.parallelism, maxmem: 2 * SCRYPT_BYTES_MAX },
      (error, derived) => (error === null ? resolve(derived) : reject(error)),
    );
  });
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return Buffer.concat([cipher.update(hash.signerKey), cipher.final()]);
}
