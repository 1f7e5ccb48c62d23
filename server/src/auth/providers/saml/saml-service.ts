import type { SAML } from '@node-saml/node-saml';
import { z } from 'zod';

import type { SamlProvider } from '#platform/identity-providers';

import type { AuthSettings } from '../../protocol/settings.ts';
import { emailClaim, textClaim } from '../assertion.ts';
import type { Assertion } from '../assertion.ts';

/** This server's SAML 2.0 with a company's sign-in service: its names, its addresses, its checks. */

function samlEntityId({ externalUrl }: AuthSettings): string {
  return `${externalUrl}/sso/saml/metadata`;
}

function assertionConsumerUrl({ externalUrl }: AuthSettings): string {
  return `${externalUrl}/sso/saml/acs`;
}

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const CLOCK_SKEW_MS = 60_000;

/** `request` is the answered one: its id, and its time. */
async function serviceOf(
  settings: AuthSettings,
  provider: SamlProvider,
  request: { readonly id: string; readonly at: string },
): Promise<SAML> {
  // Loaded at the first use: a megabyte of program.
  const { SAML: Service, ValidateInResponseTo } = await import('@node-saml/node-saml');
  return new Service({
    issuer: samlEntityId(settings),
    audience: samlEntityId(settings),
    callbackUrl: assertionConsumerUrl(settings),
    entryPoint: provider.entryPoint,
    idpIssuer: provider.entityId,
    idpCert: [...provider.certificates],
    identifierFormat: PERSISTENT,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    // Most services sign the assertion alone; nothing outside of it is read.
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: settings.providerFlowSeconds * 1000,
    generateUniqueId: () => request.id,
    // The flow remembers its request, and is used up before a response is read.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (key) => (key === request.id ? request.at : null),
      removeAsync: async (key) => key,
    },
  });
}

/** The address at the company's service where a person signs in. */
export async function samlRequestUrl(
  settings: AuthSettings,
  provider: SamlProvider,
  { id, at, relayState }: { readonly id: string; readonly at: string; readonly relayState: string },
): Promise<string> {
  const service = await serviceOf(settings, provider, { id, at });
  return service.getAuthorizeUrlAsync(relayState, undefined, {});
}

/** This service's metadata, for the company's service. */
export function samlMetadata(settings: AuthSettings): string {
  const escaped = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<?xml version="1.0" encoding="UTF-8"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escaped(samlEntityId(settings))}">
  <SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <NameIDFormat>${PERSISTENT}</NameIDFormat>
    <NameIDFormat>${EMAIL_FORMAT}</NameIDFormat>
    <AssertionConsumerService index="0" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${escaped(assertionConsumerUrl(settings))}"/>
  </SPSSODescriptor>
</EntityDescriptor>
`;
}

/** A refused response. The reason goes to the log, not to its sender. */
export class SamlRefused extends Error {
  override readonly name = 'SamlRefused';
}

export type SamlAnswer = {
  readonly id: string;
  /** The instant after which the assertion is refused by itself. */
  readonly lapsesAt: Date;
  /** The end of the session that the company's service sets. */
  readonly sessionNotAfter: Date | null;
  readonly subject: string | null;
  readonly email: string | null;
  readonly assertion: (known: { readonly subject: string; readonly email: string }) => Assertion;
};

/**
 * Verifies a company's response to our request: signed by it, whole, once, for us, now. Everything is read from the bytes
 * that the signature covers.
 * @throws SamlRefused
 */
export async function readSamlResponse(
  settings: AuthSettings,
  provider: SamlProvider,
  response: string,
  request: { readonly id: string; readonly at: string },
): Promise<SamlAnswer> {
  requirePlainDocument(response, settings);
  const profile = await validated(settings, provider, response, request);
  const parsed = assertionSchema.safeParse(profile.getAssertion?.());
  if (!parsed.success) throw new SamlRefused('The assertion lacks what it must say', { cause: parsed.error });
  const { Assertion: assertion } = parsed.data;
  if (textOf(assertion.Issuer[0]) !== provider.entityId) throw new SamlRefused('The assertion is of another service');
  const confirmation = assertion.Subject[0].SubjectConfirmation.find(({ $, SubjectConfirmationData: [data] }) => {
    return (
      $.Method === BEARER &&
      data.$.Recipient === assertionConsumerUrl(settings) &&
      data.$.InResponseTo === request.id &&
      new Date(data.$.NotOnOrAfter).getTime() + CLOCK_SKEW_MS > Date.now()
    );
  });
  if (confirmation === undefined) throw new SamlRefused('No confirmation of the subject is for this request');

  const nameId = assertion.Subject[0].NameID?.[0];
  const format = typeof nameId === 'object' ? (nameId.$?.Format ?? '') : '';
  const name = nameId === undefined ? null : textClaim(textOf(nameId));
  const attributes = attributesOf(profile['attributes']);
  const ends = assertion.AuthnStatement.map(({ $ }) => $?.SessionNotOnOrAfter).filter((end) => end !== undefined);
  return {
    id: assertion.$.ID,
    lapsesAt: new Date(new Date(confirmation.SubjectConfirmationData[0].$.NotOnOrAfter).getTime() + 2 * CLOCK_SKEW_MS),
    sessionNotAfter: ends.length === 0 ? null : new Date(Math.min(...ends.map((end) => new Date(end).getTime()))),
    subject: format === TRANSIENT ? null : name,
    email: emailClaim(firstOf(attributes, EMAIL_ATTRIBUTES)) ?? (format === EMAIL_FORMAT ? emailClaim(name) : null),
    assertion: ({ subject, email }) => assertionOf(provider, subject, email, attributes),
  };
}

type Profile = { readonly getAssertion?: () => unknown; readonly [attribute: string]: unknown };

async function validated(
  settings: AuthSettings,
  provider: SamlProvider,
  response: string,
  request: { readonly id: string; readonly at: string },
): Promise<Profile> {
  try {
    const service = await serviceOf(settings, provider, request);
    const { profile } = await service.validatePostResponseAsync({ SAMLResponse: response });
    if (profile === null) throw new Error('The answer holds no assertion');
    return profile;
  } catch (error) {
    throw new SamlRefused('The answer is not valid', { cause: error });
  }
}

/** Signature and digest algorithms that are still secure. */
const SIGNED_WITH = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
]);
const DIGESTED_WITH = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);

/** Base64, ten times a real service's response. */
const RESPONSE_LENGTH_MAX = 262_144;

/**
 * XML signature wrapping: requires the one plain shape of a response before any parser reads it: one response around one
 * assertion, each id once, nothing that two readers could read in two ways.
 */
function requirePlainDocument(response: string, settings: AuthSettings): void {
  if (response.length > RESPONSE_LENGTH_MAX) throw new SamlRefused('The answer is too long');
  if (!/^[A-Za-z\d+/=\s]+$/u.test(response)) throw new SamlRefused('The answer is not base64');
  const bytes = Buffer.from(response, 'base64');
  const xml = bytes.toString('utf8');
  if (!Buffer.from(xml).equals(bytes) || /[\0\u{fffe}\u{ffff}]/u.test(xml))
    throw new SamlRefused('The answer is not UTF-8');
  const document = xml.replace(/^\u{feff}?\s*<\?xml\s[^>]*\?>/u, '');
  if (/<!|<\?/u.test(document)) throw new SamlRefused('The answer holds a declaration, a comment or an instruction');
  for (const name of ['Response', 'Assertion']) {
    if (tags(document, name).length !== 1) throw new SamlRefused(`The answer does not hold exactly one ${name}`);
  }
  if (tags(document, 'EncryptedAssertion').length > 0) throw new SamlRefused('Encrypted assertions are not supported');
  const ids = [...document.matchAll(/\s(?:ID|Id|id)\s*=\s*(?:"([^"]*)"|'([^']*)')/gu)].map(([, a, b]) => a ?? b ?? '');
  if (new Set(ids).size !== ids.length) throw new SamlRefused('An id stands twice');
  requireAlgorithms(document, 'SignatureMethod', SIGNED_WITH);
  requireAlgorithms(document, 'DigestMethod', DIGESTED_WITH);
  const [opening = ''] = tags(document, 'Response');
  const destination = /\sDestination\s*=\s*(?:"([^"]*)"|'([^']*)')/u.exec(opening);
  const given = destination?.[1] ?? destination?.[2];
  if (given !== undefined && given !== '' && given !== assertionConsumerUrl(settings)) {
    throw new SamlRefused('The answer was sent elsewhere');
  }
}

/** More of one tag than any response has. */
const TAGS_MAX = 20;

/** The tags of a name. They are counted before any is read to its end: linear time (ReDoS). */
function tags(document: string, name: string): string[] {
  const starts = [...document.matchAll(new RegExp(`<(?:[^\\s<>/:]+:)?${name}(?=[\\s/>])`, 'gu'))];
  if (starts.length > TAGS_MAX) throw new SamlRefused(`The answer holds too many ${name}`);
  return starts.map(({ index }) => {
    const tag = /(?:"[^"]*"|'[^']*'|[^>"'])*>/uy;
    tag.lastIndex = index;
    const [text] = tag.exec(document) ?? [];
    if (text === undefined) throw new SamlRefused(`A ${name} never ends`);
    return text;
  });
}

function requireAlgorithms(document: string, name: string, known: ReadonlySet<string>): void {
  const used = tags(document, name);
  if (used.length === 0) throw new SamlRefused('The answer is not signed');
  for (const tag of used) {
    const algorithm = /\sAlgorithm\s*=\s*(?:"([^"]*)"|'([^']*)')/u.exec(tag);
    if (!known.has(algorithm?.[1] ?? algorithm?.[2] ?? '')) throw new SamlRefused(`${name} is not accepted`);
  }
}

const instant = z.string().refine((text) => !Number.isNaN(new Date(text).getTime()));
const textNode = z.union([z.string(), z.looseObject({ _: z.string().optional() })]);
function textOf(node: z.output<typeof textNode>): string {
  return typeof node === 'string' ? node : (node._ ?? '');
}

/** The parts that an assertion must have: a person, a service, a request of ours. */
const assertionSchema = z.object({
  Assertion: z.object({
    $: z.object({ ID: z.string().min(1).max(300) }),
    Issuer: z.tuple([textNode]),
    Subject: z.tuple([
      z.object({
        NameID: z
          .tuple([
            z.looseObject({ _: z.string().optional(), $: z.looseObject({ Format: z.string().optional() }).optional() }),
          ])
          .optional(),
        SubjectConfirmation: z.array(
          z.object({
            $: z.object({ Method: z.string() }),
            SubjectConfirmationData: z.tuple([
              z.object({
                $: z.looseObject({ Recipient: z.string(), InResponseTo: z.string(), NotOnOrAfter: instant }),
              }),
            ]),
          }),
        ),
      }),
    ]),
    AuthnStatement: z
      .array(z.looseObject({ $: z.looseObject({ SessionNotOnOrAfter: instant.optional() }).optional() }))
      .min(1),
  }),
});

const EMAIL_ATTRIBUTES = [
  'email',
  'mail',
  'emailAddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
];
const NAME_ATTRIBUTES = [
  'displayName',
  'name',
  'cn',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
];
const GIVEN_NAME_ATTRIBUTES = [
  'givenName',
  'firstName',
  'urn:oid:2.5.4.42',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
];
const SURNAME_ATTRIBUTES = [
  'sn',
  'surname',
  'lastName',
  'urn:oid:2.5.4.4',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
];

function attributesOf(given: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof given === 'object' && given !== null ? Object.entries(given) : []);
}

function firstOf(attributes: ReadonlyMap<string, unknown>, names: readonly string[]): unknown {
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined) return Array.isArray(value) ? value[0] : value;
  }
  return null;
}

function assertionOf(
  provider: SamlProvider,
  subject: string,
  email: string,
  attributes: ReadonlyMap<string, unknown>,
): Assertion {
  const parts = [GIVEN_NAME_ATTRIBUTES, SURNAME_ATTRIBUTES].map((names) => textClaim(firstOf(attributes, names)));
  const fullName =
    textClaim(firstOf(attributes, NAME_ATTRIBUTES)) ?? (parts.filter((part) => part !== null).join(' ') || null);
  return {
    provider: `sso:${provider.id}`,
    subject,
    email,
    isEmailVerified: true,
    isSso: true,
    fullName,
    data: {
      iss: provider.entityId,
      sub: subject,
      ...(fullName === null ? {} : { name: fullName, full_name: fullName }),
      email,
      email_verified: true,
      phone_verified: false,
    },
  };
}
