import { Failure } from '@parrain/domain/failure';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';

import type { Database, Identity } from './database.ts';
import { rateLimited } from './errors.ts';
import type { ApiKeyKind } from './keys.ts';
import { refuseLargeBody } from './request-body.ts';
import type { Services } from './services.ts';
import { TokenRefused } from './tokens.ts';
import type { AccessClaims } from './tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of the request; set by the identity hook of its door. */
    caller: Caller | null;
    /** The id of the person whose access token was found good, or of the company's key, for the log. */
    who: string | null;
  }
}

/** The identity of a request, from its key and bearer. */
export type Caller = {
  readonly apiKey: ApiKeyKind | 'company';
  readonly identity: Identity;
  /** The claims of the access token, where there is one. */
  readonly claims: AccessClaims | null;
  /** The database, whose transactions carry this request's id. */
  readonly db: Database;
};

/** Why a request has no identity; always 401. */
export type IdentityRefusal = {
  readonly reason: 'missing_key' | 'unknown_key' | 'secret_key_in_browser' | 'bad_bearer';
  readonly message: string;
  readonly hint: string;
  /** The refusal of the token, for a bad bearer that is a token. */
  readonly token: TokenRefused | null;
};

export type IdentityOptions = {
  /**
   * `verify` (as the data contract has it): a bearer other than the key must be a good access token.
   * `ignore`: only the key counts (public endpoints of the authentication door).
   */
  readonly bearer?: 'verify' | 'ignore';
  /** True when other software may sign in here with a key of the company (WH-01). */
  readonly takesCompanyKeys?: boolean;
  /** True when an admin who sees another's screen may read here (UI-15). */
  readonly takesViews?: boolean;
  /** The door's own form of a refusal; `{message, hint}` with status 401 otherwise. */
  readonly refuse?: (request: FastifyRequest, reply: FastifyReply, refusal: IdentityRefusal) => unknown;
  /** The bytes of a body without an account, where they are not `ANONYMOUS_BYTES_MAX`; a door that ignores bearers bounds its routes. */
  readonly anonymousBytesMax?: (request: FastifyRequest) => number;
  /** Requests that need no key (public files, signed addresses). */
  readonly isExempt?: (request: FastifyRequest) => boolean;
};

/**
 * An onRequest hook: the key and bearer of a request become `request.caller`, or the request is answered 401. A bad
 * token is never taken for a visitor.
 */
export function identityHook(
  services: Pick<Services, 'keys' | 'tokens' | 'db'>,
  options: IdentityOptions = {},
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async function identify(request, reply) {
    if (request.method === 'OPTIONS' || options.isExempt?.(request) === true) return;
    const companyKey = options.takesCompanyKeys === true ? companyKeyIn(request.headers) : null;
    if (companyKey !== null) {
      const keyId = await beginKeyRequest(services, companyKey, request.headers);
      request.who = keyId;
      request.caller = {
        apiKey: 'company',
        identity: { role: 'api_key', keyId },
        claims: null,
        db: services.db.withRequest({ requestId: request.id }),
      };
      return;
    }
    const resolved = await resolveIdentity(services, request.headers, options);
    if ('refusal' in resolved) {
      const { refusal } = resolved;
      if (options.refuse !== undefined) {
        await options.refuse(request, reply, refusal);
        return;
      }
      await reply
        .status(401)
        .header('cache-control', 'no-store')
        .send({ message: refusal.message, hint: refusal.hint });
      return;
    }
    if (resolved.identity.role === 'anon' && options.bearer !== 'ignore')
      refuseLargeBody(request, options.anonymousBytesMax?.(request));
    const view = resolved.claims?.act;
    request.caller = {
      ...resolved,
      db: services.db.withRequest({ requestId: request.id, readsOnly: view !== undefined }),
    };
    request.who = view?.sub ?? resolved.claims?.sub ?? null;
  };
}

/** The caller of a request that went through the identity hook. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('This route stands outside the identity hook');
  return request.caller;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The resolution of keys and bearers, also without an HTTP request (a socket's join). */
export async function resolveIdentity(
  services: Pick<Services, 'keys' | 'tokens'>,
  headers: Headers,
  { bearer: mode = 'verify', takesViews = false }: Pick<IdentityOptions, 'bearer' | 'takesViews'> = {},
): Promise<Omit<Caller, 'db'> | { readonly refusal: IdentityRefusal }> {
  const key = headers['apikey'];
  if (typeof key !== 'string' || key === '') {
    return refused('missing_key', 'No API key found in request', 'No `apikey` request header or url param was found.');
  }
  const apiKey = services.keys.resolve(key);
  if (apiKey === null) {
    return refused('unknown_key', 'Invalid API key', 'Double check the API key of this project.');
  }
  if (apiKey === 'secret' && headers['origin'] !== undefined) {
    return refused(
      'secret_key_in_browser',
      'Forbidden use of secret API key in browser',
      'Secret API keys can only be used in a protected environment and should never be used in a browser.',
    );
  }
  const ofKey: Identity = apiKey === 'secret' ? { role: 'service_role' } : { role: 'anon' };
  const bearer = bearerOf(headers['authorization']);
  if (mode === 'ignore' || bearer === null || bearer === key) return { apiKey, identity: ofKey, claims: null };
  try {
    const claims = await services.tokens.verify(bearer, { takesViews });
    return { apiKey, identity: { role: 'authenticated', claims }, claims };
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    return refused('bad_bearer', error.message, 'The access token is not valid: sign in again.', error);
  }
}

/** Prefix of a company key; the database keeps the hash of the whole. */
export const COMPANY_KEY_PREFIX = 'prk_';

export function companyKeyHash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** A key of the company, in either header. */
function companyKeyIn(headers: Headers): string | null {
  const given = [bearerOf(headers['authorization']), headers['apikey']];
  return given.find((key): key is string => typeof key === 'string' && key.startsWith(COMPANY_KEY_PREFIX)) ?? null;
}

/** The id of a live key, whose request is counted. @throws Failure where it may not act now. */
async function beginKeyRequest(services: Pick<Services, 'db'>, key: string, headers: Headers): Promise<string> {
  if (headers['origin'] !== undefined) throw new Failure('api_key_in_browser');
  const { rows } = await services.db.queryAsService<{ id: string; wait: number }>('company key', {
    text: 'select id, wait from private.begin_key_request($1)',
    values: [companyKeyHash(key)],
  });
  const [found] = rows;
  if (found === undefined) throw new Failure('api_key_refused');
  if (found.wait > 0) throw rateLimited(Math.ceil(found.wait));
  return found.id;
}

/** The token of an Authorization header: null where there is none, '' where it is of another kind. */
export function bearerOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const match = typeof header === 'string' ? /^bearer +(\S+) *$/iu.exec(header) : null;
  return match?.[1] ?? '';
}

function refused(
  reason: IdentityRefusal['reason'],
  message: string,
  hint: string,
  token: TokenRefused | null = null,
): { readonly refusal: IdentityRefusal } {
  return { refusal: { reason, message, hint, token } };
}
