import { failureMessage, failureStatus, isFailureCode } from '@parrain/domain/failure'
import type { FailureCode } from '@parrain/domain/failure'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

import { DatabaseUnavailable, isConnectionLoss, isDatabaseError } from './database-errors.ts'
import type { DatabaseError } from './database-errors.ts'

export { DatabaseUnavailable, isDatabaseError } from './database-errors.ts'
export type { DatabaseError } from './database-errors.ts'

/** One wrong field: where, and the French sentence. */
export type Issue = {
  readonly path: string
  readonly message: string
}

/** An expected failure: thrown by a handler, said to the person in French with its status and code. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: FailureCode
  readonly status: number
  readonly issues: readonly Issue[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: FailureCode,
    details: {
      /** What the sentence names, such as `available`. */
      readonly params?: Readonly<Record<string, string>>
      readonly issues?: readonly Issue[]
      readonly retryAfterSeconds?: number
      readonly cause?: unknown
    } = {},
  ) {
    super(failureMessage(code, details.params ?? {}), { cause: details.cause })
    this.code = code
    this.status = failureStatus(code)
    this.issues = details.issues
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** What went wrong, sorted into what each door words in its own way. */
export type Trouble =
  | { readonly kind: 'refusal'; readonly refusal: Refusal }
  /** PostgreSQL refused the statement for a reason that is no rule of ours (a constraint, a right, a syntax). */
  | { readonly kind: 'database'; readonly error: DatabaseError }
  /** Fastify refused the request before the handler: body too large, not JSON, unknown media type. */
  | { readonly kind: 'request'; readonly status: number; readonly error: FastifyError }
  | { readonly kind: 'unexpected'; readonly error: unknown }

/** SQLSTATEs by which our own SQL refuses: PR001 a rule, PR401 a session that may not act; the message is the code. */
const RULE = 'PR001'
const SESSION = 'PR401'

export function troubleOf(error: unknown): Trouble {
  if (error instanceof Refusal) return { kind: 'refusal', refusal: error }
  if (error instanceof DatabaseUnavailable || isConnectionLoss(error)) {
    return { kind: 'refusal', refusal: new Refusal('unavailable', { retryAfterSeconds: 1, cause: error }) }
  }
  if (isDatabaseError(error)) {
    if ((error.code === RULE || error.code === SESSION) && isFailureCode(error.message)) {
      return { kind: 'refusal', refusal: new Refusal(error.message, { params: paramsOf(error), cause: error }) }
    }
    return { kind: 'database', error }
  }
  if (isFastifyError(error)) return { kind: 'request', status: error.statusCode ?? 400, error }
  return { kind: 'unexpected', error }
}

/** The same, for doors whose database errors have no meaning of their own for the caller: everything is a refusal. */
export function refusalOf(error: unknown): Refusal {
  const trouble = troubleOf(error)
  switch (trouble.kind) {
    case 'refusal':
      return trouble.refusal
    case 'database':
      return new Refusal(codeOfSqlState(trouble.error.code), { cause: error })
    case 'request':
      return new Refusal(codeOfStatus(trouble.status), { cause: error })
    case 'unexpected':
      return new Refusal('unexpected', { cause: error })
  }
}

/** The reply `{error, code, issues}` of a failure, with its status; an unexpected one is logged once, with its request. */
export async function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<FastifyReply> {
  const refusal = refusalOf(error)
  if (refusal.status >= 500 && refusal.code !== 'unavailable') {
    request.log.error({ err: refusal.cause ?? refusal }, 'A request failed unexpectedly')
  } else if (refusal.code === 'unavailable') {
    request.log.warn({ err: refusal.cause ?? refusal }, 'The database is unavailable')
  }
  if (refusal.retryAfterSeconds !== undefined) void reply.header('retry-after', String(refusal.retryAfterSeconds))
  return reply
    .status(refusal.status)
    .header('cache-control', 'no-store')
    .send({
      error: refusal.message,
      code: refusal.code,
      ...(refusal.issues === undefined ? {} : { issues: refusal.issues }),
    })
}

function codeOfSqlState(state: string): FailureCode {
  if (state === '42501') return 'forbidden'
  // Cancelled by its time limit, or by a conflict that several attempts did not resolve.
  if (state === '57014' || state === '40001' || state === '40P01') return 'unavailable'
  // Disk full, out of memory, too many connections.
  if (state.startsWith('53')) return 'unavailable'
  // A NUL or another sequence that text cannot hold.
  if (state === '22021' || state === '22P05') return 'invalid_input'
  return 'unexpected'
}

function codeOfStatus(status: number): FailureCode {
  if (status === 413) return 'payload_too_large'
  if (status === 404) return 'not_found'
  if (status === 405) return 'method_not_allowed'
  if (status >= 500) return 'unexpected'
  return 'invalid_input'
}

function paramsOf(error: DatabaseError): Record<string, string> {
  if (error.detail === undefined) return {}
  try {
    const params: unknown = JSON.parse(error.detail)
    if (typeof params !== 'object' || params === null) return {}
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
  } catch {
    return {}
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
  )
}
