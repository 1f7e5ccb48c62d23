import { z } from 'zod';

import type { Transaction } from '#platform/database';

import { requireAal } from './aal.ts';
import { existingAccount, normalizedEmail } from './account.ts';
import type { Account } from './account.ts';
import { audit } from './audit.ts';
import { AuthError } from './errors.ts';
import { passwordChangedMail } from './mails.ts';
import { clearOneTimeTokens } from './one-time-token.ts';
import { parseBody } from './operation.ts';
import type { Operation, Scope } from './operation.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';
import { requireBoundedPassword, requireGoodPassword } from './password-rules.ts';
import { endSessions } from './session.ts';
import { requireBoundedMetadata } from './sign-up.ts';
import { userObject } from './user-object.ts';

const body = z.looseObject({
  email: z.string().default(''),
  phone: z.string().default(''),
  password: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  app_metadata: z.unknown().optional(),
});

/**
 * PUT /user (AU-13): the person's own data and password. A new password ends every other session and makes a temporary
 * one's session a full one (V-19).
 */
export const updateUser: Operation = {
  method: 'PUT',
  url: '/user',
  access: 'session',
  limit: { name: 'user', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const { session } = call;
    const { account } = session;
    const change = parseBody(call.request, body);
    if (change.app_metadata !== undefined)
      throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges');
    if (change.password !== undefined || change.email !== '' || change.phone !== '') requireAal(session, 401);
    if (change.phone !== '' && change.phone !== account.phone) {
      throw new AuthError(400, 'phone_provider_disabled', 'Phone changes are disabled');
    }
    if (change.email !== '' && normalizedEmail(change.email) !== account.email) {
      throw new AuthError(404, 'feature_disabled', 'Changing the email address is not available');
    }
    const userMetadata =
      change.data === undefined ? undefined : mergedMetadata(account.raw_user_meta_data, change.data);
    if (userMetadata !== undefined) requireBoundedMetadata(userMetadata, call);
    const hash = change.password === undefined ? undefined : await newPasswordHash(call, account, change.password);

    const updated = await call.db.asService('auth: update user', async (tx) => {
      if (change.data !== undefined) {
        await mergeMetadata(tx, account.id, change.data);
        await audit(tx, call.origin, 'user_updated', account.id);
      }
      if (hash !== undefined) {
        await setPassword(tx, account.id, hash);
        await endSessions(tx, account.id, { except: session.id });
        await afterPasswordChange(tx, call, account);
      }
      return existingAccount(tx, account.id);
    });
    return { body: userObject(updated) };
  },
};

async function newPasswordHash(scope: Scope, account: Account, password: string): Promise<string> {
  requireBoundedPassword(password);
  requireGoodPassword(password, { email: account.email, fullName: account.full_name }, scope.settings);
  if (account.encrypted_password !== null && (await verifyPassword(password, account.encrypted_password))) {
    throw new AuthError(422, 'same_password', 'New password should be different from the old password.');
  }
  return hashPassword(password);
}

/** Puts a password that its owner chose in the place of whatever there was. */
export async function setPassword(tx: Transaction, userId: string, hash: string): Promise<void> {
  await tx.query(
    `update auth.users set encrypted_password = $2, temporary_password_until = null, password_change_required = false,
       updated_at = now() where id = $1`,
    [userId, hash],
  );
}

/** Pending links are void, and the person is told: whoever did not change it learns of it. */
export async function afterPasswordChange(tx: Transaction, scope: Scope, account: Account): Promise<void> {
  await clearOneTimeTokens(tx, account.id);
  await audit(tx, scope.origin, 'password_changed', account.id);
  if (account.email !== null) {
    await scope.services.mail.enqueue(tx, await passwordChangedMail(tx, scope, account.email));
  }
}

/** Merges on the first level; null removes a key. Two changes at once keep both. */
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
