import { z } from 'zod';

import { AuthError, validationFailed } from './errors.ts';
import { parseBody } from './operation.ts';
import type { Operation } from './operation.ts';
import { redirectTarget } from './redirect.ts';
import { sessionObject } from './session.ts';
import { isVerifyType, verifyToken } from './verify-token.ts';
import type { Proof } from './verify-token.ts';

const body = z.looseObject({
  type: z.string().default(''),
  token: z.string().default(''),
  token_hash: z.string().default(''),
  email: z.string().default(''),
  phone: z.string().default(''),
});

/** POST /verify (AU-08): by the link's token (`token_hash`), or by the code and the address it was sent to. */
export const verify: Operation = {
  method: 'POST',
  url: '/verify',
  access: 'public',
  limit: { name: 'verify', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const given = parseBody(call.request, body);
    return { body: await sessionObject(call, await verifyToken(call, proofOf(given))) };
  },
};

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
  if (given.phone !== '') {
    if (!/^[1-9]\d{1,14}$/u.test(given.phone.replace(/^\+|\s+/gu, ''))) {
      throw validationFailed('Invalid phone number format (E.164 required)');
    }
  } else if (given.email === '') {
    throw validationFailed('Only an email address or phone number should be provided on verify');
  }
  return { type, email: given.email, code: given.token };
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
    // Another site's page must not sign somebody in here: browsers say where a form comes from.
    const site = call.request.headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none')
      throw validationFailed('This form belongs to another site');
    const given = parseBody(call.request, form);
    const target = new URL(redirectTarget(given.redirect_to === '' ? null : given.redirect_to, call.settings));
    target.hash = (await fragmentOf(call, given)).toString();
    return { status: 303, headers: { location: target.href } };
  },
};

async function fragmentOf(
  call: Parameters<typeof verifyToken>[0],
  { token, type }: { readonly token: string; readonly type: string },
): Promise<URLSearchParams> {
  try {
    const session = await sessionObject(call, await verifyToken(call, { type, link: token }));
    return new URLSearchParams({
      access_token: session.access_token,
      expires_at: String(session.expires_at),
      expires_in: String(session.expires_in),
      refresh_token: session.refresh_token,
      sb: '',
      token_type: session.token_type,
      type,
    });
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    return new URLSearchParams({
      error: error.status === 403 ? 'access_denied' : 'invalid_request',
      error_code: error.code,
      error_description: error.message,
      sb: '',
    });
  }
}
