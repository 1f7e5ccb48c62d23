import { callerOf } from '#platform/identity';
import type { Caller } from '#platform/identity';
import type { FastifyRequest } from 'fastify';

import { URL_LENGTH_MAX } from './limits.ts';
import { negotiate, negotiateDescription } from './media-type.ts';
import type { MediaType } from './media-type.ts';
import { appliedPreferences, parsePreferences } from './preferences.ts';
import type { Preferences } from './preferences.ts';
import type { Said } from './response-settings.ts';
import { RestError } from './rest-error.ts';

/** A request, parsed once: the caller, the form of the reply, the query string, the raw body. */
export type Exchange = {
  readonly caller: Caller;
  readonly method: string;
  readonly media: MediaType;
  readonly preferences: Preferences;
  readonly path: string;
  readonly query: string;
  readonly range: { readonly from: number; readonly to: number | null } | null;
  readonly body: string;
  readonly contentType: string;
  /** Filled at the end of the transaction, where the database has a function that says something of its reply. */
  readonly said?: Said;
};

/** The reply to a request. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | null;
};

const SCHEMA = 'public';

/** Parses a request. @throws RestError where its headers ask for something that this door lacks. */
export function exchangeOf(request: FastifyRequest, isRoot: boolean): Exchange {
  const target = request.raw.url ?? '';
  if (target.length > URL_LENGTH_MAX) throw new RestError(414, 'PGRST100', 'The address is too long');
  const { headers, method } = request;
  const profile = headers[method === 'GET' || method === 'HEAD' ? 'accept-profile' : 'content-profile'];
  if (profile !== undefined && profile !== SCHEMA) {
    throw new RestError(406, 'PGRST106', `Invalid schema: ${String(profile)}`, {
      hint: `Only the following schemas are exposed: ${SCHEMA}`,
    });
  }
  const mark = target.indexOf('?');
  const query = mark === -1 ? '' : target.slice(mark + 1);
  return {
    caller: callerOf(request),
    method,
    media: isRoot ? negotiateDescription(headers.accept) : negotiate(headers.accept),
    preferences: parsePreferences(headers['prefer']),
    path: mark === -1 ? target : target.slice(0, mark),
    query,
    range: method === 'GET' ? rangeOf(headers['range'], headers['range-unit']) : null,
    body: textOf(request.body),
    contentType: (headers['content-type'] ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '',
  };
}

/** A body as text, bytes in PostgreSQL's notation. */
function textOf(body: unknown): string {
  if (body instanceof Uint8Array) return `\\x${Buffer.from(body).toString('hex')}`;
  return typeof body === 'string' ? body : '';
}

function rangeOf(range: string | undefined, unit: string | string[] | undefined): Exchange['range'] {
  if (range === undefined || (unit !== undefined && unit !== 'items')) return null;
  const [, from, to] = /^(\d{1,15})-(\d{0,15})$/u.exec(range) ?? [];
  if (from === undefined) return null;
  const start = Number(from);
  const end = to === undefined || to === '' ? null : Number(to);
  if (end !== null && end < start) {
    throw new RestError(416, 'PGRST103', 'Requested range not satisfiable', {
      details: 'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    });
  }
  return { from: start, to: end };
}

/** The headers of every reply with a content type. */
export function commonHeaders(exchange: Exchange, honoured: readonly (keyof Preferences)[]): Record<string, string> {
  const applied = appliedPreferences(exchange.preferences, honoured);
  return {
    'content-type': exchange.media.contentType,
    'content-profile': SCHEMA,
    'cache-control': 'no-store',
    vary: 'Accept, Prefer, Range',
    ...(applied === null ? {} : { 'preference-applied': applied }),
  };
}

/** `from-to/total`, with `*` for an empty range or an unknown total. */
export function contentRange(offset: number, rows: number, total: number | null): string {
  return `${rows === 0 ? '*' : `${offset}-${offset + rows - 1}`}/${total ?? '*'}`;
}
