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
 * The structured log: no key, password, token or IBAN is ever written, whatever it is given.
 * @param destination the stream of its JSON lines; standard output by default
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
  return pino(options, destination ?? (level === 'silent' ? NOWHERE : bufferedOutput()));
}

/** A silent log has no stream: one would write nothing ten times a second, for as long as the process lives. */
const NOWHERE: DestinationStream = { write: () => undefined };

/** The log of this process, in the configured format, or text on a terminal and JSON elsewhere. */
export function openLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Log {
  const isForPerson = process.stdout.isTTY;
  const format = logFormat ?? (isForPerson ? 'text' : 'json');
  return createLog(
    logLevel ?? (isForPerson ? 'warn' : 'info'),
    format === 'text' ? textLines(process.stdout) : undefined,
  );
}

/** The log of a command, on standard error: its standard output is its result. */
export function openCommandLog({ logFormat }: Pick<Config, 'logFormat'>): Log {
  const format = logFormat ?? (process.stderr.isTTY ? 'text' : 'json');
  return createLog('warn', format === 'text' ? textLines(process.stderr) : pino.destination({ fd: 2, sync: true }));
}

/** A write of its own for each line costs a tenth of a short request, so lines are buffered. */
const bufferedOutput = (): DestinationStream =>
  pino.destination({ sync: false, minLength: 16_000, periodicFlush: FLUSH_AFTER_MS });
const FLUSH_AFTER_MS = 100;

/**
 * The loggable form of an address: only the parameters that shape a reply keep their value. Any other may be a key, a token
 * or a person's address, under an unforeseen name.
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

/** The loggable form of a caller's IP address: its network, the whole where the operator configured that, or nothing. */
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
