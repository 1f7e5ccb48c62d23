import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** AD-05: a deactivated commercial may sign in again. */
export async function reactivateCommercial(commercialId: string): Promise<void> {
  await callFunction('reactivate-commercial', { body: { commercial_id: commercialId } });
  refresh();
}
