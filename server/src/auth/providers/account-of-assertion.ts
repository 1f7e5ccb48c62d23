import { randomUUID } from 'node:crypto';

import type { Transaction } from '#platform/database';

import { retryOnDuplicate } from '../accounts/create-account.ts';
import { fullNameFrom } from '../accounts/identity-fields.ts';
import { handOverToOwner, isAddressProven } from '../codes/address-ownership.ts';
import { sendConfirmation } from '../codes/confirmation.ts';
import { secondsCoolingDown } from '../codes/one-time-token.ts';
import { accountById, existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, signupDisabled, userBanned } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { takeMailToken } from '../protocol/send-limits.ts';
import type { Assertion } from './assertion.ts';
import { addIdentity, identityNotice, refreshIdentity } from './identity.ts';

export type Arrival = {
  readonly assertion: Assertion;
  /** The target of a confirmation mail's link. */
  readonly redirectTo: string;
  /** The client's challenge: that link gives it a code in place of a session. */
  readonly challenge?: string | null;
  /** The person whose invitation was followed. */
  readonly invitedUserId?: string | null;
};

/**
 * The linking decision: the account that a provider's assertion leads to. By the identity at that provider; else by a
 * verified address, to the one account that has it; else a new client account. A company's own service leads to
 * accounts of its own, never to one with the same address.
 *
 * A refusal is returned, not thrown, so that a confirmation mail that left is committed.
 */
export async function accountOfAssertion(
  tx: Transaction,
  scope: Scope,
  arrival: Arrival,
): Promise<Account | AuthError> {
  const { assertion } = arrival;
  // Of two simultaneous arrivals of one person, the second finds the account of the first.
  await takeAdvisoryLock(tx, `identity:${assertion.provider}:${assertion.subject}`);
  if (assertion.email !== null && !assertion.isSso) await takeAdvisoryLock(tx, `email:${assertion.email}`);

  const known = await userOfIdentity(tx, assertion);
  if (known !== null) return returnToAccount(tx, scope, arrival, known);
  if ((arrival.invitedUserId ?? null) !== null) return acceptInvitation(tx, scope, arrival);
  if (assertion.email !== null && assertion.isEmailVerified && !assertion.isSso) {
    const [only, another] = await usersOfEmail(tx, assertion.email);
    if (another !== undefined) {
      return new AuthError(409, 'conflict', 'Multiple accounts with the same email address in the same linking domain');
    }
    if (only !== undefined) return joinAccount(tx, scope, arrival, only);
  }
  return createFromAssertion(tx, scope, arrival);
}

/** Runs the decision in its transaction, again where it lost the race for a new account. */
export async function decideAccount<T>(
  scope: Scope,
  reason: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return retryOnDuplicate(() => scope.db.asService(reason, work));
}

async function takeAdvisoryLock(tx: Transaction, what: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 32))', [what]);
}

async function userOfIdentity(tx: Transaction, { provider, subject }: Assertion): Promise<string | null> {
  const { rows } = await tx.query<{ user_id: string }>(
    'select user_id from auth.identities where provider = $1 and provider_id = $2',
    [provider, subject],
  );
  return rows[0]?.user_id ?? null;
}

/** Accounts that own an address: their own, or one that another provider verified. */
async function usersOfEmail(tx: Transaction, email: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select u.id from auth.users u where u.email = $1 and not u.is_sso_user and u.deleted_at is null
     union
     select u.id from auth.identities i join auth.users u on u.id = i.user_id
     where i.email = $1 and i.identity_data ->> 'email_verified' = 'true' and i.provider <> 'email'
       and i.provider not like 'sso:%' and not u.is_sso_user and u.deleted_at is null
     limit 2`,
    [email],
  );
  return rows.map(({ id }) => id);
}

async function returnToAccount(
  tx: Transaction,
  scope: Scope,
  arrival: Arrival,
  userId: string,
): Promise<Account | AuthError> {
  const { assertion } = arrival;
  const account = await existingAccount(tx, userId);
  if (account.is_barred) return userBanned(403);
  await refreshIdentity(tx, userId, assertion);
  if (account.email === null || account.email_confirmed_at !== null) return existingAccount(tx, userId);
  if (assertion.isEmailVerified && assertion.email === account.email) {
    await giveToAddressOwner(tx, account, assertion);
    return existingAccount(tx, userId);
  }
  return askToConfirm(tx, scope, arrival, userId, account.email);
}

/** The invitation's mail was read: its address is its owner's, even where the provider does not know it. */
async function acceptInvitation(
  tx: Transaction,
  scope: Scope,
  { assertion, invitedUserId }: Arrival,
): Promise<Account | AuthError> {
  const account = await accountById(tx, invitedUserId ?? '');
  if (account === null || account.email_confirmed_at !== null) {
    return new AuthError(404, 'invite_not_found', 'Invite not found');
  }
  if (account.is_barred) return userBanned(403);
  if (assertion.email === null || assertion.email !== account.email) {
    return new AuthError(400, 'bad_oauth_callback', 'Invited email does not match emails from external provider');
  }
  await giveToAddressOwner(tx, account, assertion);
  await addIdentity(tx, account.id, assertion);
  await audit(tx, scope.origin, 'identity_linked', account.id, { provider: assertion.provider });
  return existingAccount(tx, account.id);
}

/** The provider verified the address of an existing account. */
async function joinAccount(
  tx: Transaction,
  scope: Scope,
  { assertion }: Arrival,
  userId: string,
): Promise<Account | AuthError> {
  await tx.query('select from auth.users where id = $1 for no key update', [userId]);
  const account = await existingAccount(tx, userId);
  if (account.is_barred) return userBanned(403);
  // An address other than the account's own was vouched for by one of its providers.
  if (account.email === assertion.email && !(await isAddressProven(tx, account))) {
    if (account.factors.some((factor) => factor.status === 'verified')) {
      return new AuthError(409, 'conflict', 'Sign in to the existing account to link this identity');
    }
    await giveToAddressOwner(tx, account, assertion);
  }
  await addIdentity(tx, userId, assertion);
  await audit(tx, scope.origin, 'identity_linked', userId, { provider: assertion.provider });
  await identityNotice(tx, scope, account.email, { provider: assertion.provider, isAdded: true });
  return existingAccount(tx, userId);
}

/** Gives an account to the owner of its address, who came by a provider: identity and metadata become the provider's. */
async function giveToAddressOwner(tx: Transaction, account: Account, assertion: Assertion): Promise<void> {
  await handOverToOwner(tx, account, assertion);
  await tx.query(
    `update auth.users set email_confirmed_at = now(), email_proven_at = now(), raw_user_meta_data = '{}' where id = $1`,
    [account.id],
  );
}

async function createFromAssertion(tx: Transaction, scope: Scope, arrival: Arrival): Promise<Account | AuthError> {
  const { assertion } = arrival;
  const { email, provider, isSso } = assertion;
  if (scope.settings.isSignupDisabled) {
    return signupDisabled();
  }
  const isConfirmed = isSso || assertion.isEmailVerified;
  if (email !== null && !isConfirmed) {
    const isTaken =
      (await tx.query('select from auth.users where email = $1 and deleted_at is null', [email])).rows.length > 0;
    // The same words where the address has an account: the answer must not reveal it.
    if (isTaken || !scope.services.mail.isConfigured) return needsVerification(provider);
  }
  const id = randomUUID();
  await tx.query(
    `insert into auth.users (id, email, email_confirmed_at, is_sso_user, raw_app_meta_data, raw_user_meta_data)
     values ($1, $2, case when $3::boolean then now() end, $4, '{"role": "client"}', $5)`,
    [id, email, email !== null && isConfirmed, isSso, assertion.data],
  );
  await addIdentity(tx, id, assertion);
  await tx.query(
    `insert into public.profiles (id, full_name, email, role)
     values ($1, $2, case when $3::text is null or exists (select from public.profiles p where p.email = $3) then '' else $3 end, 'client')`,
    [id, fullNameFrom({ full_name: assertion.fullName }, email ?? ''), email],
  );
  await audit(tx, scope.origin, 'signup', id, { provider });
  if (email !== null && !isConfirmed) return askToConfirm(tx, scope, arrival, id, email);
  return existingAccount(tx, id);
}

/** Mails the address that the provider named and does not vouch for; no sign-in before the answer. */
async function askToConfirm(
  tx: Transaction,
  scope: Scope,
  { assertion: { provider }, redirectTo, challenge = null }: Arrival,
  userId: string,
  email: string,
): Promise<AuthError> {
  if (
    scope.services.mail.isConfigured &&
    (await secondsCoolingDown(tx, scope, userId, 'confirmation')) === 0 &&
    (await takeMailToken(tx, scope))
  ) {
    await tx.query(`select set_config('app.provider_sign_in', $1, true)`, [userId]);
    await sendConfirmation(tx, scope, userId, email, { redirectTo, challenge });
  }
  return needsVerification(provider);
}

function needsVerification(provider: string): AuthError {
  return new AuthError(
    422,
    'provider_email_needs_verification',
    `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`,
  );
}
