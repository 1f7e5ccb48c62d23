import type { Transaction } from '#platform/database';

import { accountById } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, tokenExpired, userBanned } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { openSession } from '../sessions/session.ts';
import type { OpenSession, SignInMethod } from '../sessions/session.ts';
import { handOverToOwner, isAddressProven, isSelfRegistered } from './address-ownership.ts';
import { applyEmailChange, applyPhoneChange } from './change-address.ts';
import {
  clearOneTimeTokens,
  consumeCode,
  consumeLinkToken,
  consumeNothing,
  peekLinkToken,
  waitingAt,
} from './one-time-token.ts';
import type { Consumed, TokenKind } from './one-time-token.ts';
import { issueAuthCode } from './pkce-code.ts';

/** The kinds of token that each type of the protocol may use up, and the sign-in method that its link gives. */
const TYPES: Readonly<Record<string, { readonly kinds: readonly TokenKind[]; readonly method: SignInMethod }>> = {
  signup: { kinds: ['confirmation'], method: 'email/signup' },
  invite: { kinds: ['confirmation'], method: 'invite' },
  recovery: { kinds: ['recovery'], method: 'recovery' },
  magiclink: { kinds: ['recovery'], method: 'magiclink' },
  email: { kinds: ['confirmation', 'recovery'], method: 'magiclink' },
  email_change: { kinds: ['email_change_current', 'email_change_new'], method: 'email_change' },
  sms: { kinds: ['confirmation', 'recovery'], method: 'otp' },
  phone_change: { kinds: ['phone_change'], method: 'otp' },
};

export function isVerifyType(type: string): boolean {
  return Object.hasOwn(TYPES, type);
}

/** True while a link is good; the check uses nothing up. */
export async function isLinkLive(tx: Transaction, scope: Scope, type: string, token: string): Promise<boolean> {
  const kinds = isVerifyType(type) && !isOfPhone(type) ? (TYPES[type]?.kinds ?? []) : [];
  return (await peekLinkToken(tx, scope, kinds, token)) !== null;
}

/** A text message holds a code and no link. */
function isOfPhone(type: string): boolean {
  return type === 'sms' || type === 'phone_change';
}

/** True for a session opened to choose a password: its owner knows no current one. */
export function isPasswordFree(method: SignInMethod): boolean {
  return method === 'recovery' || method === 'invite';
}

export type Proof =
  | { readonly type: string; readonly link: string }
  | { readonly type: string; readonly email: string; readonly code: string }
  | { readonly type: string; readonly phone: string; readonly code: string };

export type Verified =
  | { readonly kind: 'session'; readonly session: OpenSession }
  /** The client that asked for the link exchanges this for its session. */
  | { readonly kind: 'code'; readonly code: string }
  /** One of the two addresses of a change has confirmed it. */
  | { readonly kind: 'half' };

/**
 * Uses up a link or a code (AU-08), once: it confirms a new account, a new address or number. `givesCode`: the browser that
 * followed a link gets the session itself only where no client waits with its verifier.
 * @throws AuthError otp_expired for every token that is not good, user_banned, email_exists, phone_exists
 */
export async function verifyToken(
  scope: Scope,
  proof: Proof,
  options: { readonly givesCode: boolean } = { givesCode: false },
): Promise<Verified> {
  const outcome = await scope.db.asService('auth: verify', (tx) => verify(tx, scope, proof, options.givesCode));
  if (outcome instanceof AuthError) throw outcome;
  return outcome;
}

/** A refusal is returned, not thrown, so that the count of wrong codes is committed. */
async function verify(tx: Transaction, scope: Scope, proof: Proof, givesCode: boolean): Promise<Verified | AuthError> {
  const type = isVerifyType(proof.type) ? TYPES[proof.type] : undefined;
  if (type === undefined) return tokenExpired();
  const consumed = await consume(tx, scope, proof, type.kinds);
  const account = consumed === null ? null : await accountById(tx, consumed.userId);
  if (consumed === null || account === null) return tokenExpired();
  if (account.is_barred) return userBanned(403);
  const effect = await confirm(tx, scope, account, consumed, proof);
  if (effect === 'half') return { kind: 'half' };
  if (!isOfPhone(proof.type)) await tx.query('select private.prove_email($1)', [account.id]);
  await audit(tx, scope.origin, 'verified', account.id, { type: proof.type });
  if (givesCode && consumed.challenge !== null) {
    return {
      kind: 'code',
      code: await issueAuthCode(tx, scope, {
        userId: account.id,
        challenge: consumed.challenge,
        method: type.method,
      }),
    };
  }
  const session = await openSession(tx, scope, account.id, 'otp', { isPasswordFree: isPasswordFree(type.method) });
  return { kind: 'session', session };
}

async function consume(
  tx: Transaction,
  scope: Scope,
  proof: Proof,
  kinds: readonly TokenKind[],
): Promise<Consumed | null> {
  if ('link' in proof) {
    return isOfPhone(proof.type) ? null : consumeLinkToken(tx, scope, kinds, proof.link);
  }
  if ('phone' in proof !== isOfPhone(proof.type)) return null;
  const to = 'phone' in proof ? proof.phone : proof.email;
  // A number that is called an address: the code of a text message proves no address.
  if ('email' in proof && !to.includes('@')) return null;
  // Several people may ask for one new address or number: until one of them has it, the code tells which.
  const waiting = await waitingAt(tx, kinds, to);
  if (waiting.length === 0) await consumeNothing(tx, scope, kinds, { to, code: proof.code });
  for (const userId of waiting) {
    const consumed = await consumeCode(tx, scope, kinds, { userId, to, code: proof.code });
    if (consumed !== null) return consumed;
  }
  return null;
}

async function confirm(
  tx: Transaction,
  scope: Scope,
  account: Account,
  consumed: Consumed,
  proof: Proof,
): Promise<'whole' | 'half'> {
  switch (consumed.kind) {
    case 'email_change_current':
    case 'email_change_new':
      return applyEmailChange(tx, scope, account, consumed);
    case 'phone_change':
      await applyPhoneChange(tx, scope, account, consumed.sentTo);
      return 'whole';
    case 'confirmation':
    case 'recovery':
    case 'reauthentication':
      if (proof.type === 'sms') await confirmPhone(tx, account, consumed);
      else if (account.email_confirmed_at === null) {
        // A stranger may have registered this address with their own password: it goes, since this mail was not the one
        // that confirms a registration.
        if (consumed.kind === 'recovery') await replacePassword(tx, account.id, null);
        await confirmEmail(tx, account.id);
      } else if (
        // A confirmed registration keeps its password: the mail asked just for that.
        !(proof.type === 'signup' && consumed.kind === 'confirmation') &&
        (await isSelfRegistered(tx, account.id)) &&
        !(await isAddressProven(tx, account))
      ) {
        // The first answered mail at an address that was confirmed without one.
        await handOverToOwner(tx, account, { provider: 'email', subject: account.id });
        await confirmEmail(tx, account.id);
      }
      return 'whole';
  }
}

/** Replaces the password of an account that is not proven. */
export async function replacePassword(tx: Transaction, userId: string, hash: string | null): Promise<void> {
  await tx.query('update auth.users set encrypted_password = $2, updated_at = now() where id = $1', [userId, hash]);
}

/** Confirms the address and voids all else that was pending for the account. */
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

/** Confirms the number of its owner. */
async function confirmPhone(tx: Transaction, account: Account, { kind }: Consumed): Promise<void> {
  if (account.phone_confirmed_at !== null) return;
  if (kind === 'recovery') await replacePassword(tx, account.id, null);
  await tx.query('select private.change_phone($1, $2)', [account.id, account.phone]);
  await clearOneTimeTokens(tx, account.id);
}
