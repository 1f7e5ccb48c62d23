import { tellSecurityChange } from '../messages/security-notices.ts';
import { audit } from '../protocol/audit.ts';
import type { Operation } from '../protocol/operation.ts';
import { requireAal } from '../sessions/aal.ts';
import { lockFactor, notAsked, requireFactorId } from './factor.ts';

/** DELETE /factors/{id} (AU-17). The sessions that it had raised are of the first level again, held by a trigger. */
export const unenrolFactor: Operation = {
  method: 'DELETE',
  url: '/factors/:factorId',
  access: 'session',
  limit: { name: 'factors', capacity: 30, perSeconds: 300 },
  async handle(call) {
    const { session } = call;
    const factorId = requireFactorId(call.request);
    await call.db.asService('auth: unenrol factor', async (tx) => {
      const factor = await lockFactor(tx, session.account.id, factorId);
      if (factor.factor_type === 'recovery_code') throw notAsked();
      requireAal(session, 422, [factor]);
      await tx.query('delete from auth.factors where id = $1', [factor.id]);
      await audit(tx, call.origin, 'factor_removed', session.account.id, { factor: factor.id });
      if (factor.status === 'verified') {
        await tellSecurityChange(tx, call, session.account, { kind: 'factor_removed', type: factor.factor_type });
      }
    });
    return { body: { id: factorId } };
  },
};
