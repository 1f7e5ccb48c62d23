import type { FastifyReply, FastifyRequest } from 'fastify';

import { failureOf, logTrouble, retryAfterOf, troubleOf } from '#platform/errors';

/** The codes of the protocol that this door answers with. */
export type AuthErrorCode =
  | 'anonymous_provider_disabled'
  | 'bad_code_verifier'
  | 'bad_json'
  | 'bad_jwt'
  | 'bad_oauth_callback'
  | 'bad_oauth_state'
  | 'captcha_failed'
  | 'conflict'
  | 'current_password_invalid'
  | 'current_password_required'
  | 'email_conflict_identity_not_deletable'
  | 'email_exists'
  | 'email_not_confirmed'
  | 'flow_state_already_used'
  | 'flow_state_expired'
  | 'flow_state_not_found'
  | 'identity_already_exists'
  | 'identity_not_found'
  | 'insufficient_aal'
  | 'invalid_credentials'
  | 'invite_not_found'
  | 'manual_linking_disabled'
  | 'mfa_challenge_expired'
  | 'mfa_factor_name_conflict'
  | 'mfa_factor_not_found'
  | 'mfa_ip_address_mismatch'
  | 'mfa_phone_enroll_not_enabled'
  | 'mfa_phone_verify_not_enabled'
  | 'mfa_recovery_codes_locked'
  | 'mfa_recovery_codes_sole_factor'
  | 'mfa_verification_failed'
  | 'mfa_verified_factor_exists'
  | 'no_authorization'
  | 'not_admin'
  | 'not_found'
  | 'oauth_provider_not_supported'
  | 'otp_expired'
  | 'over_email_send_rate_limit'
  | 'over_request_rate_limit'
  | 'over_sms_send_rate_limit'
  | 'phone_exists'
  | 'phone_not_confirmed'
  | 'phone_provider_disabled'
  | 'provider_email_needs_verification'
  | 'reauthentication_needed'
  | 'reauthentication_not_valid'
  | 'refresh_token_already_used'
  | 'refresh_token_not_found'
  | 'request_entity_too_large'
  | 'request_timeout'
  | 'same_password'
  | 'saml_assertion_no_email'
  | 'saml_assertion_no_user_id'
  | 'saml_idp_not_found'
  | 'saml_provider_disabled'
  | 'saml_relay_state_expired'
  | 'saml_relay_state_not_found'
  | 'session_expired'
  | 'session_not_found'
  | 'signup_disabled'
  | 'single_identity_not_deletable'
  | 'sms_send_failed'
  | 'sso_provider_disabled'
  | 'sso_provider_not_found'
  | 'too_many_enrolled_mfa_factors'
  | 'too_many_passkeys'
  | 'unexpected_failure'
  | 'user_already_exists'
  | 'user_banned'
  | 'user_not_found'
  | 'user_sso_managed'
  | 'validation_failed'
  | 'view_reads'
  | 'weak_password'
  | 'web3_provider_disabled'
  | 'web3_unsupported_chain'
  | 'webauthn_challenge_expired'
  | 'webauthn_challenge_not_found'
  | 'webauthn_credential_exists'
  | 'webauthn_credential_not_found'
  | 'webauthn_verification_failed';

export type WeakPasswordReason = 'length' | 'characters' | 'pwned';

/**
 * A refusal in the protocol's own words. The message is technical English, compared in part by the official client's tests;
 * the French sentence is made from the code (`domain/src/failure-auth.ts`).
 */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  readonly status: number;
  readonly code: AuthErrorCode;
  readonly reasons: readonly WeakPasswordReason[];
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    code: AuthErrorCode,
    message: string,
    details: { readonly reasons?: readonly WeakPasswordReason[]; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.reasons = details.reasons ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

export function validationFailed(message: string): AuthError {
  return new AuthError(400, 'validation_failed', message);
}

/** An id in a path that is no UUID: nothing can be there, so the protocol answers 404. */
export function invalidPathId(name: string): AuthError {
  return new AuthError(404, 'validation_failed', `${name} must be an UUID`);
}

export function rateLimited(retryAfterSeconds: number): AuthError {
  return new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', { retryAfterSeconds });
}

/** The mails of an hour, a day or an address are used up. */
export function mailLimitReached(retryAfterSeconds: number): AuthError {
  return new AuthError(429, 'over_email_send_rate_limit', 'Email rate limit exceeded', { retryAfterSeconds });
}

/** A barred account (banned, deactivated or deleted): 400 to credentials, 403 to a proof or a token. */
export function userBanned(status: 400 | 403): AuthError {
  return new AuthError(status, 'user_banned', 'User is banned');
}

export function notConfirmed(status: 400 | 422, channel: 'email' | 'phone'): AuthError {
  return channel === 'email'
    ? new AuthError(status, 'email_not_confirmed', 'Email not confirmed')
    : new AuthError(status, 'phone_not_confirmed', 'Phone not confirmed');
}

export function sessionNotFound(): AuthError {
  return new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
}

export function signupDisabled(): AuthError {
  return new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance');
}

export function emailExists(): AuthError {
  return new AuthError(422, 'email_exists', 'A user with this email address has already been registered');
}

export function phoneExists(): AuthError {
  return new AuthError(422, 'phone_exists', 'A user with this phone number has already been registered');
}

export function factorNameTaken(): AuthError {
  return new AuthError(422, 'mfa_factor_name_conflict', 'Another factor of this user has this name');
}

/** A defect of ours: its cause is in the log and never in the answer. */
export function unexpectedFailure(): AuthError {
  return new AuthError(500, 'unexpected_failure', 'Unexpected failure, please check server logs for more information');
}

/** A person whom a company's sign-in service admits has no other way in. */
export function ssoManaged(message: string): AuthError {
  return new AuthError(422, 'user_sso_managed', message);
}

/** One answer for one-time tokens that are wrong, unknown, used or expired. */
export function tokenExpired(): AuthError {
  return new AuthError(403, 'otp_expired', 'Token has expired or is invalid');
}

/** The cooldown of this kind of message lasts for this person. */
export function tooSoon(channel: 'email' | 'sms', retryAfterSeconds: number): AuthError {
  return new AuthError(
    429,
    `over_${channel}_send_rate_limit`,
    `For security purposes, you can only request this after ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}

const API_VERSION_HEADER = 'x-supabase-api-version';
const API_VERSION = '2024-01-01';

/** The error reply of this door, in the shape of the version that the client asks for, with the other's names beside. */
export async function sendAuthError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  const refusal = authErrorOf(error);
  // A refusal is expected; any other error is logged once.
  if (!(error instanceof AuthError)) logTrouble(request, error);
  const asked = request.headers[API_VERSION_HEADER];
  const isCurrent = typeof asked === 'string' && asked >= API_VERSION;
  void reply.headers({ 'cache-control': 'no-store', 'x-sb-error-code': refusal.code });
  if (isCurrent) void reply.header(API_VERSION_HEADER, API_VERSION);
  if (refusal.retryAfterSeconds !== null) void reply.header('retry-after', String(refusal.retryAfterSeconds));
  return reply.status(refusal.status).send({
    code: isCurrent ? refusal.code : refusal.status,
    error_code: refusal.code,
    message: refusal.message,
    msg: refusal.message,
    ...(isCurrent || refusal.status < 500 ? {} : { error_id: request.id }),
    ...(refusal.code === 'weak_password' ? { weak_password: { reasons: refusal.reasons } } : {}),
  });
}

function authErrorOf(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const trouble = troubleOf(error);
  if (trouble.kind === 'request') {
    const { status, error: cause } = trouble;
    if (status === 413) return new AuthError(413, 'request_entity_too_large', 'Request body too large');
    if (isBadJson(cause)) return new AuthError(400, 'bad_json', 'Could not parse request body as JSON');
    if (status < 500) return validationFailed('The request could not be read');
  }
  const failure = failureOf(error);
  if (failure.code === 'invalid_input') return validationFailed('A value holds characters that cannot be stored');
  const retryAfterSeconds = retryAfterOf(failure);
  if (failure.status === 429) {
    return new AuthError(429, 'over_request_rate_limit', failure.message, {
      retryAfterSeconds: retryAfterSeconds ?? 60,
    });
  }
  // 503 makes the client try again by itself; it never signs anyone out.
  return failure.code === 'unavailable'
    ? new AuthError(503, 'unexpected_failure', 'Service temporarily unavailable', {
        retryAfterSeconds: retryAfterSeconds ?? 1,
      })
    : unexpectedFailure();
}

function isBadJson(error: { readonly code: string; readonly message: string }): boolean {
  return error.code === 'FST_ERR_CTP_INVALID_JSON_BODY' || error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY';
}
