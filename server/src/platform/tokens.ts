import { errors, jwtVerify, SignJWT } from 'jose';
import type { JWK } from 'jose';

import type { Clock } from './clock.ts';
import { createLruCache } from './concurrency.ts';
import type { Claims, Database } from './database.ts';
import type { Secrets } from './secrets.ts';
import { loadSigningKeys, SIGNING_ALGORITHM } from './signing-keys.ts';
import type { SigningKey } from './signing-keys.ts';

/** Why an access token is refused. */
export type TokenFailure =
  | 'malformed'
  | 'unknown_key'
  | 'bad_signature'
  | 'expired'
  | 'not_yet_valid'
  | 'wrong_audience'
  | 'wrong_issuer'
  | 'wrong_role'
  | 'view';

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
  /** The admin who looks at this person's screen (UI-15, RFC 8693): such a token reads, and nothing else. */
  readonly act?: { readonly sub: string };
};

export type Tokens = {
  /** Signs an access token. `iss`, `aud`, `iat`, `exp` and the header's `kid` are added. */
  readonly sign: (claims: Claims, options?: { readonly expiresInSeconds?: number }) => Promise<SignedToken>;
  /** The claims of a good token; a view's is good where `takesViews` alone. @throws TokenRefused */
  readonly verify: (token: string, options?: { readonly takesViews?: boolean }) => Promise<AccessClaims>;
  /** The public keys, for /auth/v1/.well-known/jwks.json. */
  readonly jwks: () => Promise<{ readonly keys: readonly JWK[] }>;
  /** The keys changed: they are read again before their next use. */
  readonly forgetKeys: () => void;
};

export type SignedToken = {
  readonly token: string;
  readonly expiresAt: number;
  readonly expiresIn: number;
};

export const ACCESS_TOKEN_SECONDS = 3600;
const AUDIENCE = 'authenticated';
const CLOCK_SKEW_SECONDS = 30;
const CACHE_MAX = 5000;

/** Loads the signing keys, making the first one where there is none. `issuer` is asked at each use: the port may come later. */
export async function loadTokens(
  database: Database,
  secrets: Secrets,
  clock: Clock,
  issuer: () => string,
): Promise<Tokens> {
  const keys = await loadSigningKeys(database, secrets, clock);
  const verified = createLruCache<string, Verified>(CACHE_MAX);

  async function keyFor(kid: string | undefined): Promise<SigningKey> {
    const known = keys.known(kid);
    if (known !== undefined) return known;
    await keys.seek();
    const found = keys.known(kid);
    if (found !== undefined) return found;
    throw new TokenRefused('unknown_key', 'No suitable key or wrong key type');
  }

  return {
    async sign(claims, options = {}) {
      await keys.fresh();
      const key = keys.current();
      const expiresIn = options.expiresInSeconds ?? ACCESS_TOKEN_SECONDS;
      const issuedAt = Math.floor(clock.now().getTime() / 1000);
      const expiresAt = issuedAt + expiresIn;
      const token = await new SignJWT({ ...claims })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: key.kid, typ: 'JWT' })
        .setIssuer(issuer())
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key.privateKey);
      return { token, expiresAt, expiresIn };
    },

    async verify(token, { takesViews = false } = {}) {
      await keys.fresh();
      const nowSeconds = clock.now().getTime() / 1000;
      const cached = verified.get(token);
      // Verified again where the key is gone: its signatures are no longer believed.
      if (cached !== undefined && keys.known(cached.kid) !== undefined) {
        if (cached.claims.exp + CLOCK_SKEW_SECONDS <= nowSeconds) {
          verified.delete(token);
          throw new TokenRefused('expired', 'JWT expired');
        }
        return forDoor(cached.claims, takesViews);
      }
      const fresh = await verifyUncached(token, keyFor, issuer(), clock.now());
      verified.set(token, fresh);
      return forDoor(fresh.claims, takesViews);
    },

    async jwks() {
      await keys.fresh();
      return { keys: keys.published() };
    },
    forgetKeys: keys.forget,
  };
}

type Verified = { readonly claims: AccessClaims; readonly kid: string };

async function verifyUncached(
  token: string,
  keyFor: (kid: string | undefined) => Promise<SigningKey>,
  issuer: string,
  now: Date,
): Promise<Verified> {
  const parts = token.split('.').length;
  if (parts !== 3) throw new TokenRefused('malformed', `Expected 3 parts in JWT; got ${parts}`);
  try {
    const { payload, protectedHeader } = await jwtVerify(token, async ({ kid }) => (await keyFor(kid)).publicKey, {
      algorithms: [SIGNING_ALGORITHM],
      audience: AUDIENCE,
      issuer,
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: now,
      requiredClaims: ['exp', 'iat', 'sub', 'session_id', 'role'],
    });
    // A refresh token, or another product of our keys, is no access token.
    if (payload['role'] !== 'authenticated')
      throw new TokenRefused('wrong_role', 'The role of this token is not allowed');
    if (typeof payload.sub !== 'string' || !UUID.test(payload.sub)) throw malformed();
    const sessionId = payload['session_id'];
    if (typeof sessionId !== 'string' || !UUID.test(sessionId)) throw malformed();
    if (typeof payload.iat === 'number' && payload.iat > now.getTime() / 1000 + CLOCK_SKEW_SECONDS) {
      throw new TokenRefused('not_yet_valid', 'JWT issued at future');
    }
    return { claims: payload as AccessClaims, kid: protectedHeader.kid ?? '' };
  } catch (error) {
    throw refusalOf(error);
  }
}

function forDoor(claims: AccessClaims, takesViews: boolean): AccessClaims {
  if (claims.act !== undefined && !takesViews) throw new TokenRefused('view', 'The token of a view only reads');
  return claims;
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
