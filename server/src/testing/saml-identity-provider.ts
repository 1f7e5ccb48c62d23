import { createSign, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';

/** A company's SAML service, with a key and a certificate of its own, that answers what a test has it say. */
export type SamlIdentityProvider = {
  readonly entityId: string;
  readonly entryPoint: string;
  /** Its certificate, as the base64 that metadata holds. */
  readonly certificate: string;
  readonly metadata: string;
  /** The answer to a request, signed, as the browser would bring it. */
  readonly answer: (url: string, answer: SamlAnswerDetails) => SamlForm;
  /** A document whose assertion is signed. */
  readonly sign: (xml: string, algorithms?: { readonly signature?: string; readonly digest?: string }) => string;
};

export type SamlForm = { readonly xml: string; readonly body: URLSearchParams };

export type SamlAnswerDetails = {
  readonly nameId?: string | null;
  readonly nameIdFormat?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly audience?: string;
  readonly issuer?: string;
  readonly recipient?: string;
  readonly destination?: string;
  readonly inResponseTo?: string;
  readonly assertionId?: string;
  readonly notOnOrAfter?: Date;
  readonly notBefore?: Date;
  readonly sessionNotOnOrAfter?: Date;
  /** Tampering with the document, before and after its signature. */
  readonly unsigned?: (xml: string) => string;
  readonly signed?: (xml: string) => string;
  readonly algorithms?: { readonly signature?: string; readonly digest?: string };
};

const EXC_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

export function makeSamlIdentityProvider(): SamlIdentityProvider {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = selfSignedCertificate(privateKey, publicKey).toString('base64');
  const entityId = `https://idp-${randomUUID().slice(0, 8)}.example.fr/metadata`;
  const entryPoint = 'https://idp.example.fr/sso';

  function sign(xml: string, algorithms: { readonly signature?: string; readonly digest?: string } = {}): string {
    const signer = new SignedXml({
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      signatureAlgorithm: algorithms.signature ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      canonicalizationAlgorithm: EXC_C14N,
    });
    signer.addReference({
      xpath: "//*[local-name(.)='Assertion']",
      transforms: [ENVELOPED, EXC_C14N],
      digestAlgorithm: algorithms.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    });
    signer.computeSignature(xml, {
      prefix: 'ds',
      location: { reference: "//*[local-name(.)='Assertion']/*[local-name(.)='Issuer']", action: 'after' },
    });
    return signer.getSignedXml();
  }

  return {
    entityId,
    entryPoint,
    certificate,
    metadata: `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="encryption"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>AAAA</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.fr/post"/><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${entryPoint}"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
    sign,
    answer(url, details) {
      const asked = requestIn(url);
      const unsigned = (details.unsigned ?? same)(responseXml(entityId, asked, details));
      const xml = (details.signed ?? same)(sign(unsigned, details.algorithms));
      const body = new URLSearchParams({
        SAMLResponse: Buffer.from(xml).toString('base64'),
        RelayState: asked.relayState,
      });
      return { xml, body };
    },
  };
}

function same(xml: string): string {
  return xml;
}

export type SamlRequest = {
  readonly id: string;
  readonly issuer: string;
  readonly consumer: string;
  readonly relayState: string;
};

/** The AuthnRequest in a redirect address. */
export function requestIn(url: string): SamlRequest {
  const { searchParams } = new URL(url);
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  return {
    id: /\sID="([^"]+)"/u.exec(xml)?.[1] ?? '',
    issuer: /<saml:Issuer[^>]*>([^<]+)</u.exec(xml)?.[1] ?? '',
    consumer: /AssertionConsumerServiceURL="([^"]+)"/u.exec(xml)?.[1] ?? '',
    relayState: searchParams.get('RelayState') ?? '',
  };
}

function responseXml(entityId: string, asked: SamlRequest, details: SamlAnswerDetails): string {
  const at = new Date().toISOString();
  const until = (details.notOnOrAfter ?? new Date(Date.now() + 300_000)).toISOString();
  const from = (details.notBefore ?? new Date(Date.now() - 60_000)).toISOString();
  const inResponseTo = details.inResponseTo ?? asked.id;
  const issuer = details.issuer ?? entityId;
  const nameId = details.nameId === undefined ? randomUUID() : details.nameId;
  const attributes = Object.entries(details.attributes ?? {})
    .map(
      ([name, value]) =>
        `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`,
    )
    .join('');
  const ends =
    details.sessionNotOnOrAfter === undefined
      ? ''
      : ` SessionNotOnOrAfter="${details.sessionNotOnOrAfter.toISOString()}"`;
  return [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomBytes(16).toString('hex')}" Version="2.0" IssueInstant="${at}" Destination="${details.destination ?? asked.consumer}" InResponseTo="${inResponseTo}">`,
    `<saml:Issuer>${issuer}</saml:Issuer>`,
    '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
    `<saml:Assertion ID="${details.assertionId ?? `_${randomBytes(16).toString('hex')}`}" Version="2.0" IssueInstant="${at}">`,
    `<saml:Issuer>${issuer}</saml:Issuer>`,
    '<saml:Subject>',
    nameId === null ? '' : `<saml:NameID Format="${details.nameIdFormat ?? PERSISTENT}">${nameId}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${until}" Recipient="${details.recipient ?? asked.consumer}" InResponseTo="${inResponseTo}"/></saml:SubjectConfirmation>`,
    '</saml:Subject>',
    `<saml:Conditions NotBefore="${from}" NotOnOrAfter="${until}"><saml:AudienceRestriction><saml:Audience>${details.audience ?? asked.issuer}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${at}"${ends}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    `<saml:AttributeStatement>${attributes}</saml:AttributeStatement>`,
    '</saml:Assertion>',
    '</samlp:Response>',
  ].join('');
}

/** The smallest X.509 certificate there is: a name, a validity, a key, signed by that key. */
export function selfSignedCertificate(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  const algorithm = der(0x30, Buffer.from('06092a864886f70d01010b', 'hex'), der(0x05));
  const commonName = der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('idp.example.fr')));
  const name = der(0x30, der(0x31, commonName));
  const validity = der(0x30, der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('450101000000Z')));
  const serial = der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)]));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const certificate = der(0x30, serial, algorithm, name, validity, name, key);
  const signature = createSign('sha256').update(certificate).sign(privateKey);
  return der(0x30, certificate, algorithm, der(0x03, Buffer.of(0), signature));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = body.length;
  const size =
    length < 128
      ? Buffer.of(length)
      : length < 256
        ? Buffer.of(0x81, length)
        : Buffer.of(0x82, length >> 8, length & 255);
  return Buffer.concat([Buffer.of(tag), size, body]);
}
