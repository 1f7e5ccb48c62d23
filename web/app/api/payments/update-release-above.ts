import { toWire, type Cents } from '@parrain/domain/money';
import { companySettings } from '../company/company-settings.ts';
import type { ControlAnswer } from '../company/controls.ts';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';

/** PO-01: above how much a batch is released by another admin than its maker; null is never. Gives what became of it (DF-24). */
export async function updateReleaseAbove({ releaseAbove }: { releaseAbove: Cents | null }): Promise<ControlAnswer> {
  const changed = await callFunction<ControlAnswer>('company-settings', {
    body: { action: 'update_release_above', release_above: releaseAbove === null ? null : toWire(releaseAbove) },
  });
  await queryClient.invalidateQueries({ queryKey: companySettings.queryKey });
  return changed;
}
