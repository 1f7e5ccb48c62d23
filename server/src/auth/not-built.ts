import { z } from 'zod';

import { AuthError, validationFailed } from './errors.ts';
import type { AuthErrorCode } from './errors.ts';
import { parseBody } from './operation.ts';
import type { Answer, Call, Operation } from './operation.ts';
import { redirectTarget } from './redirect.ts';

/**
 * What the protocol has and this service does not offer (yet): each answers with the code by which the client knows that a
 * feature is off. An operation that gets built moves to a file of its own.
 */

export async function idTokenGrant(call: Call): Promise<Answer> {
  const { provider } = parseBody(call.request, z.looseObject({ provider: z.string().max(100).default('') }));
  const description = `Provider (${provider.replace(/[^\w:.-]/gu, '')}) is not enabled`;
  return { status: 400, body: { error: 'invalid_request', error_description: description } };
}

export async function web3Grant(): Promise<Answer> {
  throw new AuthError(422, 'web3_provider_disabled', 'Web3 provider is disabled');
}

const otpBody = z.looseObject({ email: z.string().default(''), phone: z.string().default('') });

async function otp(call: Call): Promise<Answer> {
  const { email, phone } = parseBody(call.request, otpBody);
  if (email !== '' && phone !== '') throw validationFailed('Only an email address or phone number should be provided');
  if (email === '' && phone === '') throw validationFailed('One of email or phone must be set');
  throw phone === ''
    ? new AuthError(422, 'email_provider_disabled', 'Magic link logins are disabled')
    : new AuthError(400, 'phone_provider_disabled', 'Phone logins are disabled');
}

/** A provider that comes back to a sign-in that nobody began. */
async function callback(call: Call): Promise<Answer> {
  const target = new URL(redirectTarget(null, call.settings));
  const error = {
    error: 'invalid_request',
    error_code: 'bad_oauth_state',
    error_description: 'OAuth state is not valid',
  };
  target.search = new URLSearchParams(error).toString();
  return { status: 303, headers: { location: target.href } };
}

function refusal(status: number, code: AuthErrorCode, message: string): () => Promise<Answer> {
  return async () => {
    throw new AuthError(status, code, message);
  };
}

const linkingDisabled = refusal(404, 'manual_linking_disabled', 'Manual linking is disabled');
const notAvailable = refusal(404, 'feature_disabled', 'This feature is not available');

export const notBuilt: readonly Operation[] = [
  { method: 'POST', url: '/otp', access: 'public', handle: otp },
  { method: 'POST', url: '/magiclink', access: 'public', handle: otp },
  {
    method: 'POST',
    url: '/sso',
    access: 'public',
    handle: refusal(404, 'saml_provider_disabled', 'SAML 2.0 is disabled'),
  },
  {
    method: 'GET',
    url: '/authorize',
    access: 'browser',
    handle: refusal(400, 'validation_failed', 'Unsupported provider: provider is not enabled'),
  },
  { method: 'GET', url: '/callback', access: 'browser', handle: callback },
  { method: 'POST', url: '/callback', access: 'browser', handle: callback },
  { method: 'GET', url: '/reauthenticate', access: 'session', handle: notAvailable },
  { method: 'GET', url: '/user/identities/authorize', access: 'session', handle: linkingDisabled },
  { method: 'DELETE', url: '/user/identities/:identityId', access: 'session', handle: linkingDisabled },
  { method: 'POST', url: '/admin/generate_link', access: 'admin', handle: notAvailable },
];
