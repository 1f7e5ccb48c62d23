import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { isTaken } from '../accounts/create-account.ts';
import { requireBoundedMetadata, requireEmail } from '../accounts/identity-fields.ts';
import { requirePhone, requirePhoneProvider } from '../accounts/phone.ts';
import { userObject } from '../accounts/user-object.ts';
import { requestEmailChange, requireFreeEmail, requireFreePhone } from '../codes/change-address.ts';
import { clearOneTimeTokens, consumeCode } from '../codes/one-time-token.ts';
import { challengeFields, challengeOf } from '../codes/pkce-code.ts';
import { requireChannel, sendCode } from '../codes/sms-code.ts';
import { passwordChangedMail } from '../messages/mails.ts';
import { hashPassword, verifyPassword } from '../passwords/password-hash.ts';
import { requireBoundedPassword, requireGoodPassword } from '../passwords/password-rules.ts';
import { existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, emailExists, mailLimitReached, rateLimited, ssoManaged } from '../protocol/errors.ts';
import type { LiveSession, Operation, Scope, SessionCall } from '../protocol/operation.ts';
import { redirectTarget } from '../protocol/redirect.ts';
import { parseBody, queryValue } from '../protocol/request.ts';
import { secondsUntilMessage } from '../protocol/send-limits.ts';
import { requireAal } from '../sessions/aal.ts';
import { endSessions } from '../sessions/session.ts';

const body = z.looseObject({
  email: z.string().default(''),
  phone: z.string().default(''),
  password: z.string().optional(),
  current_password: z.string().default(''),
  nonce: z.string().default(''),
  data: z.record(z.string(), z.unknown()).optional(),
  channel: z.string().default(''),
  app_metadata: z.unknown().optional(),
  ...challengeFields,
});

/** The age after which a session must prove itself again to change the password. */
const FRESH_SECONDS = 86_400;

/**
 * PUT /user (AU-13): the person's own data, password, address and number. A new password ends every other session and
 * makes a temporary one's session a full one (V-19). A new address or number waits for its confirmation.
 */
export const updateUser: Operation = {
  method: 'PUT',
  url: '/user',
  access: 'session',
  limit: { name: 'user', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const { account } = call.session;
    const change = await checkedChange(call);
    const updated = await call.db.asService('auth: update user', (tx) => applyChange(tx, call, change));
    if (change.newPhone === null) return { body: userObject(updated) };
    await sendCode(call, { userId: account.id, phone: change.newPhone, kind: 'phone_change' });
    return {
      body: userObject(
        await call.db.asService('auth: update user', (tx) => existingAccount(tx, account.id), { readOnly: true }),
      ),
    };
  },
};

/** A change that may be made; null stands for a part that stays. */
type Change = {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly passwordHash: string | null;
  readonly newEmail: string | null;
  readonly newPhone: string | null;
  readonly challenge: string | null;
};

/** The change of a request, with all that refuses it before it is made. @throws AuthError */
async function checkedChange(call: SessionCall): Promise<Change> {
  const { account } = call.session;
  const given = parseBody(call.request, body);
  if (given.app_metadata !== undefined)
    throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges');
  const email = given.email === '' ? null : requireEmail(given.email);
  const phone = given.phone === '' ? null : requirePhone(given.phone);
  const newEmail = email === account.email ? null : email;
  const newPhone = phone === account.phone ? null : phone;
  if (given.password !== undefined || newEmail !== null || newPhone !== null) requireOwnWaysIn(call.session);
  if (newPhone !== null) {
    requirePhoneProvider(call.settings, 400, 'changes');
    requireChannel(given.channel);
  }
  if (given.password !== undefined && account.is_anonymous && email === null && phone === null) {
    throw new AuthError(
      422,
      'validation_failed',
      'Updating password of an anonymous user without an email or phone is not allowed',
    );
  }
  const challenge = challengeOf(given);
  if (given.data !== undefined) requireBoundedMetadata(mergedMetadata(account.raw_user_meta_data, given.data), call);
  if (given.password !== undefined) {
    // Before the reauthentication code, which is good once.
    await requireStrongPassword(call, account, given.password);
    await takePasswordGuess(call, account.id);
    await requireProof(call, given);
  }
  if (newEmail !== null) {
    // Refused before it is counted: a taken address keeps its owner's messages.
    await call.db.asService('auth: update user', (tx) => requireFreeEmail(tx, account.id, newEmail), {
      readOnly: true,
    });
    await takeAddressChange(call, account.id);
    await requireMessageTo(call, newEmail);
  }
  const passwordHash = given.password === undefined ? null : await newPasswordHash(account, given.password);
  return { data: given.data ?? null, passwordHash, newEmail, newPhone, challenge };
}

/** @throws AuthError insufficient_aal, user_sso_managed */
function requireOwnWaysIn(session: LiveSession): void {
  requireAal(session, 401);
  if (session.account.is_sso_user) {
    throw ssoManaged('Updating email, phone or password of a SSO account is not possible');
  }
}

async function applyChange(tx: Transaction, call: SessionCall, change: Change): Promise<Account> {
  const { session, settings, origin } = call;
  const { account } = session;
  const { data, passwordHash, newEmail, newPhone, challenge } = change;
  if (data !== null) {
    await mergeMetadata(tx, account.id, data);
    await audit(tx, origin, 'user_updated', account.id);
  }
  if (passwordHash !== null) {
    await setPassword(tx, account.id, passwordHash);
    await tx.query('update auth.sessions set password_free_until = null where id = $1', [session.id]);
    await endSessions(tx, account.id, { except: session.id });
    await afterPasswordChange(tx, call, account);
  }
  if (newEmail !== null) {
    const redirectTo = redirectTarget(queryValue(call.request, 'redirect_to'), settings);
    if (account.is_anonymous && settings.isAutoconfirmed) await takeEmail(tx, call, account.id, newEmail);
    else await requestEmailChange(tx, call, account, { email: newEmail, redirectTo, challenge });
  }
  if (newPhone !== null) {
    await requireFreePhone(tx, account.id, newPhone);
    await tx.query('update auth.users set new_phone = $2, updated_at = now() where id = $1', [account.id, newPhone]);
    await audit(tx, origin, 'phone_change_requested', account.id);
  }
  return existingAccount(tx, account.id);
}

/**
 * Gives an anonymous account its address, where a registration would be confirmed at once too.
 * @throws AuthError email_exists
 */
async function takeEmail(tx: Transaction, scope: Scope, userId: string, email: string): Promise<void> {
  await requireFreeEmail(tx, userId, email);
  try {
    await tx.query('select private.change_email($1, $2)', [userId, email]);
  } catch (error) {
    // Race: another account took it first.
    throw isTaken(error) ? emailExists() : error;
  }
  await audit(tx, scope.origin, 'email_changed', userId);
}

/**
 * Requires proof of the owner for a change of password: the current password, or a code of /reauthenticate once the session
 * is a day old. A temporary password needs neither, nor does the hour after a recovery or an invitation.
 * @throws AuthError current_password_required, current_password_invalid, reauthentication_needed,
 * reauthentication_not_valid
 */
async function requireProof(
  call: SessionCall,
  given: { readonly current_password: string; readonly nonce: string },
): Promise<void> {
  const { session, settings, db } = call;
  const { account } = session;
  if (account.password_change_required || account.encrypted_password === null) return;
  const { rows } = await db.queryAsService<{ is_fresh: boolean; is_password_free: boolean }>('auth: update user', {
    text: `select s.created_at > now() - make_interval(secs => $2) as is_fresh,
        coalesce(s.password_free_until > now(), false) as is_password_free
      from auth.sessions s where s.id = $1`,
    values: [session.id, FRESH_SECONDS],
  });
  const [known] = rows;
  if (given.current_password !== '') {
    if (!(await verifyPassword(given.current_password, account.encrypted_password))) {
      throw new AuthError(400, 'current_password_invalid', 'Current password is not valid');
    }
    return;
  }
  if (settings.isCurrentPasswordRequired && known?.is_password_free !== true) {
    throw new AuthError(400, 'current_password_required', 'Current password is required to set a new one');
  }
  if (!settings.isPasswordChangeSecured || known?.is_fresh === true) return;
  if (given.nonce === '') {
    throw new AuthError(400, 'reauthentication_needed', 'Password update requires reauthentication');
  }
  const sentTo = account.email === null || account.email === '' ? (account.phone ?? '') : account.email;
  const consumed = await db.asService('auth: update user', (tx) =>
    consumeCode(tx, call, ['reauthentication'], { userId: account.id, to: sentTo, code: given.nonce }),
  );
  if (consumed === null) throw new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid');
}

/** @throws AuthError over_email_send_rate_limit */
async function requireMessageTo(scope: Scope, email: string): Promise<void> {
  const retryAfterSeconds = await secondsUntilMessage(scope, email);
  if (retryAfterSeconds === 0) return;
  throw mailLimitReached(retryAfterSeconds);
}

const CHANGES = { capacity: 10, perSeconds: 86_400 };

/** Each change of address mails a person who may not have asked for it. @throws AuthError over_email_send_rate_limit */
async function takeAddressChange({ services }: Scope, userId: string): Promise<void> {
  const retryAfterSeconds = await services.rateLimit.takeToken(`day:address:${userId}`, CHANGES);
  if (retryAfterSeconds === 0) return;
  throw mailLimitReached(retryAfterSeconds);
}

const GUESSES = { capacity: 20, perSeconds: 600 };

/**
 * A holder of a stolen session could test passwords here, as the current one or as the new one that must differ: guesses
 * are limited per account, over all networks.
 * @throws AuthError over_request_rate_limit
 */
async function takePasswordGuess({ services }: Scope, userId: string): Promise<void> {
  const retryAfterSeconds = await services.rateLimit.takeToken(`auth:current-password:${userId}`, GUESSES);
  if (retryAfterSeconds === 0) return;
  throw rateLimited(retryAfterSeconds);
}

async function requireStrongPassword(scope: Scope, account: Account, password: string): Promise<void> {
  requireBoundedPassword(password);
  await requireGoodPassword(password, { email: account.email, fullName: account.full_name }, scope);
}

async function newPasswordHash(account: Account, password: string): Promise<string> {
  if (account.encrypted_password !== null && (await verifyPassword(password, account.encrypted_password))) {
    throw new AuthError(422, 'same_password', 'New password should be different from the old password.');
  }
  return hashPassword(password);
}

/** Replaces the password by one that its owner chose. */
export async function setPassword(tx: Transaction, userId: string, hash: string): Promise<void> {
  await tx.query(
    `update auth.users set encrypted_password = $2, temporary_password_until = null, password_change_required = false,
       updated_at = now() where id = $1`,
    [userId, hash],
  );
}

/** Voids pending links and mails the owner, who may not have made the change. */
export async function afterPasswordChange(tx: Transaction, scope: Scope, account: Account): Promise<void> {
  await clearOneTimeTokens(tx, account.id);
  await audit(tx, scope.origin, 'password_changed', account.id);
  if (account.email !== null) {
    await scope.services.mail.enqueue(tx, await passwordChangedMail(tx, scope, account.email));
  }
}

/** Merges on the first level; null removes a key. Two simultaneous changes keep both. */
export async function mergeMetadata(
  tx: Transaction,
  userId: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await tx.query(
    `update auth.users set updated_at = now(), raw_user_meta_data =
       (raw_user_meta_data || $2::jsonb) - array(select key from jsonb_each($2::jsonb) where value = 'null') where id = $1`,
    [userId, data],
  );
}

export function mergedMetadata(
  known: Readonly<Record<string, unknown>>,
  data: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries({ ...known, ...data }).filter(([, value]) => value !== null));
}
