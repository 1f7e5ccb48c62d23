import type { z } from 'zod';

import type { Transaction } from '#platform/database';
import { isDatabaseError } from '#platform/errors';

import { setPhone } from '../accounts/create-account.ts';
import { requireBoundedMetadata, requireEmail, requireStorable } from '../accounts/identity-fields.ts';
import { requirePhone } from '../accounts/phone.ts';
import { userObject } from '../accounts/user-object.ts';
import { requireFreePhone } from '../codes/change-address.ts';
import { clearOneTimeTokens } from '../codes/one-time-token.ts';
import { confirmEmail } from '../codes/verify-token.ts';
import { tellSecurityChange } from '../messages/security-notices.ts';
import { accountByEmail, existingAccount } from '../protocol/account.ts';
import type { Account } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { emailExists, phoneExists, validationFailed } from '../protocol/errors.ts';
import type { Call, Operation } from '../protocol/operation.ts';
import { parseBody } from '../protocol/request.ts';
import { endSessions } from '../sessions/session.ts';
import { afterPasswordChange, mergedMetadata, mergeMetadata, setPassword } from '../user/update-user.ts';
import { requireAccount, requireUserId } from './account-of-path.ts';
import { banSeconds, hashFrom, roleFrom, storedAppMetadata, userAttributes } from './user-attributes.ts';

/** PUT /admin/users/{id} (AU-19): everything applies at once. A new password ends every session of the person. */
export const updateUserById: Operation = {
  method: 'PUT',
  url: '/admin/users/:id',
  access: 'admin',
  async handle(call) {
    const id = requireUserId(call.request);
    const given = parseBody(call.request, userAttributes);
    const email = given.email === '' ? null : requireEmail(given.email);
    const phone = given.phone === '' ? null : requirePhone(given.phone);
    requireStorable(given.app_metadata ?? {});
    const role = roleFrom(given.app_metadata);
    const ban = banSeconds(given.ban_duration);
    const known = await call.db.asService('auth admin: update user', (tx) => requireAccount(tx, id));
    const hash = await hashFrom(given, { email: email ?? known.email, fullName: known.full_name }, call);
    if (given.user_metadata !== undefined) {
      requireBoundedMetadata(mergedMetadata(known.raw_user_meta_data, given.user_metadata), call);
    }
    try {
      const account = await call.db.asService('auth admin: update user', (tx) =>
        applyAttributes(tx, call, id, { given, email, phone, role, ban, hash }),
      );
      return { body: userObject(account) };
    } catch (error) {
      if (isDatabaseError(error) && error.code === '23505') {
        throw error.constraint === 'users_phone_is_unique' ? phoneExists() : emailExists();
      }
      throw error;
    }
  },
};

type Attributes = {
  readonly given: z.output<typeof userAttributes>;
  readonly email: string | null;
  readonly phone: string | null;
  readonly role: string | null;
  readonly ban: number | null;
  readonly hash: string | null;
};

async function applyAttributes(
  tx: Transaction,
  call: Call,
  id: string,
  { given, email, phone, role, ban, hash }: Attributes,
): Promise<Account> {
  const current = await requireAccount(tx, id);
  if (role !== null && role !== current.role) throw validationFailed('The role of an account cannot be changed');
  if (email !== null && email !== current.email) {
    await setEmail(tx, current, email);
    await audit(tx, call.origin, 'email_changed', id, { by: 'admin' });
    await tellSecurityChange(tx, call, current, { kind: 'email_changed' });
  }
  if (phone !== null && phone !== current.phone) {
    await replacePhone(tx, current, phone);
    await audit(tx, call.origin, 'phone_changed', id, { by: 'admin' });
    await tellSecurityChange(tx, call, current, {
      kind: current.phone === null ? 'phone_added' : 'phone_changed',
    });
  }
  if (given.phone_confirm) await confirmPhone(tx, current, phone);
  if (given.email_confirm) {
    if (current.email_confirmed_at === null) await confirmEmail(tx, id);
    await tx.query('select private.prove_email($1)', [id]);
  }
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
}

/** Changes the address of user, identity and profile. Links to the old address are void. */
async function setEmail(tx: Transaction, account: Account, email: string): Promise<void> {
  if ((await accountByEmail(tx, email)) !== null) throw emailExists();
  await tx.query(
    `with changed as (update auth.users set email = $2::text, new_email = null, updated_at = now() where id = $1::uuid),
       identified as (
         insert into auth.identities as i (user_id, provider, provider_id, identity_data)
         values ($1::uuid, 'email', $1::text, jsonb_build_object('sub', $1::text, 'email', $2::text, 'email_verified', $3::boolean, 'phone_verified', false))
         on conflict (provider, provider_id) do update
           set identity_data = i.identity_data || jsonb_build_object('email', $2::text), updated_at = now())
     update public.profiles set email = $2::text where id = $1::uuid`,
    [account.id, email, account.email_confirmed_at !== null],
  );
  await clearOneTimeTokens(tx, account.id);
}

/** The same for the number. Codes to the old number are void. */
async function replacePhone(tx: Transaction, account: Account, phone: string): Promise<void> {
  await requireFreePhone(tx, account.id, phone);
  await setPhone(tx, account.id, phone);
  await tx.query('update public.profiles set phone = $2 where id = $1', [account.id, `+${phone}`]);
  await clearOneTimeTokens(tx, account.id);
}

async function confirmPhone(tx: Transaction, account: Account, given: string | null): Promise<void> {
  const phone = given ?? account.phone;
  if (phone === null || (account.phone_confirmed_at !== null && phone === account.phone)) return;
  await tx.query('select private.change_phone($1, $2)', [account.id, phone]);
}
