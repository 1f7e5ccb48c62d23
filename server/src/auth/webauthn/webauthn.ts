import type * as simpleWebauthn from '@simplewebauthn/server';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';

import type { Account } from '../protocol/account.ts';
import type { Scope } from '../protocol/operation.ts';
import type { AuthSettings } from '../protocol/settings.ts';

/**
 * WebAuthn, of second factors and of passkeys. The relying party's id and origin come from the configured address alone: a
 * request's own word about its origin does not count.
 */

/**
 * Passkeys are the only credential, so they must be discoverable and require user verification. A second factor needs user
 * presence only.
 */
export type Purpose = 'factor' | 'passkey';

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];

/** A stored public key. */
export type Credential = {
  readonly credential_id: string;
  readonly public_key: Uint8Array;
  readonly sign_count: number;
  readonly transports: readonly string[];
};

export type NewCredential = Credential & { readonly aaguid: string; readonly is_backed_up: boolean };

/** The options of `navigator.credentials.create()`. `known` are the person's credentials: none is registered twice. */
export async function creationOptions(
  { settings }: Scope,
  account: Account,
  companyName: string,
  purpose: Purpose,
  known: readonly Pick<Credential, 'credential_id' | 'transports'>[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: companyName,
    rpID: relyingParty(settings).id,
    userID: new Uint8Array(Buffer.from(account.id)),
    userName: account.email ?? account.phone ?? account.id,
    userDisplayName: account.full_name ?? '',
    timeout: settings.challengeSeconds * 1000,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(descriptor),
    authenticatorSelection:
      purpose === 'passkey'
        ? { residentKey: 'required', userVerification: 'required' }
        : { residentKey: 'discouraged', userVerification: 'preferred' },
  });
}

/** The options of `navigator.credentials.get()`. The browser offers the passkeys: none is named. */
export async function requestOptions(
  { settings }: Scope,
  purpose: Purpose,
  allowed: readonly Pick<Credential, 'credential_id' | 'transports'>[] = [],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: relyingParty(settings).id,
    timeout: settings.challengeSeconds * 1000,
    userVerification: purpose === 'passkey' ? 'required' : 'preferred',
    ...(allowed.length === 0 ? {} : { allowCredentials: allowed.map(descriptor) }),
  });
}

/** The new credential in a browser's answer; null for an answer that is not the right one. */
export async function registeredCredential(
  { settings }: Scope,
  given: unknown,
  challenge: string,
  purpose: Purpose,
): Promise<NewCredential | null> {
  const parsed = registration.safeParse(given);
  if (!parsed.success) return null;
  const { verifyRegistrationResponse } = await library();
  const party = relyingParty(settings);
  try {
    if (isFromAnotherFrame(parsed.data.response.clientDataJSON)) return null;
    if (await bringsCertificates(parsed.data.response.attestationObject)) return null;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: parsed.data,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: purpose === 'passkey',
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (registrationInfo === undefined) return null;
    const { credential, aaguid, credentialBackedUp } = registrationInfo;
    return {
      credential_id: credential.id,
      public_key: credential.publicKey,
      sign_count: credential.counter,
      transports: parsed.data.response.transports,
      aaguid,
      is_backed_up: credentialBackedUp,
    };
  } catch {
    // The library throws for every refusal: one answer for all of them.
    return null;
  }
}

/** The id of the credential that an answer names; null where there is none to look up. */
export function claimedCredential(given: unknown): { readonly id: string; readonly userId: string | null } | null {
  const parsed = assertion.safeParse(given);
  if (!parsed.success) return null;
  const { userHandle } = parsed.data.response;
  return {
    id: parsed.data.id,
    userId: userHandle === undefined ? null : Buffer.from(userHandle, 'base64url').toString(),
  };
}

/** The new signature count after a right answer; null for a wrong one. */
export async function signCountOf(
  { settings }: Scope,
  given: unknown,
  challenge: string,
  purpose: Purpose,
  credential: Credential,
): Promise<{ readonly signCount: number; readonly isBackedUp: boolean } | null> {
  const parsed = assertion.safeParse(given);
  if (!parsed.success || parsed.data.id !== credential.credential_id) return null;
  const { verifyAuthenticationResponse } = await library();
  const party = relyingParty(settings);
  try {
    if (isFromAnotherFrame(parsed.data.response.clientDataJSON)) return null;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: parsed.data as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: purpose === 'passkey',
      credential: {
        id: credential.credential_id,
        publicKey: new Uint8Array(credential.public_key),
        counter: credential.sign_count,
      },
    });
    return verified
      ? { signCount: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp }
      : null;
  } catch {
    return null;
  }
}

/** Loaded at the first use: most starts never need it. */
function library(): Promise<typeof simpleWebauthn> {
  return import('@simplewebauthn/server');
}

function relyingParty({ siteUrl }: AuthSettings): { readonly id: string; readonly origin: string } {
  const { hostname, origin } = new URL(siteUrl);
  return { id: hostname, origin };
}

function descriptor({ credential_id: id, transports }: Pick<Credential, 'credential_id' | 'transports'>): {
  id: string;
  transports: string[];
} {
  return { id, transports: [...transports] };
}

/** Our pages are never framed by another site. */
function isFromAnotherFrame(clientDataJSON: string): boolean {
  const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
  return typeof data === 'object' && data !== null && 'crossOrigin' in data && data.crossOrigin === true;
}

/**
 * No attestation was asked for, and browsers leave it out. Certificates of a hand-made answer are not read: they name
 * addresses that a verifier would fetch (SSRF).
 */
async function bringsCertificates(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = decoded.get('fmt');
  if (format === 'none') return false;
  return format !== 'packed' || decoded.get('attStmt').get('x5c') !== undefined;
}

const base64Url = (lengthMax: number) =>
  z
    .string()
    .regex(/^[\w-]+$/u)
    .max(lengthMax);

const registration = z.object({
  id: base64Url(1400),
  rawId: base64Url(1400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64Url(4000),
    attestationObject: base64Url(40_000),
    transports: z
      .array(z.string().max(32))
      .max(8)
      .nullish()
      .transform((transports) => transports ?? []),
  }),
  clientExtensionResults: z.looseObject({}).default({}),
});

const assertion = z.object({
  id: base64Url(1400),
  rawId: base64Url(1400),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64Url(4000),
    authenticatorData: base64Url(4000),
    signature: base64Url(4000),
    userHandle: base64Url(200)
      .nullish()
      .transform((handle) => handle ?? undefined),
  }),
  clientExtensionResults: z.looseObject({}).default({}),
});
