import type { FactorRow } from '../protocol/account.ts';
import { AuthError } from '../protocol/errors.ts';
import type { LiveSession } from '../protocol/operation.ts';

/**
 * Requires the second factor in this session of a person who has a verified one (AU-17). Each endpoint answers with the
 * status the protocol has for it: 401 to changes of the account, 403 to new factors and passkeys, 422 to their removal.
 * `factors` are the person's, read again under a lock where that was done.
 * @throws AuthError insufficient_aal
 */
export function requireAal(
  { account, aal }: LiveSession,
  status: 401 | 403 | 422,
  factors: readonly Pick<FactorRow, 'status'>[] = account.factors,
): void {
  if (aal === 'aal2' || !factors.some((factor) => factor.status === 'verified')) return;
  throw new AuthError(status, 'insufficient_aal', 'AAL2 session is required for this operation');
}
