import { Failure, isFailureCode } from '@parrain/domain/failure';
import type { FailureCode, FailureParams } from '@parrain/domain/failure';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { DatabaseUnavailable, isConnectionLoss, isDatabaseError } from './database-errors.ts';
import type { DatabaseError } from './database-errors.ts';

export { DatabaseUnavailable, isDatabaseError, isPoolExhaustion } from './database-errors.ts';
export type { DatabaseError } from './database-errors.ts';

/** An error by its kind; each door has its own form for each kind. */
export type Trouble =
  /** A rule of the product, ours or SQL's: it has a status, a code and a French sentence. */
  | { readonly kind: 'failure'; readonly failure: Failure }
  /** PostgreSQL refused the statement for a reason that is no rule of ours (a constraint, a right, a syntax). */
  | { readonly kind: 'database'; readonly error: DatabaseError }
  /** Fastify refused the request before its handler: body too large, not JSON, unknown media type. */
  | { readonly kind: 'request'; readonly status: number; readonly error: FastifyError }
  | { readonly kind: 'unexpected'; readonly error: unknown };

/** SQLSTATEs by which our own SQL refuses: PR001 a rule, PR401 a session that may not act; the message is the code. */
const RULE = 'PR001';
const SESSION = 'PR401';
/** Of a statement that writes in a transaction that reads only. */
const READ_ONLY = '25006';

export function troubleOf(error: unknown): Trouble {
  if (error instanceof Failure) return { kind: 'failure', failure: error };
  if (error instanceof DatabaseUnavailable || isConnectionLoss(error)) {
    return { kind: 'failure', failure: caused(unavailable(), error) };
  }
  if (isDatabaseError(error)) {
    if ((error.code === RULE || error.code === SESSION) && isFailureCode(error.message)) {
      return { kind: 'failure', failure: caused(new Failure(error.message, paramsOf(error)), error) };
    }
    return { kind: 'database', error };
  }
  if (isFastifyError(error)) return { kind: 'request', status: error.statusCode ?? 400, error };
  return { kind: 'unexpected', error };
}

/** For doors where a database error has no meaning of its own: everything becomes a failure. */
export function failureOf(error: unknown): Failure {
  const trouble = troubleOf(error);
  switch (trouble.kind) {
    case 'failure':
      return trouble.failure;
    case 'database':
      return caused(failureOfSqlState(trouble.error.code), error);
    case 'request':
      return caused(new Failure(codeOfStatus(trouble.status)), error);
    case 'unexpected':
      return caused(new Failure('unexpected'), error);
  }
}

/** The database cannot be reached or is too busy: come back after `retryAfterSeconds`. */
export function unavailable(retryAfterSeconds = 1): Failure {
  return new Failure('unavailable', { retryAfterSeconds });
}

/** Too many attempts: come back after so many seconds. */
export function rateLimited(retryAfterSeconds: number): Failure {
  return new Failure('rate_limited', { retryAfterSeconds });
}

/** The value of Retry-After that goes with a failure, where there is one. */
export function retryAfterOf(failure: Failure): number | null {
  const seconds = failure.params['retryAfterSeconds'];
  return typeof seconds === 'number' ? Math.max(1, Math.ceil(seconds)) : null;
}

/**
 * Logs an error that the operator should know, once, with the request's id. Expected failures are not logged.
 * Doors with their own error shape call it before they answer.
 */
export function logTrouble(request: FastifyRequest, error: unknown): void {
  const failure = failureOf(error);
  if (failure.code === 'unavailable') {
    request.log.warn({ err: failure.cause ?? failure }, 'The database is unavailable or too busy');
  } else if (failure.status >= 500) {
    request.log.error({ err: failure.cause ?? failure }, 'A request failed unexpectedly');
  }
}

/** Error of a request: `view_reads` for a write by an admin on the screen of another (UI-15), else as it came. */
export function errorIn(request: FastifyRequest, error: unknown): unknown {
  const isView = request.caller?.claims?.act !== undefined;
  return isView && isDatabaseError(error) && error.code === READ_ONLY
    ? caused(new Failure('view_reads'), error)
    : error;
}

/** The reply `{error, code, issues}` of a failure, with its status: the error handler of /functions/v1 and of the root. */
export async function sendFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<FastifyReply> {
  logTrouble(request, error);
  const failure = withRole(failureOf(errorIn(request, error)), request);
  const retryAfter = retryAfterOf(failure);
  if (retryAfter !== null) void reply.header('retry-after', String(retryAfter));
  return reply
    .status(failure.status)
    .header('cache-control', 'no-store')
    .send({
      error: failure.message,
      code: failure.code,
      ...(failure.issues.length === 0 ? {} : { issues: failure.issues }),
    });
}

/** An expired session gets the sentence of the person's own dashboard (E-02). */
function withRole(failure: Failure, request: FastifyRequest): Failure {
  if (failure.code !== 'session_expired' || failure.params['role'] !== undefined) return failure;
  const metadata = request.caller?.claims?.['app_metadata'];
  if (typeof metadata !== 'object' || metadata === null || !('role' in metadata)) return failure;
  return new Failure('session_expired', { ...failure.params, role: metadata.role });
}

function failureOfSqlState(state: string): Failure {
  if (state === '42501') return new Failure('forbidden');
  // Cancelled by its time limit, a conflict that several attempts did not resolve, disk full, out of memory.
  if (state === '57014' || state === '40001' || state === '40P01' || state.startsWith('53')) return unavailable();
  // A NUL or another sequence that text cannot hold.
  if (state === '22021' || state === '22P05') return new Failure('invalid_input');
  return new Failure('unexpected');
}

function codeOfStatus(status: number): FailureCode {
  if (status === 413) return 'payload_too_large';
  if (status === 404) return 'not_found';
  if (status === 405) return 'method_not_allowed';
  if (status >= 500) return 'unexpected';
  return 'invalid_input';
}

function caused(failure: Failure, cause: unknown): Failure {
  failure.cause = cause;
  return failure;
}

function paramsOf(error: DatabaseError): FailureParams {
  if (error.detail === undefined) return {};
  try {
    const params: unknown = JSON.parse(error.detail);
    return typeof params === 'object' && params !== null ? { ...params } : {};
  } catch {
    return {};
  }
}

function isFastifyError(error: unknown): error is FastifyError {
  return (
    error instanceof Error &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('FST_')
  );
}
