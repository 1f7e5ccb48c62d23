import { pino } from 'pino';
import type { DestinationStream, Logger, LoggerOptions } from 'pino';

import type { LogLevel } from '../config.ts';

export type Log = Logger;

const REDACTED = [
  'authorization',
  'apikey',
  'password',
  'new_password',
  'temporary_password',
  'tempPassword',
  'iban',
  'token',
  'access_token',
  'refresh_token',
  'secret',
];

/** The structured log: no key, password, token or IBAN is ever written, whatever the caller hands over. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    redact: {
      paths: REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `req.headers.${name}`]),
      censor: '[redacted]',
    },
    serializers: {
      req: (request: { method: string; url: string; id?: string; ip?: string }) => ({
        id: request.id,
        method: request.method,
        url: redactUrl(request.url),
        ip: request.ip,
      }),
      res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
      err: (error: unknown) =>
        pino.stdSerializers.err(error instanceof Error ? withoutRow(error) : new Error(String(error))),
    },
  };
  return pino(
    options,
    destination ?? pino.destination({ sync: false, minLength: 16_000, periodicFlush: FLUSH_AFTER_MS }),
  );
}

/** A line a request, each written by itself, costs a tenth of what a short request does: they are written together. */
const FLUSH_AFTER_MS = 100;

/** The address as it may be written: values of keys and tokens in the query are gone. */
export function redactUrl(url: string): string {
  const withoutKeys = url.replace(
    /([?&](?:apikey|token|access_token|refresh_token|token_hash|code)=)[^&#]*/giu,
    '$1[redacted]',
  );
  if (!withoutKeys.startsWith('/rest/v1/')) return withoutKeys;
  // There a value is what somebody looks for, such as a person's e-mail address.
  return withoutKeys.replace(/([?&](?!(?:select|order|limit|offset)=)[^=&]*=)[^&#]*/gu, '$1[redacted]');
}

/** PostgreSQL quotes the failing row and parameters in these fields: they may hold personal data. */
function withoutRow(error: Error): Error {
  if (!('detail' in error) && !('where' in error)) return error;
  const copy = new Error(error.message, { cause: undefined });
  if (error.stack !== undefined) copy.stack = error.stack;
  const { code, constraint, table, schema, routine } = error as Error & Record<string, unknown>;
  return Object.assign(copy, { code, constraint, table, schema, routine });
}
