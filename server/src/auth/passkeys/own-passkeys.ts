import { z } from 'zod';

import { factorsOf, lockPerson } from '../factors/factor.ts';
import { tellSecurityChange } from '../messages/security-notices.ts';
import { audit } from '../protocol/audit.ts';
import type { Operation } from '../protocol/operation.ts';
import { friendlyName, parseBody } from '../protocol/request.ts';
import { requireAal } from '../sessions/aal.ts';
import {
  deletePasskey,
  PASSKEY_COLUMNS,
  passkeyNotFound,
  passkeyObject,
  passkeysOf,
  requirePasskeyId,
} from './passkey.ts';
import type { PasskeyRow } from './passkey.ts';

const limit = { name: 'passkeys', capacity: 30, perSeconds: 300 };

/** GET /passkeys: one's own. */
export const listPasskeys: Operation = {
  method: 'GET',
  url: '/passkeys',
  access: 'session',
  async handle({ db, session }) {
    const passkeys = await db.asService('auth: list passkeys', (tx) => passkeysOf(tx, session.account.id), {
      readOnly: true,
    });
    return { body: passkeys.map(passkeyObject) };
  },
};

const change = z.looseObject({ friendly_name: friendlyName.trim().min(1) });

/** PATCH /passkeys/{id}: its name. */
export const renamePasskey: Operation = {
  method: 'PATCH',
  url: '/passkeys/:passkeyId',
  access: 'session',
  limit,
  async handle(call) {
    const id = requirePasskeyId(call.request);
    const { friendly_name: name } = parseBody(call.request, change);
    requireAal(call.session, 403);
    const body = await call.db.asService('auth: rename passkey', async (tx) => {
      const { rows } = await tx.query<PasskeyRow>(
        `update auth.webauthn_credentials set friendly_name = $3
         where id = $1 and user_id = $2 and factor_id is null returning ${PASSKEY_COLUMNS}`,
        [id, call.session.account.id, name],
      );
      const [passkey] = rows;
      if (passkey === undefined) throw passkeyNotFound();
      await audit(tx, call.origin, 'passkey_renamed', call.session.account.id, { passkey: id });
      return passkeyObject(passkey);
    });
    return { body };
  },
};

/** DELETE /passkeys/{id}: it does not sign in any more. */
export const removePasskey: Operation = {
  method: 'DELETE',
  url: '/passkeys/:passkeyId',
  access: 'session',
  limit,
  async handle(call) {
    const { session } = call;
    const id = requirePasskeyId(call.request);
    await call.db.asService('auth: remove passkey', async (tx) => {
      await lockPerson(tx, session.account.id);
      requireAal(session, 422, await factorsOf(tx, session.account.id));
      await deletePasskey(tx, session.account.id, id);
      await audit(tx, call.origin, 'passkey_removed', session.account.id, { passkey: id });
      await tellSecurityChange(tx, call, session.account, { kind: 'passkey_removed' });
    });
    return { status: 204 };
  },
};
