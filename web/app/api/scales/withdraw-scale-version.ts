import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** SC-01: a version whose day has not come never rules; it stays in the history. */
export async function withdrawScaleVersion(scaleVersionId: string): Promise<void> {
  await callFunction('commission-management', {
    query: { action: 'withdraw_scale_version' },
    body: { scale_version_id: scaleVersionId },
  });
  refresh();
}
