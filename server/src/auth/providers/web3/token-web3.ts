import { z } from 'zod';

import { isSafeUrl } from '#platform/identity-providers';
import type { Web3Chain } from '#platform/identity-providers';

import { audit } from '../../protocol/audit.ts';
import { AuthError, validationFailed } from '../../protocol/errors.ts';
import { takeNetworkToken } from '../../protocol/network-limit.ts';
import type { OperationReply, Call } from '../../protocol/operation.ts';
import { redirectTarget } from '../../protocol/redirect.ts';
import { parseBody } from '../../protocol/request.ts';
import { sessionObject } from '../../sessions/session-answer.ts';
import { openSession } from '../../sessions/session.ts';
import { accountOfAssertion, decideAccount } from '../account-of-assertion.ts';
import { textClaim } from '../assertion.ts';
import type { Assertion } from '../assertion.ts';
import { OAuthRefusal, orOAuthRefusal } from '../oauth-refusal.ts';
import { isFirstUse } from '../used-proof.ts';
import { parseWeb3Message } from './web3-message.ts';
import type { Web3Message } from './web3-message.ts';

const body = z.looseObject({
  chain: z.string().max(50).default(''),
  message: z.string().default(''),
  signature: z.string().max(1000).default(''),
});

const MESSAGE_BYTES_MIN = 64;
const MESSAGE_BYTES_MAX = 20_480;
/** The age that a message may have, and how far in the future it may be dated. */
const VALIDITY_MS = 600_000;

/**
 * POST /token?grant_type=web3 (AU-06): signs in with a message that a wallet signed for this site, once, while it is fresh.
 */
export async function web3Grant(call: Call): Promise<OperationReply> {
  if (call.settings.web3Chains.length === 0) {
    throw new AuthError(422, 'web3_provider_disabled', 'Web3 provider is disabled');
  }
  await takeNetworkToken(call, { name: 'web3', capacity: 30, perSeconds: 300 });
  return orOAuthRefusal(async () => {
    const given = parseBody(call.request, body);
    const chain = call.settings.web3Chains.find((enabled) => enabled === given.chain);
    if (chain === undefined) throw new AuthError(400, 'web3_unsupported_chain', 'Unsupported chain');
    const bytes = Buffer.byteLength(given.message);
    if (bytes < MESSAGE_BYTES_MIN) throw validationFailed('message is too short');
    if (bytes > MESSAGE_BYTES_MAX) throw validationFailed('message must not exceed 20KB');

    const message = parseWeb3Message(chain, given.message);
    if (message === null) throw refusal('Message is not a sign-in message of this chain');
    requireForThisSite(call, message);
    requireFresh(message, call.services.clock.now());
    // The curves are loaded at the first wallet sign-in, and nowhere else.
    const { isSignedBy } = await import('./web3-signature.ts');
    if (!isSignedBy(chain, message.address, given.message, given.signature)) {
      throw refusal('Signature does not match address in message');
    }

    const assertion = assertionOfMessage(chain, message);
    const opened = await decideAccount(call, 'auth: signed message', async (tx) => {
      // Replay: remembered by the message, since one message can be signed in more than one way.
      const lapses = new Date(message.issuedAt.getTime() + 2 * VALIDITY_MS);
      if (!(await isFirstUse(tx, `${assertion.subject}\n${given.message}`, lapses))) {
        throw refusal('Message was already used');
      }
      const account = await accountOfAssertion(tx, call, { assertion, redirectTo: `${call.settings.siteUrl}/` });
      if (account instanceof AuthError) throw account;
      await audit(tx, call.origin, 'login', account.id, { method: 'web3', provider: chain });
      return openSession(tx, call, account.id, 'web3', { provider: 'web3' });
    });
    return { body: await sessionObject(call, opened) };
  });
}

/** Phishing: a message signed for another site, shown here by its operator, does not sign in. */
function requireForThisSite({ settings }: Call, { uri, domain, version }: Web3Message): void {
  if (version !== '1') throw refusal('Message version is not supported');
  const url = URL.parse(uri);
  if (url === null || !isSafeUrl(uri)) throw refusal('URI is not https');
  if (redirectTarget(uri, settings) !== url.href) throw refusal('URI is not allowed on this server');
  if (domain.toLowerCase() !== url.host) throw refusal('Domain does not match the URI');
}

function requireFresh({ issuedAt, expiresAt, notBefore }: Web3Message, now: Date): void {
  if (Math.abs(now.getTime() - issuedAt.getTime()) > VALIDITY_MS) {
    throw refusal('Message was issued too long ago or is in the future');
  }
  if (expiresAt !== null && expiresAt <= now) throw refusal('Message has expired');
  if (notBefore !== null && notBefore > now) throw refusal('Message is not valid yet');
}

function assertionOfMessage(chain: Web3Chain, message: Web3Message): Assertion {
  const address = chain === 'ethereum' ? message.address.toLowerCase() : message.address;
  const subject = `web3:${chain}:${address}`;
  const statement = textClaim(message.statement);
  return {
    provider: 'web3',
    subject,
    email: null,
    isEmailVerified: false,
    isSso: false,
    fullName: `${address.slice(0, 6)}…${address.slice(-4)}`,
    data: {
      sub: subject,
      custom_claims: {
        address,
        chain,
        ...(message.chainId === null ? {} : { network: message.chainId.slice(0, 100) }),
        domain: message.domain.slice(0, 255),
        ...(statement === null ? {} : { statement }),
      },
      email_verified: false,
      phone_verified: false,
    },
  };
}

function refusal(description: string): OAuthRefusal {
  return new OAuthRefusal('invalid_grant', description);
}
