import { callFunction } from './call-function.ts';
import { refresh } from './refresh.ts';

/** AD-05: a deactivated commercial may sign in again. */
export async function reactivateCommercial(commercialId: string): Promise<void> {
  await callFunction('reactivate-commercial', { body: { commercial_id: commercialId } });
  refresh();
}
