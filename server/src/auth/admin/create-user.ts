import { randomUUID } from 'node:crypto';

import type { Transaction } from '#platform/database';
import { isDatabaseError } from '#platform/errors';

import { createAccount, isTaken, setPhone } from '../accounts/create-account.ts';
import {
  fullNameFrom,
  phoneFrom,
  requireBoundedMetadata,
  requireEmail,
  requireStorable,
} from '../accounts/identity-fields.ts';
import { requirePhone } from '../accounts/phone.ts';
import { userObject } from '../accounts/user-object.ts';
import { existingAccount } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError, emailExists, phoneExists, validationFailed } from '../protocol/errors.ts';
import type { Operation } from '../protocol/operation.ts';
import { isUuid, parseBody } from '../protocol/request.ts';
import { banSeconds, hashFrom, roleFrom, storedAppMetadata, userAttributes } from './user-attributes.ts';

/** POST /admin/users (AU-19), by address, by number, or both. The role comes from app_metadata, a client's where none is named. */
export const createUser: Operation = {
  method: 'POST',
  url: '/admin/users',
  access: 'admin',
  async handle(call) {
    const given = parseBody(call.request, userAttributes);
    if (given.email === '' && given.phone === '')
      throw validationFailed('Cannot create a user without either an email or phone');
    const email = given.email === '' ? null : requireEmail(given.email);
    const phone = given.phone === '' ? null : requirePhone(given.phone);
    const metadata = given.user_metadata ?? {};
    requireBoundedMetadata(metadata, call);
    const id = given.id?.toLowerCase() ?? randomUUID();
    if (!isUuid(id)) throw validationFailed('ID must conform to the uuid v4 format');
    requireStorable(given.app_metadata ?? {});
    const role = roleFrom(given.app_metadata) ?? 'client';
    const ban = banSeconds(given.ban_duration);
    const fullName = fullNameFrom(metadata, email ?? '');
    const passwordHash = await hashFrom(given, { email, fullName }, call);
    try {
      const account = await call.db.asService('auth admin: create user', async (tx) => {
        await requireFreeId(tx, id);
        await createAccount(tx, {
          id,
          email,
          passwordHash,
          role,
          fullName,
          phone: phoneFrom(metadata) ?? (phone === null ? null : `+${phone}`),
          isConfirmed: given.email_confirm,
          userMetadata: metadata,
        });
        if (given.email_confirm) await tx.query('select private.prove_email($1)', [id]);
        if (phone !== null) await setPhone(tx, id, phone);
        if (phone !== null && given.phone_confirm) await tx.query('select private.change_phone($1, $2)', [id, phone]);
        await tx.query(
          `update auth.users set raw_app_meta_data = raw_app_meta_data || $2::jsonb,
             banned_until = now() + make_interval(secs => nullif($3::float8, 0)) where id = $1`,
          [id, storedAppMetadata(given.app_metadata ?? {}), ban],
        );
        await audit(tx, call.origin, 'user_created', id, { role });
        return existingAccount(tx, id);
      });
      return { body: userObject(account) };
    } catch (error) {
      if (isTaken(error)) throw emailExists();
      if (isDatabaseError(error) && error.code === '23505') throw phoneExists();
      throw error;
    }
  },
};

/** @throws AuthError conflict */
async function requireFreeId(tx: Transaction, id: string): Promise<void> {
  const { rows } = await tx.query('select from auth.users where id = $1', [id]);
  if (rows.length > 0) throw new AuthError(409, 'conflict', 'A user with this id exists already');
}
