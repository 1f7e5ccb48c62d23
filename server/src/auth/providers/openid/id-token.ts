import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { createHash, timingSafeEqual } from 'node:crypto';

import type { OidcProvider } from '#platform/identity-providers';

import type { Scope } from '../../protocol/operation.ts';
import { openProvider, unreachable } from './openid-provider.ts';

/** A refused identity token. The message is for the developer of the application. */
export class IdTokenRefused extends Error {
  override readonly name = 'IdTokenRefused';
}

const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/**
 * Verifies an identity token that a client brought (AU-05): signed by the provider's keys, by the issuer that the
 * configuration fixes (never the token's or the request's), for one of our applications, alive, and bound to the nonce and
 * the access token that the application knows.
 * @throws IdTokenRefused, AuthError 503
 */
export async function readIdToken(
  scope: Scope,
  provider: OidcProvider,
  given: { readonly idToken: string; readonly accessToken: string; readonly nonce: string },
): Promise<JWTPayload & { readonly sub: string }> {
  const { keys } = await openProvider(scope, provider);
  const { payload, alg } = await verified(scope, provider, keys, given.idToken);
  const { sub } = payload;
  if (sub === undefined || sub === '' || sub.length > 255) throw new IdTokenRefused('Bad ID token: no subject');
  requireAuthorizedParty(provider, payload);
  requireTenant(provider, payload);
  requireNonce(payload['nonce'], given.nonce);
  requireAccessTokenHash(payload['at_hash'], given.accessToken, alg);
  return { ...payload, sub };
}

/** The errors of unreadable keys, which are no fault of the token. */
const KEYS_UNREADABLE = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']);

async function verified(
  { services }: Scope,
  provider: OidcProvider,
  keys: JWTVerifyGetKey,
  idToken: string,
): Promise<{ readonly payload: JWTPayload; readonly alg: string }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
      issuer: provider.issuer,
      audience: [...provider.audiences],
      algorithms: ALGORITHMS,
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: 30,
    });
    return { payload, alg: protectedHeader.alg };
  } catch (error) {
    if (!(error instanceof errors.JOSEError) || KEYS_UNREADABLE.has(error.code)) {
      services.log.warn({ err: error, provider: provider.name }, 'The keys of an identity provider cannot be read');
      throw unreachable(provider);
    }
    throw new IdTokenRefused('Bad ID token', { cause: error });
  }
}

/** A token for several audiences names the one that asked for it (`azp`): that must be us. */
function requireAuthorizedParty(provider: OidcProvider, payload: JWTPayload): void {
  const party = payload['azp'];
  if (!Array.isArray(payload.aud) || payload.aud.length < 2) return;
  if (typeof party !== 'string' || !provider.audiences.includes(party)) {
    throw new IdTokenRefused('Bad ID token: not for this application');
  }
}

/**
 * Requires the one directory that may sign in here, where the provider serves many under one key.
 * @throws IdTokenRefused
 */
export function requireTenant({ tenant }: OidcProvider, claims: Readonly<Record<string, unknown>>): void {
  if (tenant === null) return;
  const given = claims['tid'];
  if (typeof given !== 'string' || given.toLowerCase() !== tenant) {
    throw new IdTokenRefused('Bad ID token: not of this tenant');
  }
}

function requireNonce(claim: unknown, nonce: string): void {
  if (claim === undefined && nonce === '') return;
  const isMatching =
    typeof claim === 'string' &&
    nonce !== '' &&
    // Some providers return the hash they were given, others the nonce of the request.
    isSame(claim, createHash('sha256').update(nonce).digest('hex'));
  if (!isMatching) throw new IdTokenRefused('Passed nonce and nonce in id_token should either both exist or match');
}

function requireAccessTokenHash(claim: unknown, accessToken: string, alg: string): void {
  if (accessToken === '' || claim === undefined) return;
  const size = alg === 'EdDSA' || alg === 'Ed25519' ? '512' : alg.slice(2);
  const digest = createHash(`sha${size}`).update(accessToken).digest();
  const expected = digest.subarray(0, digest.length / 2).toString('base64url');
  if (typeof claim !== 'string' || !isSame(claim, expected)) {
    throw new IdTokenRefused('Bad ID token: at_hash does not match the access token');
  }
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
