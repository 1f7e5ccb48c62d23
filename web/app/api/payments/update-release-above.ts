import { companySettings } from '../company/company-settings.ts';
import type { ControlAnswer } from '../company/controls.ts';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import type { Changes } from '../transport/use-edit.ts';

/** PO-01: above how much a batch is released by another admin than its maker; null is never. Gives what became of it (DF-24). */
export async function updateReleaseAbove(changes: Changes): Promise<ControlAnswer> {
  const changed = await callFunction<ControlAnswer>('company-settings', {
    query: { action: 'update_release_above' },
    body: changes,
  });
  await queryClient.invalidateQueries({ queryKey: companySettings.queryKey });
  return changed;
}
