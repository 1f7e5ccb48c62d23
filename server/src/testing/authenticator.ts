import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

type Bytes = ArrayBuffer | ArrayBufferView;

/** WebAuthn options, as JSON or with decoded bytes: the members an authenticator reads. */
type Options = {
  readonly challenge: string | Bytes;
  readonly rpId?: string | undefined;
  readonly rp?: { readonly id?: string | undefined };
  readonly user?: { readonly id: string | Bytes };
  readonly allowCredentials?: readonly { readonly id: string | Bytes }[] | undefined;
};

/** Deliberate faults. */
export type Mischief = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  /** False: user presence only, no verification. */
  readonly isVerified?: boolean;
  readonly signCount?: number;
  readonly type?: string;
  readonly userHandle?: string;
  readonly breaksSignature?: boolean;
};

/** As `navigator.credentials` gives it. */
export type SoftwareCredential = {
  readonly toJSON: () => AnswerJson;
};
// The official client's types name every browser's own; the tests give what goes over the wire.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnswerJson = any;

type Key = { readonly id: string; readonly userHandle: string; readonly privateKey: KeyObject; signCount: number };

/** An authenticator made of software: ES256, real attestation objects (« none ») and real signatures. */
export type Authenticator = {
  readonly create: (options: Options, mischief?: Mischief) => SoftwareCredential;
  readonly get: (options: Options, mischief?: Mischief) => SoftwareCredential;
};

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

export function softwareAuthenticator(origin: string): Authenticator {
  const keys: Key[] = [];

  function clientData(type: string, options: Options, mischief: Mischief): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: mischief.type ?? type,
        challenge: mischief.challenge ?? textOf(options.challenge),
        origin: mischief.origin ?? origin,
        crossOrigin: mischief.crossOrigin ?? false,
      }),
    );
  }

  function head(rpId: string, flags: number, signCount: number, { isVerified = true }: Mischief): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(signCount);
    return Buffer.concat([sha256(rpId), Buffer.of(flags | PRESENT | (isVerified ? VERIFIED : 0)), count]);
  }

  return {
    create(options, mischief = {}) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const id = randomBytes(32);
      const key = {
        id: id.toString('base64url'),
        userHandle: textOf(options.user?.id ?? ''),
        privateKey,
        signCount: 0,
      };
      keys.push(key);
      const coseKey = cbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      );
      const authData = Buffer.concat([
        head(mischief.rpId ?? options.rp?.id ?? '', ATTESTED, key.signCount, mischief),
        Buffer.alloc(16),
        Buffer.of(0, id.length),
        id,
        coseKey,
      ]);
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return answer(key.id, {
        clientDataJSON: clientData('webauthn.create', options, mischief).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      });
    },

    get(options, mischief = {}) {
      const allowed = options.allowCredentials?.map(({ id }) => textOf(id));
      const key = keys.findLast(({ id }) => allowed === undefined || allowed.includes(id));
      if (key === undefined) throw new Error('This authenticator has none of the credentials that are asked for');
      key.signCount = mischief.signCount ?? key.signCount + 1;
      const authenticatorData = head(mischief.rpId ?? options.rpId ?? '', 0, key.signCount, mischief);
      const data = clientData('webauthn.get', options, mischief);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(data)]), key.privateKey);
      if (mischief.breaksSignature === true) signature.writeUInt8(signature.readUInt8(20) ^ 1, 20);
      return answer(key.id, {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: mischief.userHandle ?? key.userHandle,
      });
    },
  };
}

function answer(id: string, response: Readonly<Record<string, unknown>>): SoftwareCredential {
  const json = { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  return { toJSON: () => json };
}

function textOf(value: string | Bytes): string {
  if (typeof value === 'string') return value;
  const bytes = value instanceof ArrayBuffer ? Buffer.from(value) : Buffer.from(value.buffer as ArrayBuffer);
  return bytes.toString('base64url');
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

/** The part of CBOR that authenticators write: whole numbers, bytes, text, maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([cborHead(2, value.length), value]);
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, entry]) => [cbor(key), cbor(entry)]);
    return Buffer.concat([cborHead(5, value.size), ...entries]);
  }
  throw new TypeError('An authenticator writes no such value');
}

function cborHead(kind: number, size: number): Buffer {
  const first = kind * 32;
  if (size < 24) return Buffer.of(first + size);
  return size < 256 ? Buffer.of(first + 24, size) : Buffer.of(first + 25, Math.floor(size / 256), size % 256);
}
