import type { Sale } from '@parrain/domain/sale';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** UI-11: the contract on screen goes back to its commercial, who is told what to correct. */
export async function askCorrection(seen: Pick<Sale, 'id' | 'version'>, reason: string): Promise<void> {
  await callFunction('sales-management', {
    body: { action: 'ask_correction', sale_id: seen.id, seen_version: seen.version, reason },
  });
  refresh();
}
