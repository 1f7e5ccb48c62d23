import type { ControlAnswer } from './controls.ts';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** AU-17: whether every admin needs a second step. An admin who asks it of the others has one. Gives what became of it (DF-24). */
export async function updateCompanySecurity(requireAdminTwoFactor: boolean): Promise<ControlAnswer> {
  const changed = await callFunction<ControlAnswer>('company-settings', {
    query: { action: 'update_security' },
    body: { require_admin_two_factor: requireAdminTwoFactor },
  });
  refresh();
  return changed;
}
