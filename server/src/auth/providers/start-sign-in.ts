import type { FastifyRequest } from 'fastify';
import * as openid from 'openid-client';

import type { OidcProvider } from '#platform/identity-providers';

import { challengeOf } from '../codes/pkce-code.ts';
import { validationFailed } from '../protocol/errors.ts';
import type { Call } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { queryValue } from '../protocol/request.ts';
import { openProvider } from './openid/openid-provider.ts';
import { beginProviderFlow } from './provider-flow.ts';
import type { ProviderFlow } from './provider-flow.ts';

/**
 * The address at a provider where a person signs in, with the way back here. The verifier and the nonce of this one sign-in
 * stay on the server.
 * @throws AuthError validation_failed
 */
export async function startProviderSignIn(
  call: Call,
  who: Pick<ProviderFlow, 'linking' | 'invitedUserId'>,
): Promise<URL> {
  const { request, settings } = call;
  const provider = providerAsked(call);
  const codeChallenge = challengeOf({
    code_challenge: queryValue(request, 'code_challenge') ?? '',
    code_challenge_method: queryValue(request, 'code_challenge_method') ?? '',
  });
  const { configuration } = await openProvider(call, provider);
  const nonce = queryValue(request, 'nonce') ?? openid.randomNonce();
  if (nonce.length > 500) throw validationFailed('nonce is too long');
  const verifier = openid.randomPKCECodeVerifier();
  const state = await beginProviderFlow(call, {
    provider: provider.name,
    redirectTo: redirectTarget(queryValue(request, 'redirect_to'), settings),
    codeChallenge,
    ...who,
    secrets: { nonce, verifier },
  });
  return openid.buildAuthorizationUrl(configuration, {
    ...extraParameters(request),
    redirect_uri: callbackUrl(call),
    response_type: 'code',
    scope: scopes(provider, queryValue(request, 'scopes')),
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(provider.isFormPost ? { response_mode: 'form_post' } : {}),
  });
}

/** Address that providers redirect people back to. */
export function callbackUrl({ settings }: Pick<Call, 'settings'>): string {
  return `${settings.externalUrl}/callback`;
}

function providerAsked({ request, settings }: Call): OidcProvider {
  const name = queryValue(request, 'provider') ?? '';
  const provider = settings.oidcProviders.find((known) => known.name === name);
  if (provider === undefined) throw validationFailed('Unsupported provider: provider is not enabled');
  return provider;
}

function scopes(provider: OidcProvider, asked: string | null): string {
  const more = (asked ?? '').split(/[\s,]+/u).filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/u.test(scope));
  return [...new Set([...provider.scopes, ...more.slice(0, 20)])].join(' ');
}

/** Parameters that only this server sends to a provider, in any spelling. */
const RESERVED = new Set([
  'apikey',
  'client_assertion',
  'client_assertion_type',
  'client_id',
  'client_secret',
  'code',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'dpop_jkt',
  'invite_token',
  'nonce',
  'provider',
  'redirect_to',
  'redirect_uri',
  'registration',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'scopes',
  'skip_http_redirect',
  'state',
]);

const EXTRA_MAX = 20;
const EXTRA_LENGTH_MAX = 500;

/** The application's further parameters for the provider: a hint of the person, the account, the language. */
function extraParameters({ query }: FastifyRequest): Record<string, string> {
  if (typeof query !== 'object' || query === null) return {};
  return Object.fromEntries(
    Object.entries(query)
      .filter(
        (entry): entry is [string, string] =>
          typeof entry[1] === 'string' &&
          entry[1].length <= EXTRA_LENGTH_MAX &&
          /^\w{1,60}$/u.test(entry[0]) &&
          !RESERVED.has(entry[0].toLowerCase()),
      )
      .slice(0, EXTRA_MAX),
  );
}
