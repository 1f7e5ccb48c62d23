import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';

import type { SamlProvider } from '#platform/identity-providers';

import { challengeFields, challengeOf, issueAuthCode } from '../../codes/pkce-code.ts';
import { audit } from '../../protocol/audit.ts';
import { AuthError, validationFailed } from '../../protocol/errors.ts';
import type { OperationReply, Call, Operation } from '../../protocol/operation.ts';
import { redirectTarget } from '../../protocol/redirect.ts';
import { isUuid, parseBody } from '../../protocol/request.ts';
import type { AuthSettings } from '../../protocol/settings.ts';
import { sessionObject } from '../../sessions/session-answer.ts';
import { openSession } from '../../sessions/session.ts';
import { accountOfAssertion, decideAccount } from '../account-of-assertion.ts';
import { beginProviderFlow, flowSecret, takeProviderFlow } from '../provider-flow.ts';
import type { ProviderFlow } from '../provider-flow.ts';
import { redirect, withCode, withError, withSession } from '../redirects.ts';
import { isFirstUse } from '../used-proof.ts';
import { readSamlResponse, samlMetadata, SamlRefused, samlRequestUrl } from './saml-service.ts';

const body = z.looseObject({
  provider_id: z.string().max(100).default(''),
  domain: z.string().max(300).default(''),
  redirect_to: z.string().default(''),
  skip_http_redirect: z.boolean().default(false),
  ...challengeFields,
});

/**
 * POST /sso (AU-11): the address where a person signs in at their company's own service, by its id or by their address's
 * domain.
 */
export const sso: Operation = {
  method: 'POST',
  url: '/sso',
  access: 'public',
  limit: { name: 'sso', capacity: 150, perSeconds: 300 },
  isForPeople: true,
  async handle(call) {
    const { settings } = call;
    requireSaml(settings);
    const given = parseBody(call.request, body);
    const provider = providerAsked(settings, given);
    const codeChallenge = challengeOf(given);
    const request = { id: `_${randomBytes(20).toString('hex')}`, at: new Date().toISOString() };
    const relayState = await beginProviderFlow(
      call,
      {
        provider: `sso:${provider.id}`,
        redirectTo: redirectTarget(given.redirect_to === '' ? null : given.redirect_to, settings),
        codeChallenge,
        linking: null,
        invitedUserId: null,
        secrets: { requestId: request.id, requestedAt: request.at },
      },
      randomUUID(),
    );
    const url = await samlRequestUrl(settings, provider, { ...request, relayState });
    return given.skip_http_redirect ? { body: { url } } : redirect(303, new URL(url));
  },
};

/** GET /sso/saml/metadata: this service's metadata, for the company's service. */
export const ssoMetadata: Operation = {
  method: 'GET',
  url: '/sso/saml/metadata',
  access: 'browser',
  async handle({ settings }) {
    requireSaml(settings);
    return {
      body: samlMetadata(settings),
      headers: { 'content-type': 'application/samlmetadata+xml; charset=utf-8' },
    };
  },
};

const form = z.looseObject({ SAMLResponse: z.string().default(''), RelayState: z.string().default('') });

/**
 * POST /sso/saml/acs (AU-11): the browser brings the signed response of the company's service, and is led on to the
 * application.
 */
export const ssoReturn: Operation = {
  method: 'POST',
  url: '/sso/saml/acs',
  bodyBytesMax: 1_048_576,
  access: 'browser',
  limit: { name: 'saml', capacity: 150, perSeconds: 300 },
  async handle(call) {
    requireSaml(call.settings);
    const given = parseBody(call.request, form);
    if (given.SAMLResponse === '') throw validationFailed('SAMLResponse is missing');
    const flow = await flowOf(call, given.RelayState);
    try {
      return await arrive(call, flow, given.SAMLResponse);
    } catch (error) {
      if (error instanceof AuthError) return withError(flow.redirectTo, error);
      if (!(error instanceof SamlRefused)) throw error;
      call.services.log.warn({ err: error, provider: flow.provider }, 'An answer of a SAML service was refused');
      return withError(flow.redirectTo, validationFailed('SAML Assertion is not valid'));
    }
  },
};

/** @throws AuthError saml_provider_disabled, before anything else is looked at */
function requireSaml({ samlProviders }: AuthSettings): void {
  if (samlProviders.length === 0) throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
}

function providerAsked(
  { samlProviders }: AuthSettings,
  { provider_id: id, domain }: { readonly provider_id: string; readonly domain: string },
): SamlProvider {
  if (id !== '' && domain !== '') throw validationFailed('Only one of provider_id or domain supported');
  if (id === '' && domain === '') throw validationFailed('A provider_id or domain needs to be provided');
  if (id !== '' && !isUuid(id)) throw validationFailed('provider_id must be a UUID');
  const provider = samlProviders.find((known) =>
    id === '' ? known.domains.includes(domain.trim().toLowerCase()) : known.id === id.toLowerCase(),
  );
  if (provider === undefined) {
    throw new AuthError(
      404,
      'sso_provider_not_found',
      id === '' ? 'No SSO provider assigned for this domain' : 'No such SSO provider',
    );
  }
  if (provider.isDisabled) throw new AuthError(404, 'sso_provider_disabled', 'SSO provider is disabled');
  return provider;
}

async function flowOf(call: Call, relayState: string): Promise<ProviderFlow> {
  const notFound = new AuthError(
    404,
    'saml_relay_state_not_found',
    'SAML RelayState does not exist, try logging in again?',
  );
  if (!isUuid(relayState)) throw notFound;
  const back = await takeProviderFlow(call, relayState.toLowerCase());
  switch (back.kind) {
    case 'flow':
      if (!back.flow.provider.startsWith('sso:')) throw notFound;
      return back.flow;
    case 'expired':
      throw new AuthError(422, 'saml_relay_state_expired', 'SAML RelayState has expired, try logging in again?');
    case 'used':
    case 'unknown':
      throw notFound;
  }
}

async function arrive(call: Call, flow: ProviderFlow, response: string): Promise<OperationReply> {
  const { settings } = call;
  const provider = settings.samlProviders.find(({ id }) => `sso:${id}` === flow.provider);
  if (provider === undefined || provider.isDisabled) {
    throw new AuthError(404, 'saml_idp_not_found', 'SAML Assertion does not come from a known provider');
  }
  const answer = await readSamlResponse(settings, provider, response, {
    id: flowSecret(flow, 'requestId'),
    at: flowSecret(flow, 'requestedAt'),
  });
  const { subject, email, sessionNotAfter } = answer;
  if (subject === null) {
    throw new AuthError(
      400,
      'saml_assertion_no_user_id',
      'SAML Assertion did not contain a persistent Subject Identifier',
    );
  }
  if (email === null) {
    throw new AuthError(400, 'saml_assertion_no_email', 'SAML Assertion does not contain an email address');
  }
  if (sessionNotAfter !== null && sessionNotAfter <= call.services.clock.now()) {
    throw new SamlRefused('The session at the company is over');
  }
  const assertion = answer.assertion({ subject, email });

  const details = {
    provider: assertion.provider,
    ...(sessionNotAfter === null ? {} : { notAfter: sessionNotAfter }),
  };
  const outcome = await decideAccount(call, 'auth: back from a company’s service', async (tx) => {
    if (!(await isFirstUse(tx, `saml:${provider.id}:${answer.id}`, answer.lapsesAt))) {
      throw new SamlRefused('The assertion was used before');
    }
    const account = await accountOfAssertion(tx, call, { assertion, redirectTo: flow.redirectTo });
    if (account instanceof AuthError) throw account;
    await audit(tx, call.origin, 'login', account.id, { method: 'sso/saml', provider: assertion.provider });
    if (flow.codeChallenge === null) return openSession(tx, call, account.id, 'sso/saml', details);
    return issueAuthCode(tx, call, {
      userId: account.id,
      challenge: flow.codeChallenge,
      method: 'sso/saml',
      ...details,
    });
  });
  return typeof outcome === 'string'
    ? withCode(flow.redirectTo, outcome)
    : withSession(flow.redirectTo, await sessionObject(call, outcome), null);
}
