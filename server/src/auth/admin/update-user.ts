import type { Transaction } from '#platform/database';
import { isDatabaseError } from '#platform/errors';

import { accountByEmail, existingAccount } from '../account.ts';
import type { Account } from '../account.ts';
import { audit } from '../audit.ts';
import { AuthError, validationFailed } from '../errors.ts';
import { clearOneTimeTokens } from '../one-time-token.ts';
import { parseBody } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { endSessions } from '../session.ts';
import { requireBoundedMetadata, requireEmail } from '../sign-up.ts';
import { afterPasswordChange, mergedMetadata, mergeMetadata, setPassword } from '../update-user.ts';
import { userObject } from '../user-object.ts';
import { confirmEmail } from '../verify-token.ts';
import { requireAccount, requireUserId } from './account-of-path.ts';
import {
  banSeconds,
  hashFrom,
  requirePhoneOff,
  roleFrom,
  storedAppMetadata,
  userAttributes,
} from './user-attributes.ts';

/** PUT /admin/users/{id} (AU-19): everything applies at once. A new password ends every session of the person. */
export const updateUserById: Operation = {
  method: 'PUT',
  url: '/admin/users/:id',
  access: 'admin',
  async handle(call) {
    const id = requireUserId(call.request);
    const given = parseBody(call.request, userAttributes);
    requirePhoneOff(given.phone);
    const email = given.email === '' ? null : requireEmail(given.email);
    const role = roleFrom(given.app_metadata);
    const ban = banSeconds(given.ban_duration);
    const known = await call.db.asService('auth admin: update user', (tx) => requireAccount(tx, id));
    const hash = await hashFrom(given, { email: email ?? known.email, fullName: known.full_name }, call);
    if (given.user_metadata !== undefined) {
      requireBoundedMetadata(mergedMetadata(known.raw_user_meta_data, given.user_metadata), call);
    }
    try {
      const account = await call.db.asService('auth admin: update user', async (tx) => {
        const current = await requireAccount(tx, id);
        if (role !== null && role !== current.role) throw validationFailed('The role of an account cannot be changed');
        if (email !== null && email !== current.email) await setEmail(tx, current, email);
        if (given.email_confirm && current.email_confirmed_at === null) await confirmEmail(tx, id);
        if (given.user_metadata !== undefined) await mergeMetadata(tx, id, given.user_metadata);
        await tx.query(
          `update auth.users set updated_at = now(), raw_app_meta_data =
             (raw_app_meta_data || $2::jsonb) - array(select key from jsonb_each($2::jsonb) where value = 'null'),
             banned_until = case when $3::float8 is null then banned_until
               else now() + make_interval(secs => nullif($3::float8, 0)) end
           where id = $1`,
          [id, storedAppMetadata(given.app_metadata ?? {}), ban],
        );
        if (hash !== null) {
          await setPassword(tx, id, hash);
          await endSessions(tx, id, 'all');
          await afterPasswordChange(tx, call, await existingAccount(tx, id));
        }
        await audit(tx, call.origin, 'user_modified', id);
        return existingAccount(tx, id);
      });
      return { body: userObject(account) };
    } catch (error) {
      if (isDatabaseError(error) && error.code === '23505') throw emailExists();
      throw error;
    }
  },
};

/** The address everywhere it stands: user, identity, profile. Links that were sent to the old one are void. */
async function setEmail(tx: Transaction, account: Account, email: string): Promise<void> {
  if ((await accountByEmail(tx, email)) !== null) throw emailExists();
  await tx.query(
    `with changed as (update auth.users set email = $2, new_email = null, updated_at = now() where id = $1),
       identified as (
         update auth.identities set identity_data = identity_data || jsonb_build_object('email', $2::text), updated_at = now()
         where user_id = $1 and provider = 'email')
     update public.profiles set email = $2 where id = $1`,
    [account.id, email],
  );
  await clearOneTimeTokens(tx, account.id);
}

function emailExists(): AuthError {
  return new AuthError(422, 'email_exists', 'A user with this email address has already been registered');
}
