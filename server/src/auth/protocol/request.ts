import { isLine } from '@parrain/domain/name';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

import { validationFailed } from './errors.ts';
import type { Origin } from './operation.ts';

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

/** The name that a person gives a factor or a passkey (FX-06). */
export const friendlyName = z.string().max(120).refine(isLine, 'must be one line without control characters');

/** A path parameter, which routes always give as text. */
export function pathValue(request: FastifyRequest, name: string): string {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !(name in params)) return '';
  const value: unknown = Reflect.get(params, name);
  return typeof value === 'string' ? value : '';
}
