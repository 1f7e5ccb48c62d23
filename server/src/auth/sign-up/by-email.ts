import type { Transaction } from '#platform/database';

import { isTaken, registerByEmail } from '../accounts/create-account.ts';
import { requireBoundedMetadata, requireEmail } from '../accounts/identity-fields.ts';
import { sendConfirmation } from '../codes/confirmation.ts';
import { isCoolingDown } from '../codes/one-time-token.ts';
import { accountExistsMail } from '../messages/mails.ts';
import { hashPassword } from '../passwords/password-hash.ts';
import { requireGoodPassword } from '../passwords/password-rules.ts';
import { accountByEmail, existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { signupDisabled } from '../protocol/errors.ts';
import type { Scope } from '../protocol/operation.ts';
import { isMailLeft, mayReceive } from '../protocol/send-limits.ts';
import { openSession } from '../sessions/session.ts';
import type { OpenSession } from '../sessions/session.ts';
import { disputePassword, hashToKeep, withReadPassword } from './disputed-password.ts';
import type { ReadPassword } from './disputed-password.ts';

/** How many may register from one network, over whichever door. */
export const SIGN_UP_LIMIT = { name: 'signup', capacity: 30, perSeconds: 300 };

export type SignUp = {
  readonly email: string;
  readonly password: string;
  /** What the client wants to remember of itself. No right is ever read from it. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly fullName: string;
  readonly phone: string | null;
  /** Where the link of the confirmation mail leads. */
  readonly redirectTo: string;
  /** Of a client that exchanges a code for its session (PKCE). */
  readonly challenge?: string | null;
  readonly opensSession: boolean;
};

export type SignUpOutcome =
  | { readonly kind: 'signed_in'; readonly session: OpenSession }
  | { readonly kind: 'created'; readonly account: Account }
  /** There already, and waiting for its confirmation: the mail may leave again, nothing of the new request is kept. */
  | { readonly kind: 'pending'; readonly account: Account }
  /** There already. */
  | { readonly kind: 'taken' };

/**
 * A person's own registration (AU-01). The account is always a client's, whatever role the request names.
 * @throws AuthError signup_disabled, validation_failed, weak_password
 */
export async function signUp(scope: Scope, request: SignUp): Promise<SignUpOutcome> {
  const { settings, db } = scope;
  if (settings.isSignupDisabled) throw signupDisabled();
  const email = requireEmail(request.email);
  await requireGoodPassword(request.password, { email, fullName: request.fullName }, scope);
  requireBoundedMetadata(request.data, scope);
  const mayMail = settings.isAutoconfirmed || (await mayReceive(scope, email));
  const work = (read: ReadPassword): Promise<SignUpOutcome> =>
    db.asService('auth: sign up', async (tx) => {
      const existing = await accountByEmail(tx, email);
      return existing === null
        ? create(tx, scope, { ...request, email }, { hash: hashToKeep(read), mayMail })
        : repeat(tx, scope, existing, { ...request, mayMail, read });
    });
  try {
    return settings.isAutoconfirmed
      ? await work({ known: null, isTheirs: false, hash: await hashPassword(request.password), isLast: true })
      : await withReadPassword(request.password, () => passwordOfWaiting(scope, email), work);
  } catch (error) {
    // Somebody registered the same address at the same instant.
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
    if (mayMail && (await isMailLeft(tx, scope))) await sendConfirmation(tx, scope, id, request.email, request);
    return { kind: 'created', account: await existingAccount(tx, id) };
  }
  if (!request.opensSession) return { kind: 'created', account: await existingAccount(tx, id) };
  return { kind: 'signed_in', session: await openSession(tx, scope, id, 'password') };
}

async function repeat(
  tx: Transaction,
  scope: Scope,
  account: Account,
  request: SignUp & { readonly mayMail: boolean; readonly read: ReadPassword },
): Promise<SignUpOutcome> {
  await audit(tx, scope.origin, 'signup_repeated', account.id);
  if (scope.settings.isAutoconfirmed || account.is_barred) return { kind: 'taken' };
  const isWaiting = account.email_confirmed_at === null;
  // Whether a mail leaves or not: the link of an earlier one may still be followed.
  if (isWaiting) await disputePassword(tx, account, request.read);
  // Too soon for another mail: said in no way, or the wait would tell that the account exists.
  if (
    request.mayMail &&
    !(await isCoolingDown(tx, scope, account.id, 'confirmation')) &&
    (await isMailLeft(tx, scope))
  ) {
    if (isWaiting) await sendConfirmation(tx, scope, account.id, account.email ?? '', request);
    else await tellOwner(tx, scope, account);
  }
  return isWaiting ? { kind: 'pending', account: await existingAccount(tx, account.id) } : { kind: 'taken' };
}

/** The password of an account whose address nobody has confirmed yet; null where there is none. */
async function passwordOfWaiting({ db }: Scope, email: string): Promise<string | null> {
  const account = await db.asService('auth: sign up', (tx) => accountByEmail(tx, email), { readOnly: true });
  return account === null || account.email_confirmed_at !== null ? null : account.encrypted_password;
}

/** Whoever registers again finds out where they may: in their own mail. */
async function tellOwner(tx: Transaction, scope: Scope, { id, email }: Account): Promise<void> {
  await tx.query('update auth.users set confirmation_sent_at = now() where id = $1', [id]);
  await scope.services.mail.enqueue(tx, await accountExistsMail(tx, scope, email ?? ''));
}
