import type { Transaction } from '#platform/database';
import { isDatabaseError } from '#platform/errors';

import { isTaken } from '../accounts/create-account.ts';
import { emailChangeMail } from '../messages/mails.ts';
import { tellSecurityChange } from '../messages/security-notices.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { emailExists, phoneExists, tokenExpired, tooSoon } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { requireMailToken } from '../protocol/send-limits.ts';
import { clearOneTimeTokens, issueOneTimeToken, secondsCoolingDown } from './one-time-token.ts';
import type { Consumed } from './one-time-token.ts';

/** Changes of the address and the number by which a person signs in (AU-13): asked for, confirmed, applied. */

/**
 * Asks both addresses to confirm the change, in any order, even where accounts confirm themselves. The address stays the
 * old one until then.
 * @throws AuthError email_exists, over_email_send_rate_limit
 */
export async function requestEmailChange(
  tx: Transaction,
  scope: Scope,
  account: Account,
  change: { readonly email: string; readonly redirectTo: string; readonly challenge: string | null },
): Promise<void> {
  const { email, redirectTo, challenge } = change;
  await requireFreeEmail(tx, account.id, email);
  const wait = await secondsCoolingDown(tx, scope, account.id, 'email_change_new');
  if (wait > 0) throw tooSoon('email', wait);
  const current = account.email ?? '';
  const sides = current === '' ? (['new'] as const) : (['new', 'current'] as const);
  for (const side of sides) {
    await requireMailToken(tx, scope);
    const sentTo = side === 'new' ? email : current;
    const issued = await issueOneTimeToken(tx, scope, {
      userId: account.id,
      kind: `email_change_${side}`,
      sentTo,
      redirectTo,
      challenge,
      needsOther: sides.length > 1,
    });
    await scope.services.mail.enqueue(
      tx,
      await emailChangeMail(tx, scope, sentTo, { issued, redirectTo, newEmail: email, isForNew: side === 'new' }),
    );
  }
  await tx.query(
    'update auth.users set new_email = $2, email_change_sent_at = now(), updated_at = now() where id = $1',
    [account.id, email],
  );
  await audit(tx, scope.origin, 'email_change_requested', account.id);
}

/** Confirms one side: the first leaves the change to the other, the second makes it. */
export async function applyEmailChange(
  tx: Transaction,
  scope: Scope,
  account: Account,
  consumed: Consumed,
): Promise<'whole' | 'half'> {
  if (consumed.needsOther) {
    const other = consumed.kind === 'email_change_new' ? 'email_change_current' : 'email_change_new';
    const { rowCount } = await tx.query(
      `update auth.one_time_tokens set needs_other = false where user_id = $1 and kind = $2 and expires_at > now()`,
      [account.id, other],
    );
    // The other side's token expired: the change must be asked for again.
    if (rowCount === 0) throw tokenExpired();
    await audit(tx, scope.origin, 'email_change_half_confirmed', account.id);
    return 'half';
  }
  const email = account.new_email;
  if (email === null) throw tokenExpired();
  try {
    await tx.query('select private.change_email($1, $2)', [account.id, email]);
  } catch (error) {
    if (isTaken(error)) throw emailExists();
    throw error;
  }
  await clearOneTimeTokens(tx, account.id);
  await audit(tx, scope.origin, 'email_changed', account.id);
  await tellSecurityChange(tx, scope, account, { kind: 'email_changed' });
  return 'whole';
}

/** @throws AuthError phone_exists */
export async function applyPhoneChange(tx: Transaction, scope: Scope, account: Account, phone: string): Promise<void> {
  try {
    await tx.query('select private.change_phone($1, $2)', [account.id, phone]);
  } catch (error) {
    if (isDatabaseError(error) && error.code === '23505') throw phoneExists();
    throw error;
  }
  await clearOneTimeTokens(tx, account.id);
  await audit(tx, scope.origin, 'phone_changed', account.id);
  await tellSecurityChange(tx, scope, account, { kind: account.phone === null ? 'phone_added' : 'phone_changed' });
}

/** @throws AuthError email_exists */
export async function requireFreeEmail(tx: Transaction, userId: string, email: string): Promise<void> {
  const { rows } = await tx.query(
    'select from auth.users where email = $1 and id <> $2 and not is_sso_user and deleted_at is null',
    [email, userId],
  );
  if (rows.length > 0) throw emailExists();
}

/** @throws AuthError phone_exists */
export async function requireFreePhone(tx: Transaction, userId: string, phone: string): Promise<void> {
  const { rows } = await tx.query('select from auth.users where phone = $1 and id <> $2 and deleted_at is null', [
    phone,
    userId,
  ]);
  if (rows.length > 0) throw phoneExists();
}
