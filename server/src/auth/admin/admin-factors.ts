import { z } from 'zod';

import { requirePhone } from '../accounts/phone.ts';
import { factorObject } from '../accounts/user-object.ts';
import { factorNotFound, factorsOf, requireFactorId } from '../factors/factor.ts';
import { tellSecurityChange } from '../messages/security-notices.ts';
import { FACTOR_AS_JSON } from '../protocol/account.ts';
import type { FactorRow } from '../protocol/account.ts';
import { audit } from '../protocol/audit.ts';
import { factorNameTaken } from '../protocol/errors.ts';
import type { Operation } from '../protocol/operation.ts';
import { friendlyName, parseBody } from '../protocol/request.ts';
import { requireAccount, requireUserId } from './account-of-path.ts';

/** GET /admin/users/{id}/factors (AU-17). */
export const adminListFactors: Operation = {
  method: 'GET',
  url: '/admin/users/:id/factors',
  access: 'admin',
  async handle({ request, db }) {
    const id = requireUserId(request);
    const factors = await db.asService('auth admin: list factors', async (tx) => {
      await requireAccount(tx, id);
      return factorsOf(tx, id);
    });
    return { body: factors.map(factorObject) };
  },
};

/**
 * DELETE /admin/users/{id}/factors/{factorId} (AU-17): for a person who lost theirs. A trigger lowers the sessions that it
 * raised.
 */
export const adminRemoveFactor: Operation = {
  method: 'DELETE',
  url: '/admin/users/:id/factors/:factorId',
  access: 'admin',
  async handle(call) {
    const userId = requireUserId(call.request);
    const factorId = requireFactorId(call.request);
    const body = await call.db.asService('auth admin: remove factor', async (tx) => {
      const account = await requireAccount(tx, userId);
      const factor = account.factors.find(({ id }) => id === factorId);
      if (factor === undefined) throw factorNotFound();
      await tx.query('delete from auth.factors where id = $1', [factorId]);
      await audit(tx, call.origin, 'factor_removed', userId, { factor: factorId, by: 'admin' });
      if (factor.status === 'verified') {
        await tellSecurityChange(tx, call, account, { kind: 'factor_removed', type: factor.factor_type });
      }
      return factorObject(factor);
    });
    return { body };
  },
};

const change = z.looseObject({ friendly_name: friendlyName.optional(), phone: z.string().optional() });

/** PUT /admin/users/{id}/factors/{factorId} (AU-17): its name, and the number of a telephone. */
export const adminUpdateFactor: Operation = {
  method: 'PUT',
  url: '/admin/users/:id/factors/:factorId',
  access: 'admin',
  async handle(call) {
    const userId = requireUserId(call.request);
    const factorId = requireFactorId(call.request);
    const given = parseBody(call.request, change);
    const phone = given.phone === undefined || given.phone === '' ? null : requirePhone(given.phone);
    const body = await call.db.asService('auth admin: update factor', async (tx) => {
      const account = await requireAccount(tx, userId);
      const name = given.friendly_name;
      if (account.factors.some((factor) => factor.id !== factorId && factor.friendly_name === name)) {
        throw factorNameTaken();
      }
      const { rows } = await tx.query<{ factor: FactorRow }>(
        `update auth.factors f set friendly_name = coalesce($3, f.friendly_name), updated_at = now(),
           phone = case when f.factor_type = 'phone' then coalesce($4, f.phone) end
         where f.id = $1 and f.user_id = $2 returning ${FACTOR_AS_JSON} as factor`,
        [factorId, userId, name ?? null, phone],
      );
      const [row] = rows;
      if (row === undefined) throw factorNotFound();
      await audit(tx, call.origin, 'factor_updated', userId, { factor: factorId, by: 'admin' });
      const before = account.factors.find(({ id }) => id === factorId);
      if (row.factor.status === 'verified' && row.factor.phone !== before?.phone) {
        await tellSecurityChange(tx, call, account, { kind: 'factor_changed', type: row.factor.factor_type });
      }
      return factorObject(row.factor);
    });
    return { body };
  },
};
