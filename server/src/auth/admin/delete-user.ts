import { createHash } from 'node:crypto';
import { z } from 'zod';

import type { Transaction } from '#platform/database';
import { isDatabaseError } from '#platform/errors';

import { clearOneTimeTokens } from '../codes/one-time-token.ts';
import { audit } from '../protocol/audit.ts';
import { AuthError } from '../protocol/errors.ts';
import type { Operation } from '../protocol/operation.ts';
import { parseBody } from '../protocol/request.ts';
import { endSessions } from '../sessions/session.ts';
import { requireAccount, requireUserId } from './account-of-path.ts';

const body = z.looseObject({ should_soft_delete: z.boolean().default(false) });

/**
 * DELETE /admin/users/{id} (AU-19). A person whom sales or payments name is not removed (the money stays explained): their
 * account can be deleted softly, which leaves the row without personal data.
 */
export const deleteUser: Operation = {
  method: 'DELETE',
  url: '/admin/users/:id',
  access: 'admin',
  async handle(call) {
    const id = requireUserId(call.request);
    const { should_soft_delete: isSoft } = parseBody(call.request, body);
    try {
      await call.db.asService('auth admin: delete user', async (tx) => {
        await requireAccount(tx, id);
        await audit(tx, call.origin, 'user_deleted', id, { soft: isSoft });
        if (isSoft) await erase(tx, id);
        else await tx.query('delete from auth.users where id = $1', [id]);
      });
    } catch (error) {
      if (isDatabaseError(error) && (error.code === '23503' || error.code === '23001')) {
        throw new AuthError(409, 'conflict', 'Sales or payments name this user: delete it softly');
      }
      throw error;
    }
    return { body: {} };
  },
};

async function erase(tx: Transaction, id: string): Promise<void> {
  const nobody = `${createHash('sha256').update(id).digest('hex').slice(0, 32)}@deleted.invalid`;
  await tx.query(
    `with erased as (
       update auth.users set email = $2, phone = null, new_email = null, new_phone = null, encrypted_password = null,
         raw_user_meta_data = '{}', raw_app_meta_data = '{}', deleted_at = coalesce(deleted_at, now()), updated_at = now() where id = $1
     ), unidentified as (
       delete from auth.identities where user_id = $1
     ), unprotected as (
       delete from auth.factors where user_id = $1
     ), unlocked as (
       delete from auth.webauthn_credentials where user_id = $1
     )
     update public.profiles set email = $2, full_name = 'Compte supprimé', phone = null, company = null, notes = null,
       deactivated_at = coalesce(deactivated_at, now()) where id = $1`,
    [id, nobody],
  );
  await endSessions(tx, id, 'all');
  await clearOneTimeTokens(tx, id);
}
