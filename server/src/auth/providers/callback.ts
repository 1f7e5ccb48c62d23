import * as openid from 'openid-client';

import type { OidcProvider } from '#platform/identity-providers';

import { issueAuthCode } from '../codes/pkce-code.ts';
import type { ProviderTokens } from '../codes/pkce-code.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, unexpectedFailure } from '../protocol/errors.ts';
import type { OperationReply, Call, Operation } from '../protocol/operation.ts';
import { sessionObject } from '../sessions/session-answer.ts';
import { openSession } from '../sessions/session.ts';
import { accountOfAssertion, decideAccount } from './account-of-assertion.ts';
import { textClaim } from './assertion.ts';
import type { Assertion } from './assertion.ts';
import { linkIdentity } from './identity.ts';
import { IdTokenRefused, requireTenant } from './openid/id-token.ts';
import { assertionOfClaims } from './openid/openid-assertion.ts';
import { openProvider } from './openid/openid-provider.ts';
import { flowSecret, takeProviderFlow } from './provider-flow.ts';
import type { ProviderFlow } from './provider-flow.ts';
import { redirectToSite, withCode, withError, withSession } from './redirects.ts';
import { callbackUrl } from './start-sign-in.ts';

/** GET and POST /callback (AU-12): a browser comes back from its provider, and is led on to the application. */
async function callback(call: Call): Promise<OperationReply> {
  const { settings } = call;
  const given = returned(call);
  const state = given.get('state') ?? '';
  if (state === '') {
    return redirectToSite(settings.siteUrl, new AuthError(400, 'bad_oauth_callback', 'OAuth state parameter missing'));
  }
  const back = await takeProviderFlow(call, state);
  switch (back.kind) {
    case 'unknown':
    case 'expired':
      return redirectToSite(
        settings.siteUrl,
        new AuthError(
          400,
          'bad_oauth_state',
          back.kind === 'expired' ? 'OAuth state has expired' : 'OAuth state is not valid',
        ),
      );
    case 'used':
      return redirectToSite(
        settings.siteUrl,
        back.hasCodeChallenge
          ? new AuthError(400, 'flow_state_already_used', 'OAuth state has already been used')
          : new AuthError(400, 'bad_oauth_state', 'OAuth state has already been used'),
      );
    case 'flow':
      break;
  }
  const { flow } = back;
  try {
    const outcome = await arrive(call, flow, given);
    return outcome instanceof AuthError ? await refuse(call, flow, outcome) : outcome;
  } catch (error) {
    if (error instanceof AuthError) return refuse(call, flow, error);
    call.services.log.error({ err: error, requestId: call.request.id }, 'A sign-in through a provider failed');
    return withError(flow.redirectTo, unexpectedFailure());
  }
}

/** Back to the application with the error; the person is not always known. */
async function refuse(call: Call, flow: ProviderFlow, refusal: AuthError): Promise<OperationReply> {
  const userId = flow.linking?.userId ?? flow.invitedUserId;
  await call.db.asService('auth: back from a provider', (tx) =>
    audit(tx, call.origin, 'provider_refused', userId, { provider: flow.provider, code: refusal.code }),
  );
  return withError(flow.redirectTo, refusal);
}

export const callbackByAddress: Operation = { method: 'GET', url: '/callback', access: 'browser', handle: callback };
export const callbackByForm: Operation = {
  method: 'POST',
  url: '/callback',
  access: 'browser',
  bodyBytesMax: 65_536,
  handle: callback,
};

async function arrive(call: Call, flow: ProviderFlow, given: URLSearchParams): Promise<OperationReply | AuthError> {
  const provider = call.settings.oidcProviders.find(({ name }) => name === flow.provider);
  if (provider === undefined) {
    return new AuthError(400, 'oauth_provider_not_supported', 'This provider is no longer enabled');
  }
  const refused = given.get('error');
  if (refused !== null) {
    const why = textClaim(given.get('error_description')) ?? textClaim(refused) ?? 'The provider refused';
    return new AuthError(refused === 'access_denied' ? 403 : 400, 'bad_oauth_callback', why);
  }
  const exchanged = await exchange(call, provider, flow, given);
  if (exchanged instanceof AuthError) return exchanged;
  const { assertion, tokens } = exchanged;

  const details = { method: 'oauth', provider: assertion.provider } as const;
  const outcome = await decideAccount(call, 'auth: back from a provider', async (tx) => {
    const account =
      flow.linking === null
        ? await accountOfAssertion(tx, call, {
            assertion,
            redirectTo: flow.redirectTo,
            challenge: flow.codeChallenge,
            invitedUserId: flow.invitedUserId,
          })
        : await linkIdentity(tx, call, flow.linking.userId, assertion);
    if (account instanceof AuthError) return account;
    await audit(tx, call.origin, 'login', account.id, details);
    if (flow.codeChallenge === null)
      return openSession(tx, call, account.id, 'oauth', { provider: assertion.provider });
    return issueAuthCode(tx, call, {
      userId: account.id,
      challenge: flow.codeChallenge,
      ...details,
      providerTokens: tokens,
    });
  });
  if (outcome instanceof AuthError) return outcome;
  return typeof outcome === 'string'
    ? withCode(flow.redirectTo, outcome)
    : withSession(flow.redirectTo, await sessionObject(call, outcome), tokens);
}

/** The provider's claims about the person, fetched directly by this server for the code that they brought. */
async function exchange(
  call: Call,
  provider: OidcProvider,
  flow: ProviderFlow,
  given: URLSearchParams,
): Promise<{ readonly assertion: Assertion; readonly tokens: ProviderTokens } | AuthError> {
  if ((given.get('code') ?? '') === '') {
    return new AuthError(400, 'bad_oauth_callback', 'OAuth callback with no code');
  }
  const { configuration } = await openProvider(call, provider);
  const address = new URL(callbackUrl(call));
  for (const name of ['code', 'state', 'iss']) {
    const value = given.get(name);
    if (value !== null) address.searchParams.set(name, value);
  }
  try {
    const answer = await openid.authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: flowSecret(flow, 'verifier'),
      expectedNonce: flowSecret(flow, 'nonce'),
      expectedState: given.get('state') ?? '',
    });
    const claims = answer.claims();
    if (claims === undefined) throw new Error('The provider gave no identity token');
    requireTenant(provider, claims);
    const more =
      claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        ? await openid.fetchUserInfo(configuration, answer.access_token, claims.sub)
        : {};
    const assertion = assertionOfClaims(provider, { ...more, ...nameOfForm(given), ...claims });
    return {
      assertion,
      tokens: {
        accessToken: answer.access_token,
        ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
      },
    };
  } catch (error) {
    if (error instanceof AuthError) throw error;
    call.services.log.warn({ err: error, provider: provider.name }, 'A provider did not confirm a sign-in');
    return error instanceof IdTokenRefused
      ? new AuthError(403, 'bad_oauth_callback', error.message)
      : new AuthError(500, 'unexpected_failure', 'Unable to exchange external code');
  }
}

/** The parameters of the return, in the address or in a form. */
function returned({ request }: Call): URLSearchParams {
  const source: unknown = request.method === 'POST' ? request.body : request.query;
  const values = new URLSearchParams();
  if (typeof source !== 'object' || source === null) return values;
  for (const [name, value] of Object.entries(source)) if (typeof value === 'string') values.set(name, value);
  return values;
}

/** Apple gives a person's name once, beside the token, unsigned: it serves as a display name alone. */
function nameOfForm(given: URLSearchParams): Readonly<Record<string, string>> {
  try {
    const user: unknown = JSON.parse(given.get('user') ?? '{}');
    if (typeof user !== 'object' || user === null || !('name' in user)) return {};
    const { name } = user;
    if (typeof name !== 'object' || name === null) return {};
    const parts = ['firstName', 'lastName']
      .map((key) => textClaim(Reflect.get(name, key)))
      .filter((part) => part !== null);
    return parts.length === 0 ? {} : { name: parts.join(' ') };
  } catch {
    return {};
  }
}
