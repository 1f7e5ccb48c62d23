import { hasSite } from '@parrain/domain/name';
import { randomUUID } from 'node:crypto';

import { isDatabaseError } from '#platform/errors';
import type { Transaction } from '#platform/database';

import { accountByEmail, existingAccount, normalizedEmail } from './account.ts';
import type { Account } from './account.ts';
import { isMailLeft, mayReceive } from './addressee.ts';
import { audit } from './audit.ts';
import { AuthError, validationFailed } from './errors.ts';
import { accountExistsMail, confirmationMail } from './mails.ts';
import { isCoolingDown, issueOneTimeToken } from './one-time-token.ts';
import type { Scope } from './operation.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';
import { requireGoodPassword } from './password-rules.ts';
import { openSession } from './session.ts';
import type { OpenSession } from './session.ts';

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
  if (settings.isSignupDisabled) throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance');
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
  const id = randomUUID();
  await createAccount(tx, {
    id,
    email: request.email,
    passwordHash: hash,
    role: 'client',
    fullName: request.fullName,
    phone: request.phone,
    isConfirmed: settings.isAutoconfirmed,
    userMetadata: {
      ...request.data,
      sub: id,
      email: request.email,
      email_verified: settings.isAutoconfirmed,
      phone_verified: false,
    },
  });
  await tx.query(
    `update auth.identities set identity_data = $2::jsonb || identity_data where user_id = $1 and provider = 'email'`,
    [id, request.data],
  );
  await audit(tx, origin, 'signup', id);
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

/** The password of an account that waits, as it was before the transaction, and whether it is the one that is given. */
export type ReadPassword = {
  readonly known: string | null;
  readonly isTheirs: boolean;
  /** Of the one that is given; null where an account waits, which keeps its own. */
  readonly hash: string | null;
  readonly isLast: boolean;
};

class PasswordWritten extends Error {}

const READINGS_MAX = 3;

/**
 * Looks at a password outside of any transaction, then does the work; anew where another request wrote it in between. It is
 * hashed or compared, which takes as long: the answer does not tell whether there is an account. Somebody who presses the
 * button twice does not dispute with themselves.
 */
export async function withReadPassword<T>(
  password: string,
  read: () => Promise<string | null>,
  work: (read: ReadPassword) => Promise<T>,
): Promise<T> {
  for (let readings = 1; ; readings += 1) {
    const known = await read();
    const isLast = readings === READINGS_MAX;
    const isTheirs = known !== null && (await verifyPassword(password, known));
    const hash = known === null || isLast ? await hashPassword(password) : null;
    try {
      return await work({ known, isTheirs, hash, isLast });
    } catch (error) {
      if (!(error instanceof PasswordWritten)) throw error;
    }
  }
}

/** For a new account, where none waits. */
export function hashToKeep({ hash }: ReadPassword): string {
  if (hash === null) throw new PasswordWritten();
  return hash;
}

/**
 * Two who give different passwords have registered the same address, or number, before anybody confirmed it. Whose link or
 * code it is that is then used nobody can say: neither password opens the account, and whoever confirms chooses one.
 */
export async function disputePassword(tx: Transaction, account: Account, read: ReadPassword): Promise<void> {
  const isAsRead = read.known === account.encrypted_password;
  if (!isAsRead && !read.isLast) throw new PasswordWritten();
  if (isAsRead && read.isTheirs) return;
  await tx.query(
    'update auth.users set encrypted_password = null, password_change_required = true, updated_at = now() where id = $1',
    [account.id],
  );
}

/** Whoever registers again finds out where they may: in their own mail. */
async function tellOwner(tx: Transaction, scope: Scope, { id, email }: Account): Promise<void> {
  await tx.query('update auth.users set confirmation_sent_at = now() where id = $1', [id]);
  await scope.services.mail.enqueue(tx, await accountExistsMail(tx, scope, email ?? ''));
}

/** Puts the confirmation mail in the queue, with a new link in place of the last one. */
export async function sendConfirmation(
  tx: Transaction,
  scope: Scope,
  userId: string,
  email: string,
  {
    redirectTo,
    challenge = null,
    isOpen = false,
  }: {
    readonly redirectTo: string;
    readonly challenge?: string | null;
    /** Whether the account is open already, and its owner only shows that the address is theirs. */
    readonly isOpen?: boolean;
  },
): Promise<void> {
  const issued = await issueOneTimeToken(tx, scope, {
    userId,
    kind: 'confirmation',
    sentTo: email,
    redirectTo,
    challenge,
  });
  await tx.query('update auth.users set confirmation_sent_at = now() where id = $1', [userId]);
  await scope.services.mail.enqueue(tx, await confirmationMail(tx, scope, email, { issued, redirectTo, isOpen }));
}

export type NewAccount = {
  readonly id: string;
  /** Null for who signs in by telephone, by wallet, or without a name. */
  readonly email: string | null;
  readonly passwordHash: string | null;
  readonly role: string;
  readonly fullName: string;
  readonly phone: string | null;
  readonly isConfirmed: boolean;
  readonly userMetadata: Readonly<Record<string, unknown>>;
};

/** The user, the identity and the profile, together. */
export async function createAccount(tx: Transaction, account: NewAccount): Promise<void> {
  await tx.query(
    `select from private.create_account(p_id => $1, p_email => $2, p_password_hash => $3, p_role => $4, p_full_name => $5,
       p_phone => $6, p_email_confirmed_at => case when $7::boolean then now() end, p_user_metadata => $8)`,
    [
      account.id,
      account.email,
      account.passwordHash,
      account.role,
      account.fullName,
      account.phone,
      account.isConfirmed,
      account.userMetadata,
    ],
  );
}

/** The account of a telephone number, not yet confirmed: a client's. */
export async function createPhoneAccount(
  tx: Transaction,
  account: {
    readonly id: string;
    readonly phone: string;
    readonly passwordHash: string | null;
    readonly fullName: string;
    readonly data: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const { id, phone, data } = account;
  await createAccount(tx, {
    id,
    email: null,
    passwordHash: account.passwordHash,
    role: 'client',
    fullName: account.fullName,
    phone: `+${phone}`,
    isConfirmed: false,
    userMetadata: { ...data, sub: id, phone, email_verified: false, phone_verified: false },
  });
  await setPhone(tx, id, phone);
}

/** The number by which an account signs in, not confirmed by this: the user's and the identity's. */
export async function setPhone(tx: Transaction, userId: string, phone: string): Promise<void> {
  await tx.query(
    `with numbered as (
       update auth.users set phone = $2, new_phone = null, updated_at = now(),
         raw_app_meta_data = '{"provider": "phone", "providers": ["phone"]}'::jsonb || raw_app_meta_data where id = $1
     )
     insert into auth.identities as i (user_id, provider, provider_id, identity_data)
     values ($1, 'phone', $1::text, jsonb_build_object('sub', $1::text, 'phone', $2::text, 'email_verified', false, 'phone_verified', false))
     on conflict (provider, provider_id) do update
       set identity_data = i.identity_data || jsonb_build_object('phone', $2::text), updated_at = now()`,
    [userId, phone],
  );
}

/** Whether the database refused an account because its address has one. */
export function isTaken(error: unknown): boolean {
  return isDatabaseError(error) && error.code === 'PR001' && error.message === 'email_taken';
}

/** Opens a client's account that waits for its owner to confirm it. @returns its id */
export async function openUnconfirmed(
  tx: Transaction,
  {
    email,
    data,
    passwordHash,
  }: {
    readonly email: string;
    /** What the account remembers of itself; its name and telephone are read there. */
    readonly data: Readonly<Record<string, unknown>>;
    readonly passwordHash: string | null;
  },
): Promise<string> {
  const id = randomUUID();
  await createAccount(tx, {
    id,
    email,
    passwordHash,
    role: 'client',
    fullName: fullNameFrom(data, email),
    phone: phoneFrom(data),
    isConfirmed: false,
    userMetadata: data,
  });
  return id;
}

/**
 * The name of a profile from what a request says of its person, else what stands before the @. One that holds the address
 * of a site is no name (FX-04).
 */
export function fullNameFrom(data: Readonly<Record<string, unknown>>, email: string): string {
  const beforeTheAt = email.split('@')[0]?.replaceAll('.', ' ');
  for (const given of [data['full_name'], data['name'], beforeTheAt]) {
    if (typeof given !== 'string') continue;
    const name = given
      .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ')
      .trim()
      .slice(0, 120)
      .trim();
    if (name !== '' && name.isWellFormed() && !hasSite(name)) return name;
  }
  return 'Sans nom';
}

export function phoneFrom(data: Readonly<Record<string, unknown>>): string | null {
  const phone = data['phone'];
  return typeof phone === 'string' && /^\+?[\d .()/-]{4,30}$/u.test(phone.trim()) ? phone.trim() : null;
}

/** An address as it is kept. Printable ASCII only: two addresses that look the same are the same. @throws AuthError */
export function requireEmail(text: string): string {
  const email = normalizedEmail(text);
  if (
    email.length > 255 ||
    !/^[^\s@<>()[\]\\,;:"]+@[a-z\d-]+(?:\.[a-z\d-]+)+$/u.test(email) ||
    /[^\x21-\x7e]/u.test(email)
  ) {
    throw validationFailed('Unable to validate email address: invalid format');
  }
  return email;
}

const METADATA_DEPTH_MAX = 32;

/** Every access token carries it: it must stay small, and shallow enough for whoever reads it. */
export function requireBoundedMetadata(data: Readonly<Record<string, unknown>>, { settings }: Scope): void {
  if (
    isDeeperThan(METADATA_DEPTH_MAX, data) ||
    Buffer.byteLength(JSON.stringify(data)) > settings.userMetadataBytesMax
  ) {
    throw validationFailed('User metadata is too large');
  }
  requireStorable(data);
}

/** @throws AuthError validation_failed where a text of the JSON, or a key, could not be kept */
export function requireStorable(data: Readonly<Record<string, unknown>>): void {
  if (!isStorable(data)) throw validationFailed('A value holds characters that cannot be stored');
}

/** Half a surrogate pair and NUL are texts of JavaScript, and of no JSON that PostgreSQL keeps. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner));
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
