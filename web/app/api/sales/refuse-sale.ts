import type { Sale } from '@parrain/domain/sale';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** F-16, V-04: the admin refuses the contract on screen, and says why. */
export async function refuseSale(seen: Pick<Sale, 'id' | 'version'>, reason: string): Promise<void> {
  await sendSaleRefusal(seen, reason);
  refresh();
}

/** The refusal alone: the screens are read again by who has made all of theirs. */
export async function sendSaleRefusal(seen: Pick<Sale, 'id' | 'version'>, reason: string): Promise<void> {
  await callFunction('sales-management', {
    body: { action: 'reject', sale_id: seen.id, seen_version: seen.version, reason },
  });
}
