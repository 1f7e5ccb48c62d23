import { calculateJwkThumbprint, errors, exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT } from 'jose';
import type { CryptoKey, JWK } from 'jose';

import type { Clock } from './clock.ts';
import type { Claims, Database } from './database.ts';
import type { Secrets } from './secrets.ts';

/** Why an access token is refused. */
export type TokenFailure =
  | 'malformed'
  | 'unknown_key'
  | 'bad_signature'
  | 'expired'
  | 'not_yet_valid'
  | 'wrong_audience'
  | 'wrong_issuer'
  | 'wrong_role';

export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly failure: TokenFailure;

  constructor(failure: TokenFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** The claims of a verified token, with those every one of ours has. */
export type AccessClaims = Claims & {
  readonly role: 'authenticated';
  readonly exp: number;
  readonly iat: number;
};

export type Tokens = {
  /** Signs an access token. `iss`, `aud`, `iat`, `exp` and the header's `kid` are added. */
  readonly sign: (claims: Claims, options?: { readonly expiresInSeconds?: number }) => Promise<SignedToken>;
  /** @throws TokenRefused */
  readonly verify: (token: string) => Promise<AccessClaims>;
  /** The public keys, for /auth/v1/.well-known/jwks.json. */
  readonly jwks: () => { readonly keys: readonly JWK[] };
};

export type SignedToken = {
  readonly token: string;
  readonly expiresAt: number;
  readonly expiresIn: number;
};

const ACCESS_TOKEN_SECONDS = 3600;
const ALGORITHM = 'ES256';
const AUDIENCE = 'authenticated';
const CLOCK_SKEW_SECONDS = 30;
const CACHE_MAX = 5000;
/** Another node may have made a key since: an unknown `kid` reloads them, at most this often. */
const RELOAD_AFTER_MS = 10_000;
const PURPOSE = 'signing-key';

type SigningKey = {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
};

/** Loads the signing keys, making the first one where there is none. `issuer` is asked at each use: the port may come later. */
export async function loadTokens(
  database: Database,
  secrets: Secrets,
  clock: Clock,
  issuer: () => string,
): Promise<Tokens> {
  let keys = await loadKeys(database, secrets);
  let loadedAt = clock.now().getTime();
  const verified = new Map<string, AccessClaims>();

  async function keyFor(kid: string | undefined): Promise<CryptoKey> {
    const known = keys.find((key) => key.kid === kid);
    if (known !== undefined) return known.publicKey;
    if (clock.now().getTime() - loadedAt > RELOAD_AFTER_MS) {
      loadedAt = clock.now().getTime();
      keys = await loadKeys(database, secrets);
      const reloaded = keys.find((key) => key.kid === kid);
      if (reloaded !== undefined) return reloaded.publicKey;
    }
    throw new TokenRefused('unknown_key', 'No suitable key or wrong key type');
  }

  return {
    async sign(claims, options = {}) {
      const key = keys[0];
      if (key === undefined) throw new Error('There is no signing key');
      const expiresIn = options.expiresInSeconds ?? ACCESS_TOKEN_SECONDS;
      const issuedAt = Math.floor(clock.now().getTime() / 1000);
      const expiresAt = issuedAt + expiresIn;
      const token = await new SignJWT({ ...claims })
        .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: 'JWT' })
        .setIssuer(issuer())
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key.privateKey);
      return { token, expiresAt, expiresIn };
    },

    async verify(token) {
      const nowSeconds = clock.now().getTime() / 1000;
      const cached = verified.get(token);
      if (cached !== undefined) {
        if (cached.exp + CLOCK_SKEW_SECONDS <= nowSeconds) {
          verified.delete(token);
          throw new TokenRefused('expired', 'JWT expired');
        }
        return cached;
      }
      const claims = await verifyAnew(token, keyFor, issuer(), clock.now());
      if (verified.size >= CACHE_MAX) {
        const [oldest] = verified.keys();
        if (oldest !== undefined) verified.delete(oldest);
      }
      verified.set(token, claims);
      return claims;
    },

    jwks: () => ({ keys: keys.map((key) => key.publicJwk) }),
  };
}

async function verifyAnew(
  token: string,
  keyFor: (kid: string | undefined) => Promise<CryptoKey>,
  issuer: string,
  now: Date,
): Promise<AccessClaims> {
  const parts = token.split('.').length;
  if (parts !== 3) throw new TokenRefused('malformed', `Expected 3 parts in JWT; got ${parts}`);
  try {
    const { payload } = await jwtVerify(token, (header) => keyFor(header.kid), {
      algorithms: [ALGORITHM],
      audience: AUDIENCE,
      issuer,
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: now,
      requiredClaims: ['exp', 'iat', 'sub', 'session_id', 'role'],
    });
    // A refresh token or any other thing we signed is not an access token.
    if (payload['role'] !== 'authenticated')
      throw new TokenRefused('wrong_role', 'The role of this token is not allowed');
    if (typeof payload.sub !== 'string' || !UUID.test(payload.sub)) throw malformed();
    const sessionId = payload['session_id'];
    if (typeof sessionId !== 'string' || !UUID.test(sessionId)) throw malformed();
    if (typeof payload.iat === 'number' && payload.iat > now.getTime() / 1000 + CLOCK_SKEW_SECONDS) {
      throw new TokenRefused('not_yet_valid', 'JWT issued at future');
    }
    return payload as AccessClaims;
  } catch (error) {
    throw refusalOf(error);
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

function malformed(): TokenRefused {
  return new TokenRefused('malformed', 'JWT claims are not usable');
}

function refusalOf(error: unknown): unknown {
  if (error instanceof TokenRefused) return error;
  const options = { cause: error };
  if (error instanceof errors.JWTExpired) return new TokenRefused('expired', 'JWT expired', options);
  if (error instanceof errors.JWTClaimValidationFailed) {
    switch (error.claim) {
      case 'aud':
        return new TokenRefused('wrong_audience', 'JWT not in audience', options);
      case 'iss':
        return new TokenRefused('wrong_issuer', 'JWT issuer is not this server', options);
      case 'nbf':
        return new TokenRefused('not_yet_valid', 'JWT not yet valid', options);
      default:
        return new TokenRefused('malformed', 'JWT claims are not usable', options);
    }
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return new TokenRefused('bad_signature', 'JWT cryptographic operation failed', options);
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return new TokenRefused('unknown_key', 'No suitable key or wrong key type', options);
  }
  if (error instanceof errors.JOSEError) {
    return new TokenRefused('malformed', 'JWT could not be decoded', options);
  }
  return error;
}

type SigningKeyRow = {
  readonly kid: string;
  readonly public_jwk: JWK;
  readonly private_jwk_sealed: Buffer;
};

async function loadKeys(database: Database, secrets: Secrets): Promise<SigningKey[]> {
  const rows = await database.asService('signing keys', async (tx) => {
    const read = (): Promise<{ rows: SigningKeyRow[] }> =>
      tx.query<SigningKeyRow>(
        `select kid, public_jwk, private_jwk_sealed from auth.signing_keys
         where retired_at is null and signs_from <= now() order by signs_from desc, kid`,
      );
    const existing = await read();
    if (existing.rows.length > 0) return existing.rows;
    // Nodes that start together wait here, and the later ones find the first one's key.
    await tx.query('lock table auth.signing_keys in share row exclusive mode');
    const meanwhile = await read();
    if (meanwhile.rows.length > 0) return meanwhile.rows;
    const made = await makeKey(secrets);
    await tx.query(
      `insert into auth.signing_keys (kid, algorithm, public_jwk, private_jwk_sealed) values ($1, $2, $3, $4)`,
      [made.kid, ALGORITHM, made.public_jwk, made.private_jwk_sealed],
    );
    return [made];
  });
  return Promise.all(
    rows.map(async (row) => ({
      kid: row.kid,
      publicJwk: row.public_jwk,
      publicKey: await importedKey(row.public_jwk),
      privateKey: await importedKey(
        JSON.parse(secrets.open(PURPOSE, row.private_jwk_sealed, row.kid).toString()) as JWK,
      ),
    })),
  );
}

async function makeKey(secrets: Secrets): Promise<SigningKeyRow> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const exported = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(exported);
  const privateJwk = await exportJWK(pair.privateKey);
  return {
    kid,
    public_jwk: { ...exported, kid, alg: ALGORITHM, use: 'sig', key_ops: ['verify'], ext: true },
    private_jwk_sealed: secrets.seal(PURPOSE, JSON.stringify({ ...privateJwk, kid, alg: ALGORITHM }), kid),
  };
}

async function importedKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, ALGORITHM);
  if (key instanceof Uint8Array) throw new Error('A signing key is not an elliptic curve key');
  return key;
}
