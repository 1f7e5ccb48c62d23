/** PostgreSQL cannot be reached, or no connection became free in time: the caller may come back shortly. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  readonly retryAfterSeconds = 1;

  constructor(options?: ErrorOptions) {
    super('The database is unavailable', options);
  }
}

/** PostgreSQL's error for a refused statement. */
export type DatabaseError = Error & {
  readonly code: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly constraint?: string;
  readonly table?: string;
  readonly column?: string;
};

export function isDatabaseError(error: unknown): error is DatabaseError {
  return (
    error instanceof Error &&
    'severity' in error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^[0-9A-Z]{5}$/u.test(error.code)
  );
}

/** Socket errors of Node, and the SQLSTATEs of a server that shuts down or starts up. */
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '53300',
]);

/** True when the pool was exhausted: no connection became free in time. */
export function isPoolExhaustion(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.cause instanceof Error && WAITED.test(error.cause.message);
}

const WAITED = /timeout exceeded when trying to connect/u;

/** True when the connection is lost, so that the outcome of its statements is unknown. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') {
    return CONNECTION_CODES.has(error.code) || error.code.startsWith('08');
  }
  return /Connection terminated|not queryable|Client was closed|timeout exceeded when trying to connect|Query read timeout/u.test(
    error.message,
  );
}
