import type { Transaction } from '#platform/database';

import type { Account } from '../protocol/account.ts';
import { endSessions } from '../sessions/session.ts';
import { clearOneTimeTokens } from './one-time-token.ts';

/**
 * True once the account's maker has shown that its address is theirs: by a mailed link or code, by an invitation, or
 * through a provider. Where accounts are confirmed without a mail, being confirmed shows nothing, and neither does an
 * unanswered mail.
 */
export async function isAddressProven(tx: Transaction, account: Account): Promise<boolean> {
  if (account.email_confirmed_at === null) return false;
  if (account.invited_at !== null) return true;
  const { rows } = await tx.query<{ is_proven: boolean }>(
    `select exists (select from auth.audit_entries e where e.user_id = $1 and (e.action = 'user_created'
         or e.action = 'verified' and coalesce(e.detail ->> 'type', '') not in ('sms', 'phone_change')))
       or exists (select from auth.identities i where i.user_id = $1 and i.email = $2 and i.provider <> 'email'
         and i.identity_data ->> 'email_verified' = 'true') as is_proven`,
    [account.id, account.email],
  );
  return rows[0]?.is_proven === true;
}

/** True for an account opened by a registration, where anybody can write any address. */
export async function isSelfRegistered(tx: Transaction, userId: string): Promise<boolean> {
  const { rows } = await tx.query(
    `select from auth.audit_entries e where e.user_id = $1 and e.action in ('signup', 'signup_anonymous') limit 1`,
    [userId],
  );
  return rows.length > 0;
}

/**
 * Gives an account back to the proven owner of its address. Anybody who made the account in their name loses every way in
 * that they left themselves: the password, passkeys, a number, sessions, pending links, identities of their own.
 * @param proven the identity by which the owner came
 */
export async function handOverToOwner(
  tx: Transaction,
  account: Account,
  proven: { readonly provider: string; readonly subject: string },
): Promise<void> {
  await tx.query(
    // The company wrote the number of an invited person: it stays.
    `update auth.users set encrypted_password = null, temporary_password_until = null, password_change_required = false,
       email_confirmed_at = coalesce(email_confirmed_at, now()), new_email = null, email_change_sent_at = null,
       new_phone = null, phone_change_sent_at = null,
       phone = case when phone_confirmed_at is not null and invited_at is not null then phone end,
       phone_confirmed_at = case when invited_at is not null then phone_confirmed_at end, updated_at = now() where id = $1`,
    [account.id],
  );
  await tx.query(
    `delete from auth.identities where user_id = $1 and not (provider = $2 and provider_id = $3)
       and not (provider = 'phone' and exists (select from auth.users u where u.id = $1 and u.phone is not null))`,
    [account.id, proven.provider, proven.subject],
  );
  await tx.query('delete from auth.webauthn_credentials where user_id = $1 and factor_id is null', [account.id]);
  await clearOneTimeTokens(tx, account.id);
  await endSessions(tx, account.id, 'all');
}
