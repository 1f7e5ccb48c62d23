import { pino, stdTimeFunctions } from 'pino';
import type { DestinationStream, Logger, LoggerOptions } from 'pino';

import type { Config, LogAddress, LogLevel } from '../config.ts';
import { neighbourhoodOf } from './network.ts';
import { textLines } from './text-log.ts';

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

/**
 * The structured log: no key, password, token or IBAN is ever written, whatever the caller hands over.
 * @param destination where its lines of JSON go; standard output otherwise
 */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    // Words, and times that sort as text: a line is read by people and by more than one program.
    formatters: { level: (label) => ({ level: label }) },
    timestamp: stdTimeFunctions.isoTime,
    redact: {
      paths: REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `req.headers.${name}`]),
      censor: '[redacted]',
    },
    serializers: {
      req: (request: { method: string; url: string; id?: string }) => ({
        id: request.id,
        method: request.method,
        url: redactUrl(request.url),
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

/** The log of this process, as the configuration wants it or as suits where it goes: a person's terminal or a program. */
export function openLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Log {
  const isForPerson = process.stdout.isTTY;
  const format = logFormat ?? (isForPerson ? 'text' : 'json');
  return createLog(
    logLevel ?? (isForPerson ? 'warn' : 'info'),
    format === 'text' ? textLines(process.stdout) : undefined,
  );
}

/** The log of a command, whose standard output is its answer. */
export function openCommandLog({ logFormat }: Pick<Config, 'logFormat'>): Log {
  const format = logFormat ?? (process.stderr.isTTY ? 'text' : 'json');
  return createLog('warn', format === 'text' ? textLines(process.stderr) : pino.destination({ fd: 2, sync: true }));
}

/** A line a request, each written by itself, costs a tenth of what a short request does: they are written together. */
const FLUSH_AFTER_MS = 100;

/**
 * The address as it may be written: of its query only the parameters that shape an answer keep their value. Any other may be
 * a key, a token or somebody's address, under a name that nobody thought of.
 */
export function redactUrl(url: string): string {
  return url.replace(/([?&])([^=&#]*)(=?)[^&#]*/gu, (whole: string, sign: string, name: string, equals: string) => {
    if (PLAIN_PARAMETERS.has(name)) return whole;
    if (equals !== '') return `${sign}${name}=[redacted]`;
    return name === '' ? sign : `${sign}[redacted]`;
  });
}

const PLAIN_PARAMETERS: ReadonlySet<string> = new Set([
  'action',
  'columns',
  'grant_type',
  'limit',
  'offset',
  'on_conflict',
  'order',
  'page',
  'per_page',
  'provider',
  'scope',
  'select',
  'sort',
  'type',
  'vsn',
]);

/** A caller's address as it may be written: that of many neighbours, whole where the operator has a reason, or not at all. */
export function loggedAddress(ip: string, how: LogAddress): string | null {
  switch (how) {
    case 'short':
      return neighbourhoodOf(ip);
    case 'full':
      return ip;
    case 'none':
      return null;
  }
}

/** PostgreSQL quotes the failing row and parameters in these fields: they may hold personal data. */
function withoutRow(error: Error): Error {
  if (!('detail' in error) && !('where' in error)) return error;
  const copy = new Error(error.message, { cause: undefined });
  if (error.stack !== undefined) copy.stack = error.stack;
  const { code, constraint, table, schema, routine } = error as Error & Record<string, unknown>;
  return Object.assign(copy, { code, constraint, table, schema, routine });
}
