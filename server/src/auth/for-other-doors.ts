import { Failure } from '@parrain/domain/failure';
import type { FailureIssue } from '@parrain/domain/failure';
import { passwordLengthMin } from '@parrain/domain/forms/limits';
import * as messages from '@parrain/domain/messages';
import type { FastifyRequest } from 'fastify';

import { rateLimited } from '#platform/errors';
import { networkOf } from '#platform/network';
import type { Services } from '#platform/services';

import { hashPassword as hash, verifyPassword as verify } from './passwords/password-hash.ts';
import { requireCaptcha } from './protocol/captcha.ts';
import { AuthError } from './protocol/errors.ts';
import type { Scope } from './protocol/operation.ts';
import { originOf } from './protocol/request.ts';
import { authSettings } from './protocol/settings.ts';
import type { SessionObject } from './sessions/session-answer.ts';
import { SIGN_UP_LIMIT, signUp } from './sign-up/by-email.ts';
import { signIn } from './token/sign-in.ts';

/** The functions that other doors and the commands call. Refusals are the product's failures, with their French sentences. */

export { generateTemporaryPassword, TEMPORARY_PASSWORD_HOURS } from './passwords/temporary-password.ts';
export { audit } from './protocol/audit.ts';

type Asking = Pick<FastifyRequest, 'ip' | 'headers' | 'id'> & { readonly body?: unknown };

/** Signs in by e-mail and password (F-01). @throws Failure invalid_credentials, email_not_confirmed, account_disabled, rate_limited */
export async function signInWithPassword(
  services: Services,
  credentials: { readonly email: string; readonly password: string; readonly request: Asking },
): Promise<SessionObject> {
  const scope = scopeOf(services, credentials.request);
  return asProductFailures(async () => {
    await requireCaptcha(scope, credentials.request);
    return signIn(scope, credentials);
  });
}

/**
 * A person's own registration (F-02); always a client's. No session is opened: they sign in next.
 * @throws Failure email_taken, invalid_input (with its issues), rate_limited
 */
export async function signUpClient(
  services: Services,
  registration: {
    readonly email: string;
    readonly password: string;
    readonly fullName: string;
    readonly phone: string | null;
    readonly request: Asking;
  },
): Promise<{ readonly isConfirmed: boolean }> {
  const scope = scopeOf(services, registration.request);
  const { email, password, fullName, phone } = registration;
  const wait = await services.rateLimit.takeToken(
    `auth:${SIGN_UP_LIMIT.name}:${networkOf(scope.origin.ip)}`,
    SIGN_UP_LIMIT,
  );
  if (wait > 0) throw rateLimited(wait);
  const outcome = await asProductFailures(async () => {
    await requireCaptcha(scope, registration.request);
    return signUp(scope, {
      email,
      password,
      fullName,
      phone,
      data: { full_name: fullName, ...(phone === null ? {} : { phone }) },
      redirectTo: `${scope.settings.siteUrl}/auth/login`,
      opensSession: false,
    });
  });
  if (outcome.kind === 'taken' && scope.settings.isAutoconfirmed) throw new Failure('email_taken');
  return { isConfirmed: scope.settings.isAutoconfirmed };
}

/** The hash of a password, as `auth.users` keeps it (argon2id, PHC). @throws Failure rate_limited */
export async function hashPassword(password: string): Promise<string> {
  return asProductFailures(() => hash(password));
}

/** Verifies a password against a hash of {@link hashPassword}. @throws Failure rate_limited */
export async function verifyPassword(password: string, hashed: string): Promise<boolean> {
  return asProductFailures(() => verify(password, hashed));
}

function scopeOf(services: Services, request: Asking): Scope {
  return {
    services,
    settings: authSettings(services),
    db: services.db.withRequest({ requestId: request.id }),
    origin: originOf(request),
  };
}

async function asProductFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const failure = failureOfAuthError(error);
    failure.cause = error;
    throw failure;
  }
}

function failureOfAuthError(error: AuthError): Failure {
  switch (error.code) {
    case 'invalid_credentials':
      return new Failure('invalid_credentials');
    case 'over_request_rate_limit':
      return rateLimited(error.retryAfterSeconds ?? 1);
    case 'email_not_confirmed':
      return new Failure('email_not_confirmed');
    case 'user_banned':
      return new Failure('account_disabled');
    case 'captcha_failed':
      return new Failure('captcha_failed');
    case 'signup_disabled':
      return new Failure('registration_closed');
    case 'user_already_exists':
      return new Failure('email_taken');
    case 'weak_password':
      return new Failure('invalid_input', {}, [issue('password', weakPasswordSentence(error))]);
    case 'validation_failed':
      return new Failure('invalid_input', {}, [issue('email', messages.emailInvalid)]);
    default:
      return new Failure('unexpected');
  }
}

function weakPasswordSentence(error: AuthError): string {
  return error.reasons.includes('length') ? messages.passwordTooShort(passwordLengthMin) : messages.passwordTooCommon;
}

function issue(field: string, message: string): FailureIssue {
  return { path: [field], message };
}
