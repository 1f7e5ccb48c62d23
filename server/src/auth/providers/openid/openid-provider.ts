import { createRemoteJWKSet, importPKCS8, SignJWT } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import * as openid from 'openid-client';

import type { OidcProvider } from '#platform/identity-providers';

import { AuthError } from '../../protocol/errors.ts';
import type { Scope } from '../../protocol/operation.ts';

/** A provider's configuration and keys, from the discovery document of the issuer that the configuration fixes. */
export type OpenedProvider = {
  readonly configuration: openid.Configuration;
  readonly keys: JWTVerifyGetKey;
};

const TIMEOUT_SECONDS = 8;
/** Cached: a provider's addresses and keys change rarely. */
const KEPT_MS = 3_600_000;

const opened = new WeakMap<OidcProvider, { readonly until: number; readonly provider: Promise<OpenedProvider> }>();

/** @throws AuthError 503 for a provider out of reach, or under another issuer */
export async function openProvider({ services }: Scope, provider: OidcProvider): Promise<OpenedProvider> {
  const known = opened.get(provider);
  if (known !== undefined && known.until > Date.now()) return known.provider;
  const opening = discover(provider);
  opened.set(provider, { until: Date.now() + KEPT_MS, provider: opening });
  try {
    return await opening;
  } catch (error) {
    // A failure is not cached.
    opened.delete(provider);
    services.log.warn({ err: error, provider: provider.name }, 'An identity provider cannot be reached');
    throw unreachable(provider);
  }
}

export function unreachable({ name }: OidcProvider): AuthError {
  return new AuthError(503, 'unexpected_failure', `Provider ${name} cannot be reached`, { retryAfterSeconds: 5 });
}

async function discover(provider: OidcProvider): Promise<OpenedProvider> {
  const issuer = new URL(provider.issuer);
  const isLocal = issuer.protocol === 'http:';
  const authentication = await clientAuthentication(provider);
  const configuration = await openid.discovery(issuer, provider.clientId, undefined, authentication, {
    timeout: TIMEOUT_SECONDS,
    // The signature of an identity token is checked even where it came straight from the provider.
    execute: [openid.enableNonRepudiationChecks, ...(isLocal ? [openid.allowInsecureRequests] : [])],
  });
  const { jwks_uri: keysUrl } = configuration.serverMetadata();
  if (keysUrl === undefined) throw new Error(`Provider ${provider.name} publishes no keys`);
  return {
    configuration,
    keys: createRemoteJWKSet(new URL(keysUrl), { timeoutDuration: TIMEOUT_SECONDS * 1000 }),
  };
}

async function clientAuthentication(provider: OidcProvider): Promise<openid.ClientAuth> {
  const { secret } = provider;
  switch (secret.kind) {
    case 'none':
      return openid.None();
    case 'text':
      return openid.ClientSecretPost(secret.text);
    case 'signed':
      return openid.ClientSecretPost(await signedSecret(provider, secret));
  }
}

/** A client secret that outlasts the cached provider, and no more. */
async function signedSecret(
  { clientId, issuer }: OidcProvider,
  { teamId, keyId, privateKey }: Extract<OidcProvider['secret'], { readonly kind: 'signed' }>,
): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime(new Date(Date.now() + 2 * KEPT_MS))
    .sign(await importPKCS8(privateKey, 'ES256'));
}
