import { z } from 'zod';

import { exchangeAuthCode } from '../codes/pkce-code.ts';
import { isPasswordFree } from '../codes/verify-token.ts';
import { accountById } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, userBanned, validationFailed } from '../protocol/errors.ts';
import { takeNetworkToken } from '../protocol/network-limit.ts';
import type { OperationReply, Call } from '../protocol/operation.ts';
import { parseBody } from '../protocol/request.ts';
import { sessionObject } from '../sessions/session-answer.ts';
import { openSession } from '../sessions/session.ts';

const body = z.looseObject({ auth_code: z.string().default(''), code_verifier: z.string().default('') });

/** POST /token?grant_type=pkce (AU-04): the code of a link or of a provider, with its verifier, for a session; once. */
export async function pkceGrant(call: Call): Promise<OperationReply> {
  await takeNetworkToken(call, { name: 'pkce', capacity: 150, perSeconds: 300 });
  const { auth_code: code, code_verifier: verifier } = parseBody(call.request, body);
  if (code === '' || verifier === '') {
    throw validationFailed('invalid request: both auth code and code verifier should be non-empty');
  }
  const outcome = await call.db.asService('auth: exchange a code', async (tx) => {
    const flow = await exchangeAuthCode(tx, call, code, verifier);
    if (flow instanceof AuthError) return flow;
    const account = await accountById(tx, flow.userId);
    if (account === null || account.is_barred) return userBanned(403);
    await audit(tx, call.origin, 'login', account.id, { method: flow.method, provider: flow.provider });
    const session = await openSession(tx, call, account.id, flow.method, {
      isPasswordFree: isPasswordFree(flow.method),
      ...(flow.provider === null ? {} : { provider: flow.provider }),
      ...(flow.notAfter === null ? {} : { notAfter: flow.notAfter }),
    });
    return { session, tokens: flow.providerTokens };
  });
  if (outcome instanceof AuthError) throw outcome;
  const { session, tokens } = outcome;
  return {
    body: {
      ...(await sessionObject(call, session)),
      ...(tokens === null ? {} : { provider_token: tokens.accessToken }),
      ...(tokens?.refreshToken === undefined ? {} : { provider_refresh_token: tokens.refreshToken }),
    },
  };
}
