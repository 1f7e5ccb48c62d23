import { errorIn, isPoolExhaustion, logTrouble, retryAfterOf, troubleOf } from '#platform/errors';
import type { DatabaseError } from '#platform/errors';
import type { IdentityRefusal } from '#platform/identity';
import { isSessionFailure } from '@parrain/domain/failure';
import * as messages from '@parrain/domain/messages';
import type { Failure } from '@parrain/domain/failure';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { RestError } from './rest-error.ts';

/** Answers any failure of a request of this door as `{code, message, details, hint}` (contract §2.11). */
export async function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<FastifyReply> {
  const answer = error instanceof RestError ? error : answerTo(error, request);
  if (answer.status >= 500) logTrouble(request, error);
  return reply
    .status(answer.status)
    .headers({
      ...answer.headers,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'proxy-status': `PostgREST; error=${answer.code}`,
    })
    .send(JSON.stringify({ code: answer.code, message: answer.message, details: answer.details, hint: answer.hint }));
}

/** A request without a good key, or with a bad token: always 401 (contract §1.3, §1.5). */
export function refusedIdentity(refusal: IdentityRefusal): RestError {
  const { token, message } = refusal;
  if (token === null) return new RestError(401, 'PGRST301', message, { hint: refusal.hint, headers: bearer() });
  switch (token.failure) {
    case 'malformed':
    case 'unknown_key':
    case 'bad_signature':
      return new RestError(401, 'PGRST301', message, { headers: bearer(message) });
    case 'expired':
    case 'not_yet_valid':
    case 'wrong_audience':
    case 'wrong_issuer':
    case 'wrong_role':
    case 'view':
      return new RestError(401, 'PGRST303', message, { headers: bearer(message) });
  }
}

function bearer(description?: string): Record<string, string> {
  return {
    'www-authenticate':
      description === undefined ? 'Bearer' : `Bearer error="invalid_token", error_description="${description}"`,
  };
}

function answerTo(error: unknown, request: FastifyRequest): RestError {
  if (isPoolExhaustion(error)) {
    return new RestError(504, 'PGRST003', 'Timed out acquiring connection from connection pool.', {
      headers: { 'retry-after': '1' },
    });
  }
  const trouble = troubleOf(errorIn(request, error));
  switch (trouble.kind) {
    case 'failure':
      return answerToFailure(trouble.failure);
    case 'database':
      return isTooLongASearch(trouble.error, request)
        ? tooLongASearch()
        : answerToDatabase(trouble.error, request.caller?.identity.role === 'anon');
    case 'request':
      return new RestError(trouble.status, trouble.status === 413 ? 'PGRST102' : 'PGRST100', trouble.error.message);
    case 'unexpected':
      return new RestError(500, 'PGRSTX00', 'Unexpected error');
  }
}

/** A rule of ours: its status, the SQLSTATE that raised it, its French sentence, and its code as the details. */
function answerToFailure(failure: Failure): RestError {
  const retryAfter = retryAfterOf(failure);
  const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': String(retryAfter) };
  if (failure.code === 'unavailable') return new RestError(503, 'PGRST000', failure.message, { headers });
  if (failure.status === 401) {
    // The code by which the official client knows an ended session.
    return new RestError(401, 'PGRST303', failure.message, {
      details: failure.code,
      headers: { ...headers, ...bearer('JWT expired') },
    });
  }
  const state = isSessionFailure(failure.code) ? 'PR401' : 'PR001';
  return new RestError(failure.status, state, failure.message, { details: failure.code, headers });
}

/** The caller wrote the query of a list: where it takes too long, the request is what must change. */
function isTooLongASearch({ code }: DatabaseError, { method, url }: FastifyRequest): boolean {
  return code === '57014' && (method === 'GET' || method === 'HEAD') && !url.includes('/rpc/');
}

function tooLongASearch(): RestError {
  return new RestError(400, '57014', 'Cette recherche demande trop de temps. Précisez-la et réessayez.');
}

function answerToDatabase(error: DatabaseError, isAnon: boolean): RestError {
  if (error.code === 'PGRST') return raised(error);
  const sentence = sentenceOf(error);
  if (sentence !== null) return new RestError(400, 'PR001', sentence, { details: 'invalid_input' });
  const status = statusOf(error, isAnon);
  if (status >= 500 && error.code !== '57014') return new RestError(status, error.code, 'The database failed');
  return new RestError(status, error.code, error.message, {
    // These two quote the failing row.
    details: error.code === '23502' || error.code === '23514' ? null : (error.detail ?? null),
    // A hint at another name tells what exists, and the depth of a stack is internal.
    hint: error.hint?.startsWith('Perhaps') === true || error.code === '54001' ? null : (error.hint ?? null),
    headers: status === 401 ? bearer() : {},
  });
}

/** The bounds of texts (FX-06) get a French sentence: a person writes their own name and telephone through this door. */
function sentenceOf({ code, constraint = '' }: DatabaseError): string | null {
  if (code !== '23514') return null;
  if (constraint.endsWith('_name_is_a_name')) return messages.nameRefused;
  if (constraint.endsWith('_phone_is_a_line')) return messages.phoneInvalid;
  return /_is_(?:a_(?:line|text)|bounded)$/u.test(constraint) ? messages.textRefused : null;
}

/** `raise sqlstate 'PGRST'`: the message is the body, the detail the status and headers, both JSON (contract §2.11). */
function raised(error: DatabaseError): RestError {
  const body = objectIn(error.message);
  const reply = objectIn(error.detail ?? '');
  const { code, message, details, hint } = body ?? {};
  const { status, headers } = reply ?? {};
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
  if (typeof code !== 'string' || typeof message !== 'string' || !isStatus) {
    return new RestError(500, 'PGRST121', 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error');
  }
  const pairs = typeof headers === 'object' && headers !== null ? Object.entries(headers) : [];
  return new RestError(status, code, message, {
    details: details ?? null,
    hint: typeof hint === 'string' ? hint : null,
    headers: Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value)])),
  });
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The HTTP status of an SQLSTATE (contract §2.11): the longest entry that it starts with. */
function statusOf(error: DatabaseError, isAnon: boolean): number {
  const { code } = error;
  if (code === '42501') return isAnon ? 401 : 403;
  if (code === '21000') return error.message.includes('requires a WHERE clause') ? 400 : 500;
  if (code === '22023') return /^role .* does not exist$/u.test(error.message) ? 401 : 400;
  const chosen = /^PT([1-5]\d\d)$/u.exec(code)?.[1];
  if (chosen !== undefined) return Number(chosen);
  return STATUSES.get(code) ?? STATUSES.get(code.slice(0, 2)) ?? 400;
}

const STATUSES: ReadonlyMap<string, number> = new Map([
  ['08', 503],
  ['09', 500],
  ['0L', 403],
  ['0P', 403],
  ['23503', 409],
  ['23505', 409],
  ['25', 500],
  ['25006', 405],
  ['28', 403],
  ['2D', 500],
  ['38', 500],
  ['39', 500],
  ['3B', 500],
  ['40', 500],
  ['53', 503],
  ['53400', 500],
  ['54', 500],
  // A body nested deeper than the database can follow.
  ['54001', 413],
  ['55', 500],
  // A view that nobody can write.
  ['55000', 405],
  ['57', 500],
  ['57P01', 503],
  ['58', 500],
  ['F0', 500],
  ['HV', 500],
  ['P0', 500],
  ['P0001', 400],
  ['XX', 500],
  ['42883', 404],
  ['42P01', 404],
  ['42P17', 500],
]);
