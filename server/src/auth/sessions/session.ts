import { randomBytes, randomUUID } from 'node:crypto';

import type { Transaction } from '#platform/database';

import { existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import type { Scope } from '../protocol/operation.ts';
import type { AuthSettings } from '../protocol/settings.ts';
import { makeRefreshToken, REFRESH_KEY_LENGTH } from './refresh-token.ts';

/** The first step of a sign-in, as the token's `amr` names it. */
export type SignInMethod =
  | 'password'
  | 'otp'
  | 'magiclink'
  | 'recovery'
  | 'invite'
  | 'email/signup'
  | 'email_change'
  | 'oauth'
  | 'sso/saml'
  | 'web3'
  | 'anonymous'
  | 'passkey';

/** The second step, which alone raises a session to the second level. */
export type SecondMethod = 'totp' | 'mfa/phone' | 'mfa/webauthn' | 'mfa/recovery_code';

export type Amr = { readonly method: string; readonly timestamp: number; readonly provider?: string };

/** The source of a session's tokens. */
export type OpenSession = {
  readonly id: string;
  readonly account: Account;
  readonly aal: string;
  readonly amr: readonly Amr[];
  readonly refreshToken: string;
  /** The end of the session, used or not; null where nothing limits it. */
  readonly notAfter: Date | null;
};

export const REFRESH_KEY_PURPOSE = 'refresh-key';

/** Opens a session: its row, its key, its method. The account is read again afterwards, with its new sign-in time. */
export async function openSession(
  tx: Transaction,
  scope: Scope,
  userId: string,
  method: SignInMethod,
  details: {
    /** The used identity, where it is not the e-mail's own. */
    readonly provider?: string;
    /** The longest duration that the identity provider allows. */
    readonly notAfter?: Date;
    /** After a recovery or an invitation: for a while a new password needs no current one. */
    readonly isPasswordFree?: boolean;
  } = {},
): Promise<OpenSession> {
  const { services, origin, settings } = scope;
  const id = randomUUID();
  const key = randomBytes(REFRESH_KEY_LENGTH);
  await tx.query(
    `with opened as (
       insert into auth.sessions (id, user_id, user_agent, ip, refresh_key_sealed, not_after, provider_not_after,
         password_free_until)
       values ($1, $2, $3, $4, $5, $8, $8, now() + make_interval(secs => $9)) returning id
     ), signed_in as (
       update auth.users set last_sign_in_at = now(), updated_at = now() where id = $2
     ), identified as (
       update auth.identities set last_sign_in_at = now(), updated_at = now() where user_id = $2 and provider = coalesce($7, 'email')
     )
     insert into auth.session_methods (session_id, method, provider) select id, $6, $7 from opened`,
    [
      id,
      userId,
      origin.userAgent,
      origin.ip,
      services.secrets.seal(REFRESH_KEY_PURPOSE, key, id),
      method,
      details.provider ?? null,
      details.notAfter ?? null,
      details.isPasswordFree === true ? settings.oneTimeTokenSeconds : null,
    ],
  );
  const notAfter = hasLimits(settings) ? await limitSession(tx, scope, id) : (details.notAfter ?? null);
  const account = await existingAccount(tx, userId);
  // With a second factor the other sessions end once it is given: a password alone must not end them.
  if (settings.isSessionSingle && !account.factors.some((factor) => factor.status === 'verified')) {
    await supersedeSessions(tx, userId, id);
  }
  return {
    id,
    account,
    aal: 'aal1',
    amr: await sessionMethods(tx, id),
    refreshToken: makeRefreshToken(id, 0, key),
    notAfter,
  };
}

/**
 * Raises a session to the second level, for as long as the factor is there. Earlier refresh tokens are void, and the
 * person's other sessions of the first level end. Null where the session ended meanwhile.
 */
export async function raiseSession(
  tx: Transaction,
  scope: Scope,
  session: { readonly id: string; readonly userId: string },
  factor: { readonly id: string; readonly method: SecondMethod },
): Promise<OpenSession | null> {
  const { services, settings } = scope;
  const { rows } = await tx.query<{ refresh_counter: number; refresh_key_sealed: Buffer; not_after: Date | null }>(
    `update auth.sessions set aal = 'aal2', factor_id = $3, refresh_counter = refresh_counter + 2,
       refresh_counter_min = refresh_counter + 2, refreshed_at = clock_timestamp()
     where id = $1 and user_id = $2 returning refresh_counter, refresh_key_sealed, not_after`,
    [session.id, session.userId, factor.id],
  );
  const [raised] = rows;
  if (raised === undefined) return null;
  await tx.query(
    `insert into auth.session_methods (session_id, method, factor_id) values ($1, $2, $3)
     on conflict (session_id, method) do update set factor_id = excluded.factor_id, updated_at = now()`,
    [session.id, factor.method, factor.id],
  );
  await tx.query(`delete from auth.sessions where user_id = $1 and id <> $2 and aal = 'aal1'`, [
    session.userId,
    session.id,
  ]);
  const notAfter = hasLimits(settings) ? await limitSession(tx, scope, session.id) : raised.not_after;
  if (settings.isSessionSingle) await supersedeSessions(tx, session.userId, session.id);
  const key = services.secrets.open(REFRESH_KEY_PURPOSE, raised.refresh_key_sealed, session.id);
  return {
    id: session.id,
    account: await existingAccount(tx, session.userId),
    aal: 'aal2',
    amr: await sessionMethods(tx, session.id),
    refreshToken: makeRefreshToken(session.id, raised.refresh_counter, key),
    notAfter,
  };
}

function hasLimits({ sessionMaxSeconds, sessionIdleSeconds, sessionLowAalSeconds }: AuthSettings): boolean {
  return sessionMaxSeconds !== null || sessionIdleSeconds !== null || sessionLowAalSeconds !== null;
}

/** The configured limits as private.session_end takes them, after the session and its last use. */
export function limitsOf(settings: AuthSettings): readonly (number | null)[] {
  return [settings.sessionMaxSeconds, settings.sessionIdleSeconds, settings.sessionLowAalSeconds];
}

async function limitSession(tx: Transaction, { settings }: Scope, id: string): Promise<Date | null> {
  const { rows } = await tx.query<{ not_after: Date | null }>(
    `update auth.sessions s set not_after = private.session_end(s, clock_timestamp(), $2, $3, $4)
     where s.id = $1 returning s.not_after`,
    [id, ...limitsOf(settings)],
  );
  return rows[0]?.not_after ?? null;
}

/** Ends the person's other sessions; their rows stay for a while, so that the next refresh answers that they are over. */
async function supersedeSessions(tx: Transaction, userId: string, id: string): Promise<void> {
  await tx.query(
    `update auth.sessions set not_after = clock_timestamp()
     where user_id = $1 and id <> $2 and (not_after is null or not_after > clock_timestamp())`,
    [userId, id],
  );
}

export async function sessionMethods(tx: Transaction, sessionId: string): Promise<Amr[]> {
  const { rows } = await tx.query<{ method: string; provider: string | null; timestamp: number }>(
    `select method, provider, floor(extract(epoch from updated_at))::int as timestamp
     from auth.session_methods where session_id = $1 order by updated_at desc, method`,
    [sessionId],
  );
  return rows.map(({ method, provider, timestamp }) => ({
    method,
    timestamp,
    ...(provider === null ? {} : { provider }),
  }));
}

/** Ends sessions of a person: their access tokens are refused from this commit on. */
export async function endSessions(
  tx: Transaction,
  userId: string,
  which: { readonly only: string } | { readonly except: string } | 'all',
): Promise<number> {
  const only = typeof which === 'object' && 'only' in which ? which.only : null;
  const except = typeof which === 'object' && 'except' in which ? which.except : null;
  const { rowCount } = await tx.query(
    `delete from auth.sessions where user_id = $1 and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3)`,
    [userId, only, except],
  );
  return rowCount;
}
