import type { Transaction } from '#platform/database';
import { isDatabaseError } from '#platform/errors';

import { clearOneTimeTokens } from '../codes/one-time-token.ts';
import { existingAccount } from '../protocol/account.ts';
import type { Account, IdentityRow } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, invalidPathId } from '../protocol/errors.ts';
import type { Operation } from '../protocol/operation.ts';
import { isUuid, pathValue } from '../protocol/request.ts';
import { requireAal } from '../sessions/aal.ts';
import { identityNotice } from './identity.ts';
import { requireManualLinking } from './link-identity.ts';

/**
 * DELETE /user/identities/{identity_id} (AU-16): removes a way to sign in, never the last one. The sessions it opened
 * elsewhere end, and the account's address becomes one of a remaining identity.
 */
export const unlinkIdentity: Operation = {
  method: 'DELETE',
  url: '/user/identities/:identityId',
  access: 'session',
  limit: { name: 'user', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const { session, settings, request } = call;
    requireManualLinking(settings);
    const identityId = pathValue(request, 'identityId');
    if (!isUuid(identityId)) throw invalidPathId('identity_id');
    requireAal(session, 403);

    try {
      await call.db.asService('auth: unlink identity', async (tx) => {
        // Race: of two simultaneous removals, the second sees the first: one identity is always left.
        await tx.query('select from auth.users where id = $1 for no key update', [session.account.id]);
        const account = await existingAccount(tx, session.account.id);
        const removed = removable(account, identityId);
        await tx.query('delete from auth.identities where id = $1 and user_id = $2', [identityId, account.id]);
        await removeItsWays(tx, account, removed, session.id);
        await takeRemainingAddress(tx, account, removed);
        await clearOneTimeTokens(tx, account.id);
        await audit(tx, call.origin, 'identity_unlinked', account.id, { provider: removed.provider });
        await identityNotice(tx, call, account.email, { provider: removed.provider, isAdded: false });
      });
    } catch (error) {
      if (!isDatabaseError(error) || error.code !== '23505') throw error;
      throw new AuthError(
        422,
        'email_conflict_identity_not_deletable',
        'Unable to unlink identity due to email conflict',
      );
    }
    return { body: {} };
  },
};

function removable(account: Account, identityId: string): IdentityRow {
  if (account.identities.length < 2) {
    throw new AuthError(422, 'single_identity_not_deletable', 'User must have at least 1 identity after unlinking');
  }
  const identity = account.identities.find(({ identity_id: id }) => id === identityId.toLowerCase());
  if (identity === undefined) throw new AuthError(422, 'identity_not_found', "Identity doesn't exist");
  return identity;
}

/** The sign-in methods by an address or a number, which name no provider. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  email: ['password', 'otp', 'magiclink', 'recovery'],
  phone: ['otp'],
};

/** Revokes all that the identity opened: its sessions, the password of an address, the number of a telephone. */
async function removeItsWays(
  tx: Transaction,
  account: Account,
  { provider }: IdentityRow,
  sessionId: string,
): Promise<void> {
  const methods = WAYS[provider] ?? [];
  await tx.query(
    `delete from auth.sessions s using auth.session_methods m
     where m.session_id = s.id and s.user_id = $1 and s.id <> $2 and (m.provider = $3 or m.method = any($4))`,
    [account.id, sessionId, provider, [...methods]],
  );
  if (provider === 'email') {
    await tx.query(
      `update auth.users set encrypted_password = null, temporary_password_until = null, password_change_required = false
       where id = $1`,
      [account.id],
    );
  }
  if (provider === 'phone') {
    await tx.query('update auth.users set phone = null, phone_confirmed_at = null where id = $1', [account.id]);
  }
}

/**
 * The account's address is one that an identity of it holds: where its own went, one that its provider verified, else none.
 * An address that anybody could claim stays free for its owner, who would else find an account with other people's ways in.
 */
async function takeRemainingAddress(tx: Transaction, account: Account, removed: IdentityRow): Promise<void> {
  const remaining = account.identities.filter((identity) => identity !== removed && identity.email !== null);
  if (account.email === null || remaining.some(({ email }) => email === account.email)) return;
  const email = remaining.find(isVerified)?.email ?? null;
  await tx.query(
    `with changed as (
       update auth.users set email = $2, email_confirmed_at = case when $2::text is not null then coalesce(email_confirmed_at, now()) end,
         new_email = null, email_change_sent_at = null, updated_at = now() where id = $1
     )
     update public.profiles set email = coalesce($2, ''), updated_at = now() where id = $1`,
    [account.id, email],
  );
}

function isVerified({ identity_data: data }: IdentityRow): boolean {
  return data['email_verified'] === true;
}
