import type { Transaction } from '#platform/database';

import { isTaken, registerByEmail } from '../accounts/create-account.ts';
import { requireBoundedMetadata, requireEmail } from '../accounts/identity-fields.ts';
import { sendConfirmation } from '../codes/confirmation.ts';
import { secondsCoolingDown } from '../codes/one-time-token.ts';
import { accountExistsMail } from '../messages/mails.ts';
import { hashPassword } from '../passwords/password-hash.ts';
import { requireGoodPassword } from '../passwords/password-rules.ts';
import { accountByEmail, existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { signupDisabled } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { startCooldown, takeMailToken, takeMessageToken } from '../protocol/send-limits.ts';
import { openSession } from '../sessions/session.ts';
import type { OpenSession } from '../sessions/session.ts';
import { disputePassword, hashOfNewAccount, withComparedPassword } from './disputed-password.ts';
import type { ComparedPassword } from './disputed-password.ts';

/** The rate limit of registrations from one network, by every door. */
export const SIGN_UP_LIMIT = { name: 'signup', capacity: 30, perSeconds: 300 };

export type SignUp = {
  readonly email: string;
  readonly password: string;
  /** The client's own user_metadata. No right is ever read from it. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly fullName: string;
  readonly phone: string | null;
  /** The target of the confirmation mail's link. */
  readonly redirectTo: string;
  /** The challenge of a client that exchanges a code for its session (PKCE). */
  readonly challenge?: string | null;
  readonly opensSession: boolean;
};

export type SignUpOutcome =
  | { readonly kind: 'signed_in'; readonly session: OpenSession }
  | { readonly kind: 'created'; readonly account: Account }
  /** Registered already and unconfirmed: the mail may leave again, and nothing of the new request is stored. */
  | { readonly kind: 'pending'; readonly account: Account }
  /** Registered already. */
  | { readonly kind: 'taken' };

/**
 * A person's own registration (AU-01). The account is always a client's: a role in the request is ignored.
 * @throws AuthError signup_disabled, validation_failed, weak_password
 */
export async function signUp(scope: Scope, request: SignUp): Promise<SignUpOutcome> {
  const { settings, db } = scope;
  if (settings.isSignupDisabled) throw signupDisabled();
  const email = requireEmail(request.email);
  await requireGoodPassword(request.password, { email, fullName: request.fullName }, scope);
  requireBoundedMetadata(request.data, scope);
  // A resend that follows at once is told to wait, for every address.
  if (!settings.isAutoconfirmed) await startCooldown(scope, 'confirmation_sent_at', email);
  const mayMail = settings.isAutoconfirmed || (await takeMessageToken(scope, email));
  const work = (read: ComparedPassword): Promise<SignUpOutcome> =>
    db.asService('auth: sign up', async (tx) => {
      const existing = await accountByEmail(tx, email);
      return existing === null
        ? create(tx, scope, { ...request, email }, { hash: hashOfNewAccount(read), mayMail })
        : repeat(tx, scope, existing, { ...request, mayMail, read });
    });
  try {
    return settings.isAutoconfirmed
      ? await work({ known: null, isTheirs: false, hash: await hashPassword(request.password), isLast: true })
      : await withComparedPassword(request.password, () => unconfirmedPassword(scope, email), work);
  } catch (error) {
    // Race: another request registered the address first.
    if (isTaken(error)) return { kind: 'taken' };
    throw error;
  }
}

async function create(
  tx: Transaction,
  scope: Scope,
  request: SignUp,
  { hash, mayMail }: { readonly hash: string; readonly mayMail: boolean },
): Promise<SignUpOutcome> {
  const { settings, origin } = scope;
  const id = await registerByEmail(tx, origin, {
    email: request.email,
    passwordHash: hash,
    fullName: request.fullName,
    profilePhone: request.phone,
    data: request.data,
    isConfirmed: settings.isAutoconfirmed,
  });
  await tx.query(
    `update auth.identities set identity_data = $2::jsonb || identity_data where user_id = $1 and provider = 'email'`,
    [id, request.data],
  );
  if (!settings.isAutoconfirmed) {
    if (mayMail && (await takeMailToken(tx, scope))) await sendConfirmation(tx, scope, id, request.email, request);
    return { kind: 'created', account: await existingAccount(tx, id) };
  }
  if (!request.opensSession) return { kind: 'created', account: await existingAccount(tx, id) };
  return { kind: 'signed_in', session: await openSession(tx, scope, id, 'password') };
}

async function repeat(
  tx: Transaction,
  scope: Scope,
  account: Account,
  request: SignUp & { readonly mayMail: boolean; readonly read: ComparedPassword },
): Promise<SignUpOutcome> {
  await audit(tx, scope.origin, 'signup_repeated', account.id);
  if (scope.settings.isAutoconfirmed || account.is_barred) return { kind: 'taken' };
  const isWaiting = account.email_confirmed_at === null;
  // With or without a new mail: the link of an earlier one may still be followed.
  if (isWaiting) await disputePassword(tx, account, request.read);
  // A cooldown must be silent: a told wait would reveal the account.
  if (
    request.mayMail &&
    (await secondsCoolingDown(tx, scope, account.id, 'confirmation')) === 0 &&
    (await takeMailToken(tx, scope))
  ) {
    if (isWaiting) await sendConfirmation(tx, scope, account.id, account.email ?? '', request);
    else await mailAccountExists(tx, scope, account);
  }
  return isWaiting ? { kind: 'pending', account: await existingAccount(tx, account.id) } : { kind: 'taken' };
}

/** The password hash of an unconfirmed account at this address; null where there is none. */
async function unconfirmedPassword({ db }: Scope, email: string): Promise<string | null> {
  const account = await db.asService('auth: sign up', (tx) => accountByEmail(tx, email), { readOnly: true });
  return account === null || account.email_confirmed_at !== null ? null : account.encrypted_password;
}

/** Tells the owner of the account by mail alone that it exists. */
async function mailAccountExists(tx: Transaction, scope: Scope, { id, email }: Account): Promise<void> {
  await tx.query('update auth.users set confirmation_sent_at = now() where id = $1', [id]);
  await scope.services.mail.enqueue(tx, await accountExistsMail(tx, scope, email ?? ''));
}
