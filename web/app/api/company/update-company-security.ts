import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** AU-17: whether every admin needs a second step. An admin who asks it of the others has one. */
export async function updateCompanySecurity(requireAdminTwoFactor: boolean): Promise<void> {
  await callFunction('company-settings', {
    query: { action: 'update_security' },
    body: { require_admin_two_factor: requireAdminTwoFactor },
  });
  refresh();
}
