import { X509Certificate } from 'node:crypto';
import { z } from 'zod';

/** The trusted identity providers: `OIDC_PROVIDERS`, `SAML_PROVIDERS` and `WEB3`, parsed. */

/** An OpenID provider (AU-05, AU-12). Its addresses and its issuer come from here alone. */
export type OidcProvider = {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Every audience whose tokens are for us: the client's own first, then those of native applications. */
  readonly audiences: readonly string[];
  readonly secret: ClientSecret;
  readonly scopes: readonly string[];
  /** The one directory whose people may come, where the provider serves many. */
  readonly tenant: string | null;
  /** True when its e-mail addresses are trusted without `email_verified`. */
  readonly isEmailTrusted: boolean;
  /** True when it returns by form post rather than by redirect. */
  readonly isFormPost: boolean;
};

export type ClientSecret =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  /** Apple's client secret is signed for each use. */
  | { readonly kind: 'signed'; readonly teamId: string; readonly keyId: string; readonly privateKey: string };

/** A company's own sign-in service (AU-11). */
export type SamlProvider = {
  readonly id: string;
  readonly domains: readonly string[];
  readonly entityId: string;
  /** Address that people are sent to for signing in. */
  readonly entryPoint: string;
  /** The certificates it signs with, as PEM. */
  readonly certificates: readonly string[];
  readonly isDisabled: boolean;
};

export type Web3Chain = 'ethereum' | 'solana';

const GOOGLE = 'https://accounts.google.com';
const APPLE = 'https://appleid.apple.com';
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu;
const RESERVED_NAMES = new Set(['anonymous', 'anonymous_users', 'email', 'phone', 'saml', 'sso', 'web3']);
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Requests to a provider carry secrets: https, or this machine. */
export function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

const safeUrl = z.string().refine(isSafeUrl, 'il faut une adresse https://.');
const text = z.string('il manque une valeur.').min(1, 'il manque une valeur.');

const oidcEntry = z.strictObject(
  {
    issuer: safeUrl.optional(),
    clientId: text,
    clientIds: z.array(text).default([]),
    clientSecret: text.optional(),
    scopes: z.array(text).min(1).optional(),
    tenant: z.string().regex(UUID, "il faut l'identifiant (UUID) d'un seul annuaire.").optional(),
    trustEmail: z.boolean().default(false),
    teamId: text.optional(),
    keyId: text.optional(),
    privateKey: text.optional(),
  },
  {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `réglage inconnu : ${issue.keys.join(', ')}.` : undefined),
  },
);

/** `OIDC_PROVIDERS`: a JSON object, name → settings. */
export const oidcProviders = json(
  z
    .record(z.string(), oidcEntry, 'il faut un objet JSON : nom → réglages.')
    .transform((entries, context) =>
      Object.entries(entries).map(([name, entry]) => oidcProvider(name, entry, context)),
    ),
);

function oidcProvider(name: string, entry: z.output<typeof oidcEntry>, context: z.RefinementCtx): OidcProvider {
  function refuse(key: string, message: string): void {
    context.addIssue({ code: 'custom', path: [name, key], message });
  }
  if (!/^[a-z][\da-z_-]{0,39}$/u.test(name) || RESERVED_NAMES.has(name)) {
    const message = 'ce nom est réservé, ou ne s’écrit pas en minuscules, chiffres, « - » et « _ ».';
    context.addIssue({ code: 'custom', path: [name], message });
  }
  const isMicrosoft = name === 'azure' || name === 'microsoft';
  const isApple = name === 'apple';
  if (isMicrosoft && entry.tenant === undefined) refuse('tenant', "il faut l'identifiant (UUID) d'un seul annuaire.");
  const issuer = entry.issuer ?? knownIssuer(name, entry.tenant);
  if (issuer === null) refuse('issuer', "il faut l'adresse du fournisseur (issuer).");

  let secret: ClientSecret =
    entry.clientSecret === undefined ? { kind: 'none' } : { kind: 'text', text: entry.clientSecret };
  if (entry.teamId !== undefined || entry.keyId !== undefined || entry.privateKey !== undefined) {
    if (entry.teamId === undefined || entry.keyId === undefined || entry.privateKey === undefined) {
      refuse('privateKey', 'teamId, keyId et privateKey vont ensemble.');
    } else {
      secret = { kind: 'signed', teamId: entry.teamId, keyId: entry.keyId, privateKey: entry.privateKey };
    }
  }
  return {
    name,
    issuer: issuer ?? '',
    clientId: entry.clientId,
    audiences: [...new Set([entry.clientId, ...entry.clientIds])],
    secret,
    scopes: entry.scopes ?? (isApple ? ['openid', 'email', 'name'] : ['openid', 'email', 'profile']),
    tenant: entry.tenant?.toLowerCase() ?? null,
    isEmailTrusted: entry.trustEmail,
    isFormPost: isApple,
  };
}

function knownIssuer(name: string, tenant: string | undefined): string | null {
  switch (name) {
    case 'google':
      return GOOGLE;
    case 'apple':
      return APPLE;
    case 'azure':
    case 'microsoft':
      return `https://login.microsoftonline.com/${tenant?.toLowerCase() ?? ''}/v2.0`;
    default:
      return null;
  }
}

const samlEntry = z
  .strictObject({
    id: z.string('il faut un UUID.').regex(UUID, 'il faut un UUID.'),
    domains: z.array(z.string().regex(/^[a-z\d-]+(?:\.[a-z\d-]+)+$/u, 'il faut un domaine (exemple.fr).')).default([]),
    metadata: z.string().optional(),
    entityId: text.optional(),
    entryPoint: safeUrl.optional(),
    certificate: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
    disabled: z.boolean().default(false),
  })
  .transform((entry, context): SamlProvider => {
    const metadata = entry.metadata === undefined ? null : readSamlMetadata(entry.metadata);
    const entityId = entry.entityId ?? metadata?.entityId ?? null;
    const entryPoint = entry.entryPoint ?? metadata?.entryPoint ?? null;
    const certificates = (
      entry.certificate === undefined ? (metadata?.certificates ?? []) : [entry.certificate].flat()
    ).map(certificatePem);
    if (entityId === null) context.addIssue({ code: 'custom', path: ['entityId'], message: 'il manque une valeur.' });
    if (entryPoint === null || !isSafeUrl(entryPoint)) {
      context.addIssue({ code: 'custom', path: ['entryPoint'], message: 'il faut une adresse https://.' });
    }
    if (certificates.length === 0 || certificates.includes(null)) {
      context.addIssue({ code: 'custom', path: ['certificate'], message: 'il faut un certificat X.509.' });
    }
    return {
      id: entry.id.toLowerCase(),
      domains: entry.domains,
      entityId: entityId ?? '',
      entryPoint: entryPoint ?? '',
      certificates: certificates.filter((certificate) => certificate !== null),
      isDisabled: entry.disabled,
    };
  });

/** `SAML_PROVIDERS`: a JSON list. */
export const samlProviders = json(
  z
    .array(samlEntry)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'deux fournisseurs ont le même id.')
    .refine((all) => {
      const domains = all.flatMap((provider) => provider.domains);
      return new Set(domains).size === domains.length;
    }, 'deux fournisseurs ont le même domaine.'),
);

/** `WEB3`: which wallets may sign in. */
export const web3Chains = z
  .enum(['off', 'ethereum', 'solana', 'both'], "il faut l'un de : off, ethereum, solana, both.")
  .transform((which): readonly Web3Chain[] => {
    switch (which) {
      case 'off':
        return [];
      case 'both':
        return ['ethereum', 'solana'];
      default:
        return [which];
    }
  });

function json<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: 'custom', message: "ce n'est pas du JSON." });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/**
 * The sign-in address and the certificates in a provider's metadata. The operator of this server has put the metadata
 * there: it decides whom to trust, and its own signature is not checked.
 */
function readSamlMetadata(xml: string): {
  readonly entityId: string | null;
  readonly entryPoint: string | null;
  readonly certificates: readonly string[];
} {
  const bare = xml.replaceAll(/<!--[\s\S]*?-->/gu, '');
  const role = /<(?:[\w.-]+:)?IDPSSODescriptor[\s>][\s\S]*?<\/(?:[\w.-]+:)?IDPSSODescriptor>/u.exec(bare)?.[0] ?? '';
  const services = role.match(/<(?:[\w.-]+:)?SingleSignOnService\s[^>]*>/gu) ?? [];
  const redirect = services.find((tag) => attribute(tag, 'Binding')?.endsWith(':HTTP-Redirect') === true);
  const keys = role.match(/<(?:[\w.-]+:)?KeyDescriptor[\s>][\s\S]*?<\/(?:[\w.-]+:)?KeyDescriptor>/gu) ?? [];
  const entity = /<(?:[\w.-]+:)?EntityDescriptor\s[^>]*>/u.exec(bare)?.[0] ?? '';
  return {
    entityId: attribute(entity, 'entityID'),
    entryPoint: redirect === undefined ? null : attribute(redirect, 'Location'),
    certificates: keys
      .filter((key) => attribute(/^<[^>]*>/u.exec(key)?.[0] ?? '', 'use') !== 'encryption')
      .flatMap((key) => [
        ...key.matchAll(/<(?:[\w.-]+:)?X509Certificate[^>]*>([^<]*)<\/(?:[\w.-]+:)?X509Certificate>/gu),
      ])
      .map(([, certificate = '']) => certificate),
  };
}

function attribute(tag: string, name: string): string | null {
  const value = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'u').exec(tag);
  const given = value?.[1] ?? value?.[2];
  return given === undefined ? null : given.replaceAll('&amp;', '&');
}

/** The certificate as PEM, from PEM or from the bare base64 that metadata holds; null where it is none. */
function certificatePem(given: string): string | null {
  const bare = given.replaceAll(/-----[A-Z ]+-----|\s+/gu, '');
  try {
    return new X509Certificate(Buffer.from(bare, 'base64')).toString();
  } catch {
    return null;
  }
}
