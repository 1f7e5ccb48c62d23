import { randomUUID } from 'node:crypto';

import { existingAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { AuthError, validationFailed } from '../errors.ts';
import { isUuid, parseBody } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { createAccount, fullNameFrom, isTaken, phoneFrom, requireBoundedMetadata, requireEmail } from '../sign-up.ts';
import { userObject } from '../user-object.ts';
import {
  banSeconds,
  hashFrom,
  requirePhoneOff,
  roleFrom,
  storedAppMetadata,
  userAttributes,
} from './user-attributes.ts';

/** POST /admin/users (AU-19). The role comes from app_metadata, a client's where none is named. */
export const createUser: Operation = {
  method: 'POST',
  url: '/admin/users',
  access: 'admin',
  async handle(call) {
    const given = parseBody(call.request, userAttributes);
    if (given.email === '' && given.phone === '')
      throw validationFailed('Cannot create a user without either an email or phone');
    requirePhoneOff(given.phone);
    const email = requireEmail(given.email);
    const metadata = given.user_metadata ?? {};
    requireBoundedMetadata(metadata, call);
    const id = given.id?.toLowerCase() ?? randomUUID();
    if (!isUuid(id)) throw validationFailed('ID must conform to the uuid v4 format');
    const role = roleFrom(given.app_metadata) ?? 'client';
    const ban = banSeconds(given.ban_duration);
    const fullName = fullNameFrom(metadata, email);
    const passwordHash = await hashFrom(given, { email, fullName }, call);
    try {
      const account = await call.db.asService('auth admin: create user', async (tx) => {
        await createAccount(tx, {
          id,
          email,
          passwordHash,
          role,
          fullName,
          phone: phoneFrom(metadata),
          isConfirmed: given.email_confirm,
          userMetadata: metadata,
        });
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
      if (!isTaken(error)) throw error;
      throw new AuthError(422, 'email_exists', 'A user with this email address has already been registered');
    }
  },
};
