import { z } from 'zod';

import { requirePhone } from '../accounts/phone.ts';
import { normalizedEmail } from '../protocol/account.ts';
import { AuthError, validationFailed } from '../protocol/errors.ts';
import type { Call, Operation } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { parseBody } from '../protocol/request.ts';
import { sessionObject } from '../sessions/session-answer.ts';
import type { SessionObject } from '../sessions/session-answer.ts';
import { isVerifyType, verifyToken } from './verify-token.ts';
import type { Proof } from './verify-token.ts';

const body = z.looseObject({
  type: z.string().default(''),
  token: z.string().default(''),
  token_hash: z.string().default(''),
  email: z.string().default(''),
  phone: z.string().default(''),
});

/** POST /verify (AU-08): by the link's token (`token_hash`), or by the code and the address or number it was sent to. */
export const verify: Operation = {
  method: 'POST',
  url: '/verify',
  access: 'public',
  limit: { name: 'verify', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const given = parseBody(call.request, body);
    const verified = await verifyToken(call, proofOf(given));
    return verified.kind === 'session'
      ? { body: await sessionObject(call, verified.session) }
      : { body: { msg: HALF, code: '200' } };
  },
};

/** The answer to the first of two confirmations of a change of address. */
const HALF = 'Confirmation link accepted. Please proceed to confirm link sent to the other email';

function proofOf(given: z.output<typeof body>): Proof {
  const { type } = given;
  if (type === '') throw validationFailed('Verify requires a verification type');
  if (!isVerifyType(type)) throw validationFailed('Unsupported verification type');
  if ((given.token === '') === (given.token_hash === '')) {
    throw validationFailed('Verify requires either a token or a token hash');
  }
  if (given.token_hash !== '') {
    if (given.email !== '' || given.phone !== '') {
      throw validationFailed('Only the token_hash and type should be provided');
    }
    return { type, link: given.token_hash };
  }
  if ((given.email === '') === (given.phone === '')) {
    throw validationFailed('Only an email address or phone number should be provided on verify');
  }
  return given.phone === ''
    ? { type, email: normalizedEmail(given.email).slice(0, 320), code: given.token }
    : { type, phone: requirePhone(given.phone), code: given.token };
}

const form = z.looseObject({
  token: z.string().min(1),
  type: z.string().min(1),
  redirect_to: z.string().default(''),
});

/**
 * The « Continuer » button of the page that GET /verify shows: the browser is led on with the session, or with the error,
 * in the fragment, which no server sees.
 */
export const verifyContinue: Operation = {
  method: 'POST',
  url: '/verify/continue',
  access: 'browser',
  limit: { name: 'verify', capacity: 30, perSeconds: 300 },
  async handle(call) {
    if (isFromElsewhere(call)) throw validationFailed('This form belongs to another site');
    const given = parseBody(call.request, form);
    const target = new URL(redirectTarget(given.redirect_to === '' ? null : given.redirect_to, call.settings));
    await lead(call, target, given);
    return { status: 303, headers: { location: target.href } };
  },
};

/**
 * Login CSRF: another site's page must not sign a person in here. Browsers send a form's site, older ones its origin alone.
 */
function isFromElsewhere({ request, settings }: Call): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== new URL(settings.siteUrl).origin;
}

/**
 * Completes the address that the browser is led to: the session, or the error, in the fragment, which no server sees; the
 * code to exchange, and the error of a link that was to give one, in the query.
 */
async function lead(
  call: Parameters<typeof verifyToken>[0],
  target: URL,
  { token, type }: { readonly token: string; readonly type: string },
): Promise<void> {
  const isExchange = token.startsWith('pkce_');
  try {
    const verified = await verifyToken(call, { type, link: token }, { givesCode: true });
    switch (verified.kind) {
      case 'code':
        target.hash = '';
        target.searchParams.set('code', verified.code);
        return;
      case 'half':
        target.hash = new URLSearchParams({ message: HALF, sb: '' }).toString();
        if (isExchange) target.searchParams.set('message', HALF);
        return;
      case 'session':
        target.hash = fragmentOf(await sessionObject(call, verified.session), type).toString();
    }
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const kind = ERRORS[error.status];
    const parameters = {
      ...(kind === undefined ? {} : { error: kind }),
      error_code: error.code,
      error_description: error.message,
    };
    target.hash = new URLSearchParams({ ...parameters, sb: '' }).toString();
    if (isExchange) for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  }
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
};

function fragmentOf(session: SessionObject, type: string): URLSearchParams {
  return new URLSearchParams({
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    sb: '',
    token_type: session.token_type,
    type,
  });
}
