import { tellSecurityChange } from '../messages/security-notices.ts';
import { deletePasskey, passkeyObject, passkeysOf, requirePasskeyId } from '../passkeys/passkey.ts';
import { audit } from '../protocol/audit.ts';
import type { Operation } from '../protocol/operation.ts';
import { requireAccount, requireUserId } from './account-of-path.ts';

/** GET /admin/users/{id}/passkeys. */
export const adminListPasskeys: Operation = {
  method: 'GET',
  url: '/admin/users/:id/passkeys',
  access: 'admin',
  async handle({ request, db }) {
    const id = requireUserId(request);
    const passkeys = await db.asService('auth admin: list passkeys', async (tx) => {
      await requireAccount(tx, id);
      return passkeysOf(tx, id);
    });
    return { body: passkeys.map(passkeyObject) };
  },
};

/** DELETE /admin/users/{id}/passkeys/{passkeyId}: for a person who lost theirs. */
export const adminRemovePasskey: Operation = {
  method: 'DELETE',
  url: '/admin/users/:id/passkeys/:passkeyId',
  access: 'admin',
  async handle(call) {
    const userId = requireUserId(call.request);
    const id = requirePasskeyId(call.request);
    await call.db.asService('auth admin: remove passkey', async (tx) => {
      const account = await requireAccount(tx, userId);
      await deletePasskey(tx, userId, id);
      await audit(tx, call.origin, 'passkey_removed', userId, { passkey: id, by: 'admin' });
      await tellSecurityChange(tx, call, account, { kind: 'passkey_removed' });
    });
    return { status: 204 };
  },
};
