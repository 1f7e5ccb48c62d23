import { z } from 'zod';

import type { Transaction } from '#platform/database';
import { networkOf } from '#platform/network';

import { accountById } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError } from '../protocol/errors.ts';
import type { OperationReply, Call } from '../protocol/operation.ts';
import { parseBody } from '../protocol/request.ts';
import { makeRefreshToken, parseRefreshToken } from '../sessions/refresh-token.ts';
import type { RefreshToken } from '../sessions/refresh-token.ts';
import { sessionObject } from '../sessions/session-answer.ts';
import { limitsOf, REFRESH_KEY_PURPOSE, sessionMethods } from '../sessions/session.ts';
import type { OpenSession } from '../sessions/session.ts';

const body = z.looseObject({ refresh_token: z.string().default('') });

/** Wide limits, answered with 503: many people share a network, and a session that cannot refresh is lost. */
const PER_NETWORK = { capacity: 1000, perSeconds: 300 };
const PER_SESSION = { capacity: 200, perSeconds: 300 };

/** POST /token?grant_type=refresh_token (AU-03): a new access token and a new refresh token for a session that lives. */
export async function refreshGrant(call: Call): Promise<OperationReply> {
  const { refresh_token: text } = parseBody(call.request, body);
  const given = parseRefreshToken(text);
  if (given === null) throw invalidRefreshToken();
  await requireRefreshLimit(call, given);
  const outcome = await call.db.asService('auth: refresh', (tx) => refresh(tx, call, given));
  if (outcome instanceof AuthError) throw outcome;
  return { body: await sessionObject(call, outcome) };
}

/** A refusal is returned, not thrown, so that the end of a session whose token was reused is committed. */
async function refresh(tx: Transaction, call: Call, given: RefreshToken): Promise<OpenSession | AuthError> {
  const { services, settings, origin } = call;
  // The row lock serializes simultaneous refreshes of one session.
  const { rows } = await tx.query<SessionRow>(
    `select s.user_id, s.refresh_counter, s.refresh_counter_min, s.refresh_key_sealed, s.aal, s.not_after,
       coalesce(least(s.not_after, private.session_end(s, s.refreshed_at, $3, $4, $5)) <= clock_timestamp(), false) as is_over,
       s.refreshed_at > clock_timestamp() - make_interval(secs => $2) as is_fresh
     from auth.sessions s where s.id = $1 for update`,
    [given.sessionId, settings.refreshReuseSeconds, ...limitsOf(settings)],
  );
  const [session] = rows;
  if (session === undefined) {
    return new AuthError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
  }
  const key = services.secrets.open(REFRESH_KEY_PURPOSE, session.refresh_key_sealed, given.sessionId);
  const age = session.refresh_counter - given.counter;
  if (!given.isSignedWith(key) || age < 0) return invalidRefreshToken();
  const account = await accountById(tx, session.user_id);
  if (account === null) return new AuthError(400, 'user_not_found', 'User from sub claim in JWT does not exist');
  if (account.is_barred) return new AuthError(400, 'user_banned', 'Invalid Refresh Token: User Banned');
  if (session.is_over) return new AuthError(400, 'session_expired', 'Invalid Refresh Token: Session Expired');

  // A replaced token is good for a moment only: another tab, a lost answer. Later reuse may be a thief's, so the whole
  // session ends. A token from before a second factor is never good.
  if (age > 0 && (!session.is_fresh || given.counter < session.refresh_counter_min)) {
    await tx.query('delete from auth.sessions where id = $1', [given.sessionId]);
    await audit(tx, origin, 'refresh_token_reused', account.id, { session: given.sessionId });
    return new AuthError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
  }
  let notAfter = session.not_after;
  if (age === 0) {
    const { rows: refreshed } = await tx.query<{ not_after: Date | null }>(
      `update auth.sessions s set refresh_counter = s.refresh_counter + 1, refreshed_at = clock_timestamp(), ip = $2,
         user_agent = $3, not_after = private.session_end(s, clock_timestamp(), $4, $5, $6)
       where s.id = $1 returning s.not_after`,
      [given.sessionId, origin.ip, origin.userAgent, ...limitsOf(settings)],
    );
    notAfter = refreshed[0]?.not_after ?? null;
    await audit(tx, origin, 'token_refreshed', account.id, { session: given.sessionId });
  }
  const counter = session.refresh_counter + (age === 0 ? 1 : 0);
  return {
    id: given.sessionId,
    account,
    aal: session.aal,
    amr: await sessionMethods(tx, given.sessionId),
    refreshToken: makeRefreshToken(given.sessionId, counter, key),
    notAfter,
  };
}

type SessionRow = {
  readonly user_id: string;
  readonly refresh_counter: number;
  readonly refresh_counter_min: number;
  readonly refresh_key_sealed: Buffer;
  readonly aal: string;
  readonly not_after: Date | null;
  readonly is_over: boolean;
  readonly is_fresh: boolean;
};

async function requireRefreshLimit({ services, origin }: Call, given: RefreshToken): Promise<void> {
  const network = await services.rateLimit.takeToken(`auth:refresh:${networkOf(origin.ip)}`, PER_NETWORK);
  const wait =
    network > 0 ? network : await services.rateLimit.takeToken(`auth:refresh:${given.sessionId}`, PER_SESSION);
  // A 429 would sign the person out; the client comes back by itself after a 503.
  if (wait > 0) {
    throw new AuthError(503, 'over_request_rate_limit', 'Request rate limit reached', { retryAfterSeconds: wait });
  }
}

function invalidRefreshToken(): AuthError {
  return new AuthError(400, 'validation_failed', 'Invalid Refresh Token: Refresh token is not valid');
}
