import type { Transaction } from '#platform/database';

import { accountByEmail, accountById } from './account.ts';
import type { Account } from './account.ts';
import { audit } from './audit.ts';
import { AuthError, tokenExpired } from './errors.ts';
import { clearOneTimeTokens, consumeCode, consumeLinkToken } from './one-time-token.ts';
import type { TokenKind } from './one-time-token.ts';
import type { Scope } from './operation.ts';
import { openSession } from './session.ts';
import type { OpenSession } from './session.ts';

/** Which kinds of token each type of the protocol may use up. The types that no mail of ours carries use up none. */
const KINDS: Readonly<Record<string, readonly TokenKind[]>> = {
  signup: ['confirmation'],
  invite: ['confirmation'],
  recovery: ['recovery'],
  magiclink: ['recovery'],
  email: ['confirmation', 'recovery'],
  email_change: [],
  sms: [],
  phone_change: [],
};

export function isVerifyType(type: string): boolean {
  return Object.hasOwn(KINDS, type);
}

export type Proof =
  | { readonly type: string; readonly link: string }
  | { readonly type: string; readonly email: string; readonly code: string };

/**
 * Exchanges a link or a code for a session (AU-08), once. A new account is confirmed by it.
 * @throws AuthError otp_expired in every case of a token that is not good, user_banned
 */
export async function verifyToken(scope: Scope, proof: Proof): Promise<OpenSession> {
  const outcome = await scope.db.asService('auth: verify', (tx) => verify(tx, scope, proof));
  if (outcome instanceof AuthError) throw outcome;
  return outcome;
}

/** What is refused is given back, not thrown: the count of wrong codes must be committed. */
async function verify(tx: Transaction, scope: Scope, proof: Proof): Promise<OpenSession | AuthError> {
  const account = await consume(tx, scope, proof);
  if (account === null) return tokenExpired();
  if (account.is_barred) return new AuthError(403, 'user_banned', 'User is banned');
  if (account.email_confirmed_at === null) await confirmEmail(tx, account.id);
  await audit(tx, scope.origin, 'verified', account.id, { type: proof.type });
  return openSession(tx, scope, account.id, 'otp');
}

async function consume(tx: Transaction, scope: Scope, proof: Proof): Promise<Account | null> {
  const kinds = KINDS[proof.type] ?? [];
  if (kinds.length === 0) return null;
  if ('link' in proof) {
    const consumed = await consumeLinkToken(tx, scope, kinds, proof.link);
    return consumed === null ? null : accountById(tx, consumed.userId);
  }
  const account = await accountByEmail(tx, proof.email);
  if (account === null) return null;
  const consumed = await consumeCode(tx, scope, kinds, account.id, proof.code);
  return consumed === null ? null : account;
}

/** The address is its owner's. Whatever else was pending for the account is void. */
export async function confirmEmail(tx: Transaction, userId: string): Promise<void> {
  await tx.query(
    `with confirmed as (
       update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now()), updated_at = now(),
         raw_user_meta_data = raw_user_meta_data || '{"email_verified": true}'
       where id = $1
     )
     update auth.identities set identity_data = identity_data || '{"email_verified": true}', updated_at = now()
     where user_id = $1 and provider = 'email'`,
    [userId],
  );
  await clearOneTimeTokens(tx, userId);
}
