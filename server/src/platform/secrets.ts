import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Everything that derives from the master key. */
export type Secrets = {
  /** The root of every derivation: a backup carries it, nothing else may. */
  readonly masterKey: Uint8Array;
  /** Bytes for one purpose: the same master key and purpose always give the same bytes. */
  readonly derive: (purpose: string, length?: number) => Buffer;
  /**
   * Encrypts and authenticates (AES-256-GCM, a key of its own per purpose).
   * `bound` names what the secret belongs to (a row id): it cannot be opened for another.
   */
  readonly seal: (purpose: string, plain: Buffer | string, bound?: string) => Buffer;
  /** The reverse of `seal`. @throws Error where a byte was changed, or purpose or `bound` differ. */
  readonly open: (purpose: string, sealed: Uint8Array, bound?: string) => Buffer;
};

const FORMAT = 1;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
export const MASTER_KEY_LENGTH = 32;

/** @param kept the keys, by purpose, that derive from a former master key and stay in use. */
export function createSecrets(masterKey: Uint8Array, kept: ReadonlyMap<string, Buffer> = new Map()): Secrets {
  if (masterKey.length < MASTER_KEY_LENGTH) throw new Error('The master key is too short');
  const derived = new Map<string, Buffer>();

  function derive(purpose: string, length = 32): Buffer {
    const former = kept.get(purpose);
    if (former !== undefined) return former;
    const known = derived.get(`${length}:${purpose}`);
    if (known !== undefined) return known;
    const bytes = Buffer.from(hkdfSync('sha256', masterKey, 'parrain', purpose, length));
    derived.set(`${length}:${purpose}`, bytes);
    return bytes;
  }

  return {
    masterKey,
    derive,
    seal(purpose, plain, bound = '') {
      const nonce = randomBytes(NONCE_LENGTH);
      const cipher = createCipheriv('aes-256-gcm', derive(`seal:${purpose}`), nonce);
      cipher.setAAD(Buffer.from(bound));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.of(FORMAT), nonce, body, cipher.getAuthTag()]);
    },
    open(purpose, sealed, bound = '') {
      const bytes = Buffer.from(sealed);
      if (bytes.length < 1 + NONCE_LENGTH + TAG_LENGTH || bytes[0] !== FORMAT) {
        throw new Error('This is not a sealed value');
      }
      const nonce = bytes.subarray(1, 1 + NONCE_LENGTH);
      const decipher = createDecipheriv('aes-256-gcm', derive(`seal:${purpose}`), nonce, {
        authTagLength: TAG_LENGTH,
      });
      decipher.setAAD(Buffer.from(bound));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_LENGTH));
      return Buffer.concat([
        decipher.update(bytes.subarray(1 + NONCE_LENGTH, bytes.length - TAG_LENGTH)),
        decipher.final(),
      ]);
    },
  };
}
