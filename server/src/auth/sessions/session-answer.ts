import { ACCESS_TOKEN_SECONDS } from '#platform/tokens';

import { appMetadata, userObject } from '../accounts/user-object.ts';
import type { UserObject } from '../accounts/user-object.ts';
import type { PasswordWeakness } from '../passwords/password-rules.ts';
import type { Scope } from '../protocol/operation.ts';
import type { OpenSession } from './session.ts';

/** The answer that signs a client in. */
export type SessionObject = {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly expires_in: number;
  readonly expires_at: number;
  readonly refresh_token: string;
  readonly user: UserObject;
  readonly weak_password?: PasswordWeakness;
};

/** A use some seconds ago has moved the end of an idle session by so much less. */
const USE_MARGIN_SECONDS = 60;

/** The answer with a new access token. Outside of the transaction: the signature holds no lock. */
export async function sessionObject({ services, settings }: Scope, session: OpenSession): Promise<SessionObject> {
  const { account, notAfter } = session;
  const left = notAfter === null ? Infinity : Math.floor((notAfter.getTime() - services.clock.now().getTime()) / 1000);
  // An end that being used moves is none to announce.
  const isFinal = left < (settings.sessionIdleSeconds ?? Infinity) - USE_MARGIN_SECONDS;
  const claims = {
    sub: account.id,
    session_id: session.id,
    role: 'authenticated',
    email: account.email ?? '',
    phone: account.phone ?? '',
    app_metadata: appMetadata(account),
    user_metadata: account.raw_user_meta_data,
    aal: session.aal,
    amr: session.amr,
    is_anonymous: account.is_anonymous,
    ...(notAfter !== null && isFinal ? { session_ends_at: Math.floor(notAfter.getTime() / 1000) } : {}),
  };
  // A token does not outlive its session, so the client learns of the end in time.
  const signed = await services.tokens.sign(claims, {
    expiresInSeconds: Math.max(1, Math.min(ACCESS_TOKEN_SECONDS, left)),
  });
  return {
    access_token: signed.token,
    token_type: 'bearer',
    expires_in: signed.expiresIn,
    expires_at: signed.expiresAt,
    refresh_token: session.refreshToken,
    user: userObject(account),
  };
}
