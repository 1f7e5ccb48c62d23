import { isLine } from '@parrain/domain/name';
import type { FastifyRequest, HTTPMethods } from 'fastify';
import { z } from 'zod';

import type { Database } from '#platform/database';
import type { Bucket } from '#platform/rate-limit';
import type { Services } from '#platform/services';

import type { LiveSession } from './caller.ts';
import { validationFailed } from './errors.ts';
import type { AuthSettings } from './settings.ts';

/** What every piece of work of this door may use. */
export type Scope = {
  readonly services: Services;
  readonly settings: AuthSettings;
  /** The database, whose transactions carry this request's id. */
  readonly db: Database;
  readonly origin: Origin;
};

/** Where a request comes from, for the session's row and the audit trail. */
export type Origin = {
  readonly ip: string;
  readonly userAgent: string | null;
};

export type Call = Scope & { readonly request: FastifyRequest };
export type SessionCall = Call & { readonly session: LiveSession };

export type Answer = {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

type Described = {
  readonly method: HTTPMethods;
  /** Under the door's prefix. */
  readonly url: string;
  /** How often one network may call it. Its name is its bucket: operations that share a name share the bucket. */
  readonly limit?: Bucket & { readonly name: string };
  /** Whether a person proves to be one first, where a captcha is configured. */
  readonly isForPeople?: true;
};

/** One operation of the protocol. Each has a file of its own. */
export type Operation = Described &
  (
    | { readonly access: 'public'; readonly handle: (call: Call) => Promise<Answer> }
    /** Opened from a mail or a plain browser: no API key comes with it. */
    | { readonly access: 'browser'; readonly handle: (call: Call) => Promise<Answer> }
    /** Needs the access token of a live session. */
    | { readonly access: 'session'; readonly handle: (call: SessionCall) => Promise<Answer> }
    /** Needs the secret key. */
    | { readonly access: 'admin'; readonly handle: (call: Call) => Promise<Answer> }
  );

export function originOf(request: Pick<FastifyRequest, 'ip' | 'headers'>): Origin {
  return { ip: request.ip, userAgent: request.headers['user-agent']?.slice(0, 500) ?? null };
}

/**
 * The body of a request by its schema. Absent and null are the same, and unknown keys are accepted, as the client needs.
 * @throws AuthError validation_failed
 */
export function parseBody<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.output<Schema> {
  const body: unknown = request.body ?? {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw validationFailed('The request body must be a JSON object');
  }
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw validationFailed(
    issue === undefined
      ? 'The request body is not valid'
      : [issue.path.join('.'), issue.message].filter(Boolean).join(': '),
  );
}

/** One value of the query, null where it is absent or given twice. */
export function queryValue(request: FastifyRequest, name: string): string | null {
  const { query } = request;
  if (typeof query !== 'object' || query === null || !(name in query)) return null;
  const value: unknown = Reflect.get(query, name);
  return typeof value === 'string' && value !== '' ? value : null;
}

export function isUuid(text: string): boolean {
  return /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu.test(text);
}

/** What a person calls a factor or a passkey of theirs (FX-06). */
export const friendlyName = z.string().max(120).refine(isLine, 'must be one line without control characters');

/** A path parameter, which routes always give as text. */
export function pathValue(request: FastifyRequest, name: string): string {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !(name in params)) return '';
  const value: unknown = Reflect.get(params, name);
  return typeof value === 'string' ? value : '';
}
