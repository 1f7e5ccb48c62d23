import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** The account's fate: removed where nothing depended on it, else deactivated with everything kept (AD-05). */
export type CommercialRemoval = 'removed' | 'deactivated';

/** AD-05: a commercial leaves; their clients and open referrals may go to another one first. */
export async function removeCommercial(commercialId: string, reassignTo: string | null): Promise<CommercialRemoval> {
  const { outcome } = await callFunction<{ outcome: CommercialRemoval }>('remove-commercial', {
    body: { commercial_id: commercialId, ...(reassignTo === null ? {} : { reassign_to: reassignTo }) },
  });
  refresh();
  return outcome;
}
