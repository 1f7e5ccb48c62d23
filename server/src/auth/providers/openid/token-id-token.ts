import { z } from 'zod';

import { audit } from '../../protocol/audit.ts';
import { AuthError } from '../../protocol/errors.ts';
import { takeNetworkToken } from '../../protocol/network-limit.ts';
import type { OperationReply, Call } from '../../protocol/operation.ts';
import { parseBody } from '../../protocol/request.ts';
import { requireAal } from '../../sessions/aal.ts';
import { requireSession } from '../../sessions/caller.ts';
import { sessionObject } from '../../sessions/session-answer.ts';
import { openSession } from '../../sessions/session.ts';
import { accountOfAssertion, decideAccount } from '../account-of-assertion.ts';
import type { Assertion } from '../assertion.ts';
import { linkIdentity } from '../identity.ts';
import { requireManualLinking } from '../link-identity.ts';
import { OAuthRefusal, orOAuthRefusal } from '../oauth-refusal.ts';
import { IdTokenRefused, readIdToken } from './id-token.ts';
import { assertionOfClaims } from './openid-assertion.ts';

const body = z.looseObject({
  provider: z.string().max(100).default(''),
  id_token: z.string().default(''),
  access_token: z.string().default(''),
  nonce: z.string().default(''),
  link_identity: z.boolean().default(false),
  client_id: z.string().default(''),
  issuer: z.string().default(''),
});

/**
 * POST /token?grant_type=id_token (AU-05): signs in with an identity token that the application got from a provider, or
 * adds that identity to the account of the signed-in person.
 */
export async function idTokenGrant(call: Call): Promise<OperationReply> {
  await takeNetworkToken(call, { name: 'id-token', capacity: 150, perSeconds: 300 });
  return orOAuthRefusal(async () => {
    const given = parseBody(call.request, body);
    // The configuration alone decides which issuer is trusted.
    if (given.issuer !== '' || given.client_id !== '') {
      throw new OAuthRefusal('invalid_request', 'invalid request: client_id and issuer are not accepted');
    }
    const provider = call.settings.oidcProviders.find(({ name }) => name === given.provider);
    if (provider === undefined) {
      throw new OAuthRefusal(
        'invalid_request',
        `Provider (${given.provider.replaceAll(/[^\w:.-]/gu, '')}) is not enabled`,
      );
    }
    if (given.id_token === '') throw new OAuthRefusal('invalid_request', 'id_token required');
    // Before the token is read: a stranger's token must not reveal a session.
    const session = given.link_identity ? await requireSession(call) : null;
    if (session !== null) {
      requireManualLinking(call.settings);
      requireAal(session, 403);
    }
    const assertion = await assertionOf(call, provider, given);

    const opened = await decideAccount(call, 'auth: identity token', async (tx) => {
      if (session !== null) {
        const account = await linkIdentity(tx, call, session.account.id, assertion);
        return openSession(tx, call, account.id, 'oauth', { provider: assertion.provider });
      }
      const account = await accountOfAssertion(tx, call, { assertion, redirectTo: `${call.settings.siteUrl}/` });
      if (account instanceof AuthError) return account;
      await audit(tx, call.origin, 'login', account.id, { method: 'oauth', provider: assertion.provider });
      return openSession(tx, call, account.id, 'oauth', { provider: assertion.provider });
    });
    if (opened instanceof AuthError) throw opened;
    return { body: await sessionObject(call, opened) };
  });
}

async function assertionOf(
  call: Call,
  provider: Parameters<typeof readIdToken>[1],
  given: z.output<typeof body>,
): Promise<Assertion> {
  try {
    const claims = await readIdToken(call, provider, {
      idToken: given.id_token,
      accessToken: given.access_token,
      nonce: given.nonce,
    });
    return assertionOfClaims(provider, claims);
  } catch (error) {
    if (error instanceof IdTokenRefused) throw new OAuthRefusal('invalid_request', error.message);
    throw error;
  }
}
