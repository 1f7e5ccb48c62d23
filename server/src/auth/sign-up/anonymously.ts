import { randomUUID } from 'node:crypto';

import { createAccount } from '../accounts/create-account.ts';
import { fullNameFrom, requireBoundedMetadata } from '../accounts/identity-fields.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError } from '../protocol/errors.ts';
import { takeNetworkToken } from '../protocol/network-limit.ts';
import type { Call } from '../protocol/operation.ts';
import { openSession } from '../sessions/session.ts';
import type { OpenSession } from '../sessions/session.ts';

const ANONYMOUS_LIMIT = { name: 'anonymous', capacity: 30, perSeconds: 3600 };

/**
 * An anonymous client (AU-01), without address, number or rights over anything; the cleanup removes it after a month.
 * @throws AuthError anonymous_provider_disabled, validation_failed, over_request_rate_limit
 */
export async function signUpAnonymously(call: Call, data: Readonly<Record<string, unknown>>): Promise<OpenSession> {
  if (!call.settings.isAnonymousAllowed) {
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
  }
  requireBoundedMetadata(data, call);
  await takeNetworkToken(call, ANONYMOUS_LIMIT);
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
