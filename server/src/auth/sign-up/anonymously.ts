import { randomUUID } from 'node:crypto';

import { networkOf } from '#platform/network';

import { createAccount } from '../accounts/create-account.ts';
import { fullNameFrom, requireBoundedMetadata } from '../accounts/identity-fields.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError } from '../protocol/errors.ts';
import type { Call } from '../protocol/operation.ts';
import { openSession } from '../sessions/session.ts';
import type { OpenSession } from '../sessions/session.ts';

const ANONYMOUS_LIMIT = { capacity: 30, perSeconds: 3600 };

/** Somebody who looks around before they have a name: a client without anything, removed after a month. */
export async function signUpAnonymously(call: Call, data: Readonly<Record<string, unknown>>): Promise<OpenSession> {
  if (!call.settings.isAnonymousAllowed) {
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
  }
  requireBoundedMetadata(data, call);
  const wait = await call.services.rateLimit.takeToken(`auth:anonymous:${networkOf(call.origin.ip)}`, ANONYMOUS_LIMIT);
  if (wait > 0) {
    throw new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', { retryAfterSeconds: wait });
  }
  const id = randomUUID();
  return call.db.asService('auth: sign up', async (tx) => {
    await createAccount(tx, {
      id,
      email: null,
      passwordHash: null,
      role: 'client',
      fullName: fullNameFrom(data, ''),
      phone: null,
      isConfirmed: false,
      userMetadata: data,
    });
    await tx.query('update auth.users set is_anonymous = true where id = $1', [id]);
    await audit(tx, call.origin, 'signup_anonymous', id);
    return openSession(tx, call, id, 'anonymous');
  });
}
