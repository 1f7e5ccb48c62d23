import type { ProviderTokens } from '../codes/pkce-code.ts';
import type { AuthError } from '../protocol/errors.ts';
import type { OperationReply } from '../protocol/operation.ts';
import type { SessionObject } from '../sessions/session-answer.ts';

/** The redirects that lead a browser from a provider on to the application. */

/** With the session, in the fragment, which no server sees. */
export function withSession(redirectTo: string, session: SessionObject, tokens: ProviderTokens | null): OperationReply {
  const target = new URL(redirectTo);
  target.hash = new URLSearchParams({
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    ...(tokens === null ? {} : { provider_token: tokens.accessToken }),
    ...(tokens?.refreshToken === undefined ? {} : { provider_refresh_token: tokens.refreshToken }),
    refresh_token: session.refresh_token,
    sb: '',
    token_type: session.token_type,
  }).toString();
  return redirect(302, target);
}

/** With a code, which only the holder of the verifier can exchange (AU-04). */
export function withCode(redirectTo: string, code: string): OperationReply {
  const target = new URL(redirectTo);
  target.searchParams.set('code', code);
  return redirect(302, target);
}

/** With the error, in the query and in the fragment, where the application may read it. */
export function withError(redirectTo: string, error: AuthError): OperationReply {
  const target = new URL(redirectTo);
  const parameters = {
    error: oauthErrorOf(error),
    error_code: error.code,
    error_description: error.message,
  };
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  target.hash = new URLSearchParams({ ...parameters, sb: '' }).toString();
  return redirect(302, target);
}

const DENIED = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);

function oauthErrorOf({ status, code }: AuthError): string {
  if (DENIED.has(code)) return 'access_denied';
  switch (status) {
    case 400:
      return 'invalid_request';
    case 401:
      return 'unauthorized_client';
    case 403:
      return 'access_denied';
    case 503:
      return 'temporarily_unavailable';
    default:
      return 'server_error';
  }
}

/** To the site, where the flow's own target is not known any more. */
export function redirectToSite(siteUrl: string, error: AuthError): OperationReply {
  const target = new URL(`${siteUrl}/`);
  target.search = new URLSearchParams({
    error: 'invalid_request',
    error_code: error.code,
    error_description: error.message,
  }).toString();
  return redirect(303, target);
}

export function redirect(status: 302 | 303, target: URL): OperationReply {
  return { status, headers: { location: target.href, 'referrer-policy': 'no-referrer' } };
}
