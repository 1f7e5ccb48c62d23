import type { FastifyRequest } from 'fastify';

import { bearerOf } from '#platform/identity';
import type { Services } from '#platform/services';
import { TokenRefused } from '#platform/tokens';
import type { AccessClaims } from '#platform/tokens';

import { ACCOUNT_COLUMNS, ACCOUNT_TABLES } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { AuthError, sessionNotFound, userBanned } from '../protocol/errors.ts';
import type { Call, LiveSession } from '../protocol/operation.ts';

/**
 * The live session of the bearer's access token: a signed-out session is refused at once, although its token has not
 * expired. A temporary password's session passes here, and nowhere else (V-19).
 * @throws AuthError no_authorization, bad_jwt, user_not_found, session_not_found, session_expired, user_banned
 */
export async function requireSession(call: Call): Promise<LiveSession> {
  const claims = await requireToken(call);
  const { rows } = await call.db.queryAsService<Account & { session: SessionRow | null }>('auth: live session', {
    text: `select ${ACCOUNT_COLUMNS}, (select jsonb_build_object('aal', s.aal, 'is_over', coalesce(s.not_after <= now(), false))
        from auth.sessions s where s.id = $2 and s.user_id = u.id) as session
      from ${ACCOUNT_TABLES} where u.id = $1`,
    values: [claims.sub, claims.session_id],
  });
  const [account] = rows;
  if (account === undefined) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist');
  const { session } = account;
  if (session === null) throw sessionNotFound();
  if (session.is_over) throw new AuthError(403, 'session_expired', 'Session has expired');
  if (account.is_barred) throw userBanned(403);
  const isRaised = session.aal === 'aal2' && claims['aal'] === 'aal2';
  return { id: claims.session_id, aal: isRaised ? 'aal2' : 'aal1', account };
}

type SessionRow = { readonly aal: string; readonly is_over: boolean };

async function requireToken({ request, services }: Call): Promise<AccessClaims> {
  const bearer = requireBearer(request);
  try {
    const claims = await services.tokens.verify(bearer);
    request.who = claims.sub;
    return claims;
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    // UI-15: an account is its owner's; a session that can be renewed is not what is missing.
    if (error.failure === 'view') throw new AuthError(403, 'view_reads', error.message);
    throw badToken(error.message);
  }
}

/**
 * Requires the secret key, which only servers hold. A person's own token is never enough, an admin's neither: rights of the
 * product are not rights over accounts.
 * @throws AuthError no_authorization, bad_jwt, not_admin
 */
export async function requireSecretKey(call: Call): Promise<void> {
  const { request, services } = call;
  const bearer = requireBearer(request);
  if (hasSecretKey(services, request)) return;
  if (services.keys.resolve(bearer) === null) await requireSession(call);
  throw new AuthError(403, 'not_admin', 'User not allowed');
}

/** A secret key never belongs in a browser, and only browsers send an origin. */
export function hasSecretKey({ keys }: Pick<Services, 'keys'>, { headers }: FastifyRequest): boolean {
  return keys.resolve(bearerOf(headers.authorization) ?? '') === 'secret' && headers.origin === undefined;
}

function requireBearer(request: FastifyRequest): string {
  const bearer = bearerOf(request.headers.authorization);
  if (bearer === null || bearer === '') {
    throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
  }
  return bearer;
}

function badToken(why: string): AuthError {
  return new AuthError(403, 'bad_jwt', `invalid JWT: unable to parse or verify signature, ${why}`);
}
