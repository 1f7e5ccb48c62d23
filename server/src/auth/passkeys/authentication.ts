import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { accountById } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, notConfirmed, userBanned } from '../protocol/errors.ts';
import type { Operation, Scope } from '../protocol/operation.ts';
import { parseBody } from '../protocol/request.ts';
import { sessionObject } from '../sessions/session-answer.ts';
import { openSession } from '../sessions/session.ts';
import type { OpenSession } from '../sessions/session.ts';
import { lockCredential, noteUse } from '../webauthn/credentials.ts';
import { claimedCredential, requestOptions, signCountOf } from '../webauthn/webauthn.ts';
import { consumeChallenge, insertChallenge, verificationFailed } from './passkey.ts';

/** POST /passkeys/authentication/options: the same for everybody, known or not. */
export const passkeyAuthenticationOptions: Operation = {
  method: 'POST',
  url: '/passkeys/authentication/options',
  access: 'public',
  limit: { name: 'passkey-options', capacity: 30, perSeconds: 300 },
  isForPeople: true,
  async handle(call) {
    parseBody(call.request, z.looseObject({}));
    const options = await requestOptions(call, 'passkey');
    const challenge = await call.db.asService('auth: passkey sign-in', (tx) =>
      insertChallenge(tx, call, { kind: 'passkey_authentication', userId: null, text: options.challenge }),
    );
    return { body: { ...challenge, options } };
  },
};

const answer = z.looseObject({ challenge_id: z.string().default(''), credential: z.unknown() });

/**
 * POST /passkeys/authentication/verify: a session, opened by a passkey that verified its user. It is of the first level: a
 * second factor is still asked for (decision 0009).
 */
export const passkeyAuthentication: Operation = {
  method: 'POST',
  url: '/passkeys/authentication/verify',
  access: 'public',
  limit: { name: 'passkey-verify', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const given = parseBody(call.request, answer);
    const challenge = await consumeChallenge(call, {
      kind: 'passkey_authentication',
      userId: null,
      id: given.challenge_id,
    });
    const session = await call.db.asService('auth: passkey sign-in', (tx) =>
      signIn(tx, call, given.credential, challenge),
    );
    if (session instanceof AuthError) throw session;
    return { body: await sessionObject(call, session) };
  },
};

/**
 * An unknown passkey and a wrong signature get the same answer; the second is returned, not thrown, so that its audit entry
 * is committed.
 */
async function signIn(
  tx: Transaction,
  scope: Scope,
  given: unknown,
  challenge: string,
): Promise<OpenSession | AuthError> {
  const claimed = claimedCredential(given);
  const credential = claimed === null ? null : await lockCredential(tx, claimed.id);
  // The authenticator names the owner: key and person must belong together, and the key of a second factor does not sign
  // in.
  if (credential === null || credential.factor_id !== null || claimed?.userId !== credential.user_id) {
    throw verificationFailed();
  }
  const use = await signCountOf(scope, given, challenge, 'passkey', credential);
  if (use === null) {
    await audit(tx, scope.origin, 'passkey_refused', credential.user_id, { passkey: credential.id });
    return verificationFailed();
  }
  const account = await accountById(tx, credential.user_id);
  if (account === null) throw verificationFailed();
  if (account.is_barred) throw userBanned(400);
  if (account.email_confirmed_at === null && account.phone_confirmed_at === null && account.email !== null) {
    throw notConfirmed(400, 'email');
  }
  await noteUse(tx, credential.id, use);
  await audit(tx, scope.origin, 'login', account.id, { method: 'passkey', passkey: credential.id });
  return openSession(tx, scope, account.id, 'passkey');
}
